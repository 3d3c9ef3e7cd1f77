package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

func TestConfigTakesThePlaceOfTheText(t *testing.T) {
	config := builder.Config{Producer: "me", Fingerprint: [16]byte{1}, DumpID: [16]byte{2}, DumpTime: time.Unix(5, 0),
		Params: layout.Params{TypeProfileWidth: 9, BciProfileWidth: 9, ReceiverGap: 9}, Flags: 3}
	b, _, err := Read(strings.NewReader(goldenText(t, "hotspot")), ReadOptions{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, bytesOf(t, b)).Header()
	if h.Producer != "me" || h.Fingerprint != config.Fingerprint || h.DumpID != config.DumpID ||
		!h.Time().Equal(config.DumpTime) {
		t.Errorf("header %+v", h)
	}
	if h.Params.TypeProfileWidth != 2 || h.Flags != 0 {
		t.Errorf("settings %v and flags %d are not the text's", h.Params, h.Flags)
	}
}

func TestUnorderedLeavesTheOrderOut(t *testing.T) {
	b, _, err := Read(strings.NewReader(goldenText(t, "llvm-ir")), ReadOptions{Unordered: true})
	if err != nil {
		t.Fatal(err)
	}
	text := write(t, bytesOf(t, b))
	if strings.Contains(text, "table order") || !strings.Contains(text, "table traces") {
		t.Errorf("tables are not all but the order:\n%s", text)
	}
}

func TestTextsMerge(t *testing.T) {
	const text = "profarc text 1\ndomain graal\nmethod %s\n  profile\n    @0 Count calls %d\nend\n"
	all := builder.New(layout.DomainGraal, builder.Config{})
	for i, name := range []string{"a", "b", "a"} {
		b, report, err := Read(strings.NewReader(fmt.Sprintf(text, name, 1+i)), ReadOptions{})
		if err != nil || report.Methods != 1 || report.Profiles != 1 || report.Entries != 1 || report.Lines != 6 {
			t.Fatalf("%+v, %v", report, err)
		}
		if err := merge.Into(t.Context(), all, open(t, bytesOf(t, b)), merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	got := write(t, bytesOf(t, all))
	for _, want := range []string{"method a\n  profile\n    @0 Count calls 4\n",
		"method b\n  profile\n    @0 Count calls 2\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestReportsCount(t *testing.T) {
	for name, data := range specimens(t) {
		h := open(t, data).Header()
		var text bytes.Buffer
		written, err := Write(&text, open(t, data))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(text.Bytes(), []byte("\n"))
		_, read, err := Read(&text, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*codec.Report{written, &read.Report} {
			if uint64(r.Methods) != h.Counts.Methods || uint64(r.Entries) != h.Counts.Entries {
				t.Errorf("%s: report %+v, header %+v", name, r, h.Counts)
			}
		}
		if uint64(read.Profiles) != h.Counts.Profiles || read.Domain != h.Domain || read.Lines != lines {
			t.Errorf("%s: report %+v, header %+v, %d lines", name, read, h.Counts, lines)
		}
	}
}

func TestLinesOfAnyLength(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	p := b.Profile(layout.Key{Name: strings.Repeat("n", 3*(1<<16))}, 0)
	p.Counters(0, make([]uint64, 5*(1<<16))...)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	checkExact(t, bytesOf(t, b))
}

func TestTextComesInAnyPieces(t *testing.T) {
	for name, data := range specimens(t) {
		b, _, err := Read(iotest.OneByteReader(strings.NewReader(goldenText(t, name))), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, b), data) {
			t.Errorf("%s: another archive", name)
		}
	}
}

// pieces notes the size of the largest write.
type pieces struct{ n, largest int }

func (p *pieces) Write(b []byte) (int, error) {
	p.n += len(b)
	p.largest = max(p.largest, len(b))
	return len(b), nil
}

func TestTextIsWrittenInPieces(t *testing.T) {
	var p pieces
	if _, err := Write(&p, open(t, manyMethods(t, 20000))); err != nil {
		t.Fatal(err)
	}
	if p.n < 20*flushSize || p.largest > 2*flushSize {
		t.Errorf("%d bytes in pieces of up to %d", p.n, p.largest)
	}
}
