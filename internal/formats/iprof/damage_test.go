package iprof

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// TestCutAnywhere: a file that is cut off is refused, at its end, and salvaged
// up to the last whole record; salvaged records come back.
func TestCutAnywhere(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, text := range []string{printers, fibonacci} {
		entries := 0
		for n := range len(text) {
			_, _, err := Read(strings.NewReader(text[:n]), ReadOptions{})
			var e *Error
			ok := errors.As(err, &e)
			if !ok || !errors.Is(err, ErrCut) || e.Offset != int64(n) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			b, report, err := Read(strings.NewReader(text[:n]), ReadOptions{Salvage: true})
			if err != nil {
				if report != nil || n > strings.Index(text, "types") {
					t.Fatalf("cut at %d: %v", n, err)
				}
				continue
			}
			s := report.Salvage
			if s.Offset+s.Left != int64(n) || s.Offset > int64(n) || s.Last == "" || s.Reason.Offset != int64(n) {
				t.Fatalf("cut at %d: %+v", n, s)
			}
			if report.Entries < entries {
				t.Fatalf("cut at %d: %d entries, one byte earlier %d", n, report.Entries, entries)
			}
			entries = report.Entries
			out, _ := write(t, archiveOf(t, b), WriteOptions{})
			if whole := text[:s.Offset]; !strings.HasPrefix(out, whole) {
				t.Fatalf("cut at %d: salvaged\n%s\nof\n%s", n, out, whole)
			}
		}
	}
}

// TestSalvageBeforeDamage: what comes before damage is read, and what comes after it is counted.
func TestSalvageBeforeDamage(t *testing.T) {
	at := strings.Index(fibonacci, `{"ctx":"4669:0`)
	damaged := fibonacci[:at+5] + "}" + fibonacci[at+6:]
	_, report, err := Read(strings.NewReader(damaged), ReadOptions{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	s := report.Salvage
	if report.Entries != 1 || s.Offset != int64(at-1) || s.Left != int64(len(damaged)-at+1) ||
		s.Last != `record 1 of "callCountProfiles"` || !errors.Is(s.Reason, ErrSyntax) {
		t.Errorf("%+v, %+v", report, s)
	}
}

// TestChangedBytes: no change of bytes makes reading panic, and a read file is written as the same JSON.
func TestChangedBytes(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 4000 {
		text := []byte(fibonacci)
		for range 1 + random.IntN(3) {
			text[random.IntN(len(text))] = "\"{}[]:,<0123456789-x\\ "[random.IntN(22)]
		}
		if comesBack(t, string(text)) {
			taken++
		}
	}
	if taken < 50 {
		t.Errorf("only %d changed texts were read", taken)
	}
}

// comesBack reads a text if it can be read, and fails unless it is the same again after it was written.
func comesBack(t *testing.T, text string) bool {
	t.Helper()
	b, in, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil {
		return false
	}
	data, _, err := b.Bytes()
	if errors.Is(err, layout.ErrTooLarge) {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	out, report := write(t, data, WriteOptions{})
	if pruned, _ := write(t, data, WriteOptions{Prune: true}); !json.Valid([]byte(pruned)) {
		t.Fatalf("pruned: %s", pruned)
	}
	if len(in.Lost)+len(report.Lost) > 0 || !strings.Contains(out, `"`+in.Version+`"`) {
		return true
	}
	sameJSON(t, out, text)
	again, _ := read(t, out, ReadOptions{})
	if !bytes.Equal(again, data) {
		t.Fatalf("another archive: %s", text)
	}
	return true
}

// TestSmallReads: how a reader cuts a text into pieces makes no difference.
func TestSmallReads(t *testing.T) {
	want, _ := read(t, fibonacci, ReadOptions{})
	for name, r := range map[string]func(text string) (*builder.Builder, *Report, error){
		"bytes": func(text string) (*builder.Builder, *Report, error) {
			return Read(iotest.OneByteReader(strings.NewReader(text)), ReadOptions{})
		},
		"end with the last bytes": func(text string) (*builder.Builder, *Report, error) {
			return Read(iotest.DataErrReader(strings.NewReader(text)), ReadOptions{})
		},
	} {
		b, _, err := r(fibonacci)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(archiveOf(t, b), want) {
			t.Errorf("%s: another archive", name)
		}
	}
	failure := errors.New("the disk is gone")
	_, _, err := Read(iotest.ErrReader(failure), ReadOptions{Name: "a", Salvage: true})
	if !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
}

// TestLongItems: items are not bounded by the window.
func TestLongItems(t *testing.T) {
	name := strings.Repeat("é", 200_000)
	text := `{"version":"1.0.0","types":[{"id":1,"name":"` + name + `"}],"methods":[],"x":"` + strings.Repeat("y", 1<<20) +
		`","callCountProfiles":[{"ctx":"1:0` +
		strings.Repeat("<1:1", 50_000) + `","records":[1]}],"virtualInvokeProfiles":[{"ctx":"1:1","records":[1,1` +
		strings.Repeat(",1,1", 100_000) + `]}]}`
	data, report := read(t, text, ReadOptions{})
	if out, _ := write(t, data, WriteOptions{}); out != text || len(report.Lost) > 0 {
		t.Errorf("another text; lost %v", report.Lost)
	}
	deep := `{"version":"1.0.0","types":[],"methods":[],"callCountProfiles":[{"ctx":"1:0` +
		strings.Repeat("<1:1", disk.MaxDepth+1) + `","records":[1]}]}`
	if _, report = read(t, deep, ReadOptions{}); report.Lost.Count(LossOdd) != 1 {
		t.Errorf("a context that is too deep: %+v", report)
	}
}

// FuzzRead: no text makes Read panic, and a text that is read comes back.
func FuzzRead(f *testing.F) {
	for _, c := range strangeThings {
		f.Add(c.text)
	}
	f.Add(printers)
	f.Add(fibonacci)
	f.Add(`{"version":"0.2.0","types":[{"id":1,"typeName":"A"}],"methods":[],"hotnessPoints":[{"methodBciList":"3:0,3:5","records":[4]}],"monitorsProfile":{"records":[1,2]}}`)
	f.Add(`{"version":"1.1.0","types":[{"id":1,"name":"A","x":{}}],"methods":[{"id":3,"name":"\ud800","signature":[1,2]}],"instanceofProfiles":[{"ctx":"3:-1<4:2","records":[1,1]}],"x":[1.5e3,null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		comesBack(t, text)
		if b, _, err := Read(strings.NewReader(text), ReadOptions{Salvage: true, Unordered: true}); err == nil {
			if _, _, err := b.Bytes(); err != nil && !errors.Is(err, layout.ErrTooLarge) {
				t.Fatal(err)
			}
		}
	})
}
