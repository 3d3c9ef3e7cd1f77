package show

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// TestEntriesWithoutAPrinterAreShown prints entries by their schema alone, as
// it prints points of which no more is known.
func TestEntriesWithoutAPrinterAreShown(t *testing.T) {
	t.Parallel()
	var params layout.Params
	params.TypeProfileWidth = 2
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	p.Branch(builder.At{Bci: 1}, builder.Branch{Taken: 5, Displacement: 16, NotTaken: 6})
	p.VirtualCall(builder.At{Bci: 4}, builder.Others{Count: 7},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 8})
	p.Jump(builder.At{Bci: 7}, 9, 16)
	p.Successors(9, layout.SubConditional, builder.Successor{Point: 12, Index: 1, Count: 3})
	p.Count(builder.Count{Point: 11, Sub: layout.SubNativeCalls, N: 2})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	counters := builder.New(layout.DomainLLVMIR, builder.Config{})
	q := counters.Profile(layout.Key{Name: "main"}, 0)
	q.Counters(12, 1, 2, 3)
	if err := q.Done(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"taken 5, not_taken 6",
		"count 7", "type T, count 8", "type none, count 0",
		"taken 9",
		"conditional", "successor 12 (1), count 3",
		"native calls, count 2",
		"counts 1 2 3",
	}
	if diff := cmp.Diff(want, append(printedCells(t, b), printedCells(t, counters)...)); diff != "" {
		t.Error(diff)
	}
}

// printedCells returns the lines that printCells prints of all entries.
func printedCells(t *testing.T, b *builder.Builder) (lines []string) {
	t.Helper()
	s := memstore.Open(t, b)
	var text strings.Builder
	p := &profilePrinter{w: bufio.NewWriter(&text), s: s, screen: &terminal.Screen{}}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for q, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			points := p.sectionPoints(q, disk.SectionData)
			for i := range points {
				p.printCells(&points[i])
			}
		}
	}
	p.w.Flush()
	if p.err != nil {
		t.Fatal(p.err)
	}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
