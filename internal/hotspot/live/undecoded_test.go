package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// newerTags are tags that a later JDK may give its entries.
var newerTags = []layout.Tag{14, 20, 31}

// An entry of a later JDK ends the decoding of the data section, wherever it stands. The
// words from its header on are kept, and all other sections are decoded.
func TestSectionsOfALaterJDK(t *testing.T) {
	data := int(testData.data)
	for _, tag := range newerTags {
		for before, at := range []int{data, data + 16} { // the first entry, the last
			b := testMethodData()
			whole, err := testData.parseSections(b, testShape)
			if err != nil {
				t.Fatal(err)
			}
			b[at] = byte(tag)
			s, err := testData.parseSections(b, testShape)
			if err != nil {
				t.Fatalf("tag %d: %v", tag, err)
			}
			raw := s[disk.SectionData][before]
			if len(s[disk.SectionData]) != before+1 || s.undecodedTag() != tag || raw.Tag() != disk.TagUndecoded ||
				raw.Point() != int32(b[at+2]) {
				t.Errorf("tag %d after %d entries: %d entries, the last is a %v of tag %d at %d", tag, before,
					len(s[disk.SectionData]), raw.Tag(), s.undecodedTag(), raw.Point())
			}
			if end := data + int(le.Uint32(b[testData.dataSize:])); !bytes.Equal(raw[disk.WideHeaderSize:], b[at:end]) {
				t.Errorf("tag %d after %d entries: the words are not those of the VM", tag, before)
			}
			for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
				if !slices.EqualFunc(s[section], whole[section], func(a, b disk.Entry) bool { return bytes.Equal(a, b) }) {
					t.Errorf("tag %d: other %v entries", tag, section)
				}
			}
		}
	}
}

// Words that go back in the code are not an entry of a later JDK.
func TestALaterEntryComesLater(t *testing.T) {
	b := testMethodData()
	at := int(testData.data) + 16
	b[at], b[at+2] = 14, 1
	if _, err := testData.parseSections(b, testShape); !errors.Is(err, RefusedData) {
		t.Errorf("%v, want %v", err, RefusedData)
	}
}

// If one method of a VM has an entry of a later JDK, its archive has all methods. That
// one shows the unknown entries, and alone is not adopted.
func TestDumpOfALaterJDK(t *testing.T) {
	for _, tag := range newerTags {
		for before, header := range [][]byte{1: {7, 0, 1, 0, 0, 0, 0, 0}, 2: {5, 0, 2, 0, 0, 0, 0, 0}} {
			if header == nil {
				continue
			}
			t.Run(fmt.Sprint(tag, " after ", before), func(t *testing.T) {
				memory := synthetic()
				memory[bytes.Index(memory, header)] = byte(tag)
				checkLaterJDK(t, newImage(syntheticBase, memory), tag, before)
			})
		}
	}
}

func checkLaterJDK(t *testing.T, i *image, tag layout.Tag, before int) {
	t.Helper()
	vm, err := attachTarget(context.Background(), i)
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := vm.Dump(context.Background(), Options{})
	if err != nil || r.Methods != syntheticMethods || len(r.Refused) != 0 {
		t.Fatalf("%+v, error %v", r, err)
	}
	if len(r.Undecoded) != 1 || r.Undecoded[0].Tag != tag || r.Undecoded[0].Count != 1 || r.Undecoded[0].Example == "" {
		t.Errorf("reported %+v", r.Undecoded)
	}
	s := open(t, b)
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := m.Profile(layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		got, undecoded := p.Undecoded()
		if _, err := p.Claim(); undecoded != errors.Is(err, reader.ErrUndecoded) || !undecoded && err != nil {
			t.Errorf("not decoded: %t, adoption: %v", undecoded, err)
		}
		if undecoded {
			refused++
			checkUndecoded(t, p, got, tag, before)
		}
	}
	if refused != 1 {
		t.Errorf("%d profiles were not decoded", refused)
	}
}

// checkUndecoded checks a profile with so many entries before the one that is not known.
func checkUndecoded(t *testing.T, p reader.Profile, got, tag layout.Tag, before int) {
	t.Helper()
	entries := slices.Collect(p.Entries())
	if got != tag || len(entries) != before+1 || entries[before].Tag() != disk.TagUndecoded {
		t.Fatalf("tag %d, %d entries", got, len(entries))
	}
	if n, _ := entries[0].Counter(); n.Load() != 77 {
		t.Errorf("the first count is %d", n.Load())
	}
	if b, ok := entries[1].Branch(); before == 2 && (!ok || b.Taken.Load() != 5) {
		t.Error("the branch before is not decoded")
	}
	for section := disk.SectionExtra; section < disk.SectionHandlers; section++ {
		if len(slices.Collect(p.Section(section))) == 0 {
			t.Errorf("no %v entries", section)
		}
	}
}
