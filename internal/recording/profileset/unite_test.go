package profileset

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/layout"
)

// TestTablesOfTwoRuns records rows of two runs in a table of words, and prepares the set for writing.
func TestTablesOfTwoRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		kind          disk.TableKind
		first, second []uint64
		want          []uint64
	}{
		{"equal rows become one", 99, []uint64{7, 2}, []uint64{1, 2, 7, 2}, []uint64{1, 2, 7, 2}},
		{"counts of equal rows are summed", disk.TableHeapRefs, []uint64{5, 3}, []uint64{1, 2}, []uint64{6, 5}},
		{"equal traces are kept", disk.TableTraces, []uint64{0, 1, 8}, []uint64{0, 1, 8}, []uint64{0, 1, 8, 1, 1, 8}},
		{"groups are renumbered", disk.TableTraces, []uint64{0, 1, 9, 0, 1, 8}, []uint64{0, 1, 4},
			[]uint64{0, 1, 4, 1, 1, 9, 1, 1, 8}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, runs := range [][2][]uint64{{test.first, test.second}, {test.second, test.first}} {
				b := New(layout.DomainLLVMIR, Heading{}, spill.Config{})
				columns := disk.TableColumns(test.kind)
				if columns == nil {
					columns = []disk.ColumnKind{disk.ColumnWord, disk.ColumnWord}
				}
				for _, cells := range runs {
					b.NextRun(RunRules{})
					for row := range slices.Chunk(cells, len(columns)) {
						b.Table(test.kind, 0, columns...).Row(row...)
					}
				}
				if err := b.Prepare(); err != nil {
					t.Fatal(err)
				}
				if got := b.Tables[test.kind].Cells; !slices.Equal(got, test.want) {
					t.Errorf("%d, want %d", got, test.want)
				}
			}
		})
	}
}
