package live

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/procfs"
)

// adoptedList places the list of an agent that wrote to a MethodData of methodData, and returns its address.
func (w *memoryWriter) adoptedList(method, data, receiver uint64) uint64 {
	entries := data + syntheticOffset("MethodData::_data[0]")
	const branch, call, extra = 16, 48, 104
	rows := []adoptedCell{
		{method, 0, 0, adoptedMethod},
		{method, data, 5, adoptedProfile},
		{entries, 0x0100, 0, adoptedBits},
		{entries + 8, 0, 70, adoptedCount},
		{entries + branch + 8, 0, 3, adoptedCount},
		{entries + branch + 24, 0, 1, adoptedCount}, // more than it has
		{entries + call + 16, receiver, 9, adoptedRow},
		{entries + call + 24, 0, 0, adoptedStruck},
		{entries + call + 8, 0, 0, adoptedCheck},
		{entries + extra, 1, 0, adoptedBits},
		{data + syntheticOffset("MethodData::_compiler_counters._trap_hist._array[0]"), 0, 1, adoptedByte},
		{data + 1, 0, 0, adoptedWord},
		{method, 0, 0, adoptedEnd},
		{entries + branch + 8, 0, 2, adoptedCount}, // later: in its place
	}
	b, _ := binary.Append(nil, le, rows)
	chunk := w.put(b)
	table := adoptedTable{Magic: adoptedMagic, Version: adoptedVersion, RowSize: uint32(binary.Size(adoptedCell{})),
		Chunk: 64, MostChunks: 2, N: uint64(len(rows)), Archive: [16]byte{1}}
	b, _ = binary.Append(nil, le, table)
	return w.put(le.AppendUint64(le.AppendUint64(b, chunk), 0))
}

// countsOf returns the counts of the profiles of an image, by method.
func countsOf(t *testing.T, i target, o Options) (map[string]string, *Report) {
	t.Helper()
	vm, err := attachTarget(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := vm.Dump(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Describe(t.Context(), b, &Contents{})
	s, err := b.Open("the dump")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[string]string{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			var text string
			for e := range p.Section(disk.SectionData) {
				text += fmt.Sprint(" ", e.Flags())
				for cell := range e.Cells() {
					text += fmt.Sprint(" ", min(e.Cell(cell).Load(), 1000)) // of a type: an address
				}
			}
			all[k.Name] = text
		}
	}
	return all, r
}

const (
	ownCounts   = " 0 7 0 3 0 0 0 0 0 0 0 0"
	asTheyWere  = " 0 77 0 5 0 0 0 0 1000 9 0 0"
	adoptedName = "method2_1"
)

func TestAdoptedCountsAreTakenOff(t *testing.T) {
	i := newImage(syntheticBase, synthetic())
	for _, o := range []Options{{}, {Stop: true}} {
		got, r := countsOf(t, i, o)
		for method, text := range got {
			want := asTheyWere
			if method == adoptedName {
				want = ownCounts
			}
			if text != want {
				t.Errorf("%s has%s, want%s", method, text, want)
			}
		}
		want := Adopted{Archive: [16]byte{1}, Profiles: 1}
		if r.Adopted == nil || *r.Adopted != want || r.Run.Since != want.Archive || len(got) != syntheticMethods {
			t.Errorf("%d methods, %+v, since %x", len(got), r.Adopted, r.Run.Since)
		}
	}
	got, r := countsOf(t, i, Options{KeepAdopted: true})
	if got[adoptedName] != asTheyWere || !r.Adopted.Kept || r.Run.Since != [16]byte{} {
		t.Errorf("%v, %+v", got, r)
	}
}

// A process may be stopped after any row of the list.
func TestListsThatEndAnywhere(t *testing.T) {
	memory := synthetic()
	whole := newImage(syntheticBase, memory)
	table := syntheticTable(t, whole)
	const rows, ended = 14, 13
	for n := range uint64(rows + 1) {
		got, r := countsOf(t, whole.with([]patch{{table + 24, le.AppendUint64(nil, n)}}), Options{Stop: true})
		want := ownCounts
		switch {
		case n == 0:
			want = asTheyWere
		case n < ended:
			want = ""
		case n == ended: // the last row replaces another
			want = " 0 7 0 2 0 0 0 0 0 0 0 0"
		}
		countsOf(t, whole.with([]patch{{table + 24, le.AppendUint64(nil, n)}}), Options{KeepAdopted: true})
		if got[adoptedName] != want || (want == "") != (len(r.Refused) == 1 && r.Refused[0].Why == RefusedAdopting) {
			t.Errorf("with %d rows it has%s, want%s; refused: %v", n, got[adoptedName], want, r.Refused)
		}
	}
}

// syntheticTable returns where the list of the agent begins in an image.
func syntheticTable(t *testing.T, i *image) uint64 {
	t.Helper()
	l, err := openLibrary(newPageCache(i, newMeter(t.Context(), i.heldBytes())), i.base)
	if err != nil {
		t.Fatal(err)
	}
	at, ok := l.findSymbol(adoptedSymbol)
	if !ok {
		t.Fatal("no list")
	}
	return at
}

// withAgent is an image with another library.
type withAgent struct {
	*image
	path string
}

func (a withAgent) mappings(ctx context.Context) iter.Seq2[procfs.Mapping, error] {
	return func(yield func(procfs.Mapping, error) bool) {
		for m, err := range a.image.mappings(ctx) {
			if !yield(m, err) {
				return
			}
		}
		yield(procfs.Mapping{Start: a.base, Path: a.path}, nil)
	}
}

// bytesAt returns the memory from an address to the end of its pages.
func (i *image) bytesAt(addr uint64) (b []byte) {
	for page := addr / pageSize * pageSize; i.pageTable[page] != nil; page += pageSize {
		b = append(b, i.pageTable[page]...)
	}
	return b[addr%pageSize:]
}

// Nothing is dumped as the JVM's own if its share is not known.
func TestAgentsThatDoNotTell(t *testing.T) {
	whole := newImage(syntheticBase, synthetic())
	table := syntheticTable(t, whole)
	l, err := openLibrary(newPageCache(whole, newMeter(t.Context(), whole.heldBytes())), whole.base)
	if err != nil {
		t.Fatal(err)
	}
	names := l.dynamic[elf.DT_STRTAB]
	text := whole.bytesAt(names)
	unnamed := whole.with([]patch{{names + uint64(bytes.Index(text, []byte(adoptedSymbol))), []byte("former")}})
	for name, i := range map[string]target{
		"of another version": whole.with([]patch{{table + 8, []byte{2}}}),
		"that is cut short":  whole.with([]patch{{table + 64, le.AppendUint64(nil, 1<<40)}}),
		"that is no list":    whole.with([]patch{{table, le.AppendUint64(nil, 0)}}),
		"that has no name":   withAgent{unnamed, "/x/libprofarc-agent.so"},
	} {
		vm, err := attachTarget(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := vm.Dump(t.Context(), Options{Stop: true}); !errors.Is(err, ErrAdopted) {
			t.Errorf("with a list %s: %v", name, err)
		}
		if _, _, err := vm.Dump(t.Context(), Options{KeepAdopted: true}); err != nil {
			t.Errorf("with a list %s, kept: %v", name, err)
		}
	}
}
