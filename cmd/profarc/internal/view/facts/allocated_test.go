package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// heapRow is a row of a memory profile: bytes that a function allocated one by one, with a stack.
type heapRow struct {
	function uint64
	bytes    uint64
	frames   []disk.HeapFrame
}

func allocated(t *testing.T, rows ...heapRow) *AllocationReport {
	t.Helper()
	b := builder.New(layout.DomainLLVMIR, builder.Config{Params: layout.Params{LLVMVersion: 12, LLVMVariant: 2}})
	for _, r := range rows {
		var symbol []byte
		for _, f := range r.frames {
			symbol = disk.AppendHeapFrame(symbol, f)
		}
		cells := make([]uint64, disk.AllocationFields+len(disk.HeapFields))
		cells[disk.AllocationFunction] = r.function
		if len(r.frames) > 0 {
			cells[disk.AllocationStack] = uint64(b.Internal().Symbol(string(symbol)))
		}
		cells[disk.AllocationFields+disk.HeapAllocations] = r.bytes
		cells[disk.AllocationFields+disk.HeapBytes] = r.bytes
		b.Internal().Table(disk.TableAllocations, 0).Row(cells...)
	}
	r, err := MostAllocated(t.Context(), memstore.Open(t, b), analyze.RankOptions{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAllocationsCountOnce: a stack counts once, though all functions that are inlined in it have a row of it.
func TestAllocationsCountOnce(t *testing.T) {
	in := func(function uint64) disk.HeapFrame { return disk.HeapFrame{Function: function, Inline: true} }
	out := func(function uint64) disk.HeapFrame { return disk.HeapFrame{Function: function} }
	inlined := []disk.HeapFrame{in(1), in(2), out(3), out(4)}
	recursive := []disk.HeapFrame{in(1), in(1), out(2)}
	type counts map[string]StackCounts
	for _, c := range []struct {
		what   string
		rows   []heapRow
		stacks int
		total  uint64
		want   counts
	}{
		{"an inlined function", []heapRow{{3, 10, inlined}, {2, 10, inlined}, {1, 10, inlined}}, 1, 10,
			counts{"1": {Self: 10, Total: 10}, "2": {Total: 10}, "3": {Total: 10}, "4": {Total: 10}}},
		{"the innermost has no row", []heapRow{{3, 10, inlined}, {2, 10, inlined}, {3, 5, inlined}}, 1, 15,
			counts{"1": {Self: 15, Total: 15}, "2": {Total: 15}, "3": {Total: 15}, "4": {Total: 15}}},
		{"inlined into itself", []heapRow{{1, 8, recursive}, {1, 8, recursive}, {2, 8, recursive}}, 1, 8,
			counts{"1": {Self: 8, Total: 8}, "2": {Total: 8}}},
		{"recursive", []heapRow{{1, 8, []disk.HeapFrame{out(1), out(2), out(1)}}}, 1, 8,
			counts{"1": {Self: 8, Total: 8}, "2": {Total: 8}}},
		{"without frames", []heapRow{{7, 3, nil}}, 1, 3, counts{"7": {Self: 3, Total: 3}}},
		{"saturated", []heapRow{{1, ^uint64(0), []disk.HeapFrame{out(1)}}, {2, 2, []disk.HeapFrame{out(2)}}}, 2,
			^uint64(0), counts{"1": {Self: ^uint64(0), Total: ^uint64(0)}, "2": {Self: 2, Total: 2}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, got := allocated(t, c.rows...), counts{}
			for _, m := range r.Methods {
				got[m.Method[15:]] = StackCounts{Self: m.Self, Total: m.Total}
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(StackCounts{})); diff != "" || r.Stacks != c.stacks ||
				r.Total != c.total || r.Allocations != c.total {
				t.Errorf("%s: %d stacks, %d B in %d allocations:\n%s", c.what, r.Stacks, r.Total, r.Allocations, diff)
			}
		})
	}
}
