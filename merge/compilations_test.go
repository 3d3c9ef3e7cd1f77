package merge_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// compiledRun returns a run with code of one method, each level, number, id, size and installed.
func compiledRun(t *testing.T, code ...[5]uint64) testarchive.Archive {
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "A", Name: "m", Signature: "()V"})
	for _, c := range code {
		b.Internal().Table(disk.TableCompilations, 0).Row(uint64(m), c[0], ^uint64(0), c[1], c[2], c[3], 1, c[4])
	}
	callee := b.Method(layout.Key{Class: "A", Name: "inlined", Signature: "()V"})
	b.Internal().Table(disk.TableInlining, 0).Row(uint64(b.Context(callee, builder.Frame{Caller: m, Point: 3})), 4, 1)
	p := b.ProfileIn(m, 1, profileset.NoContext)
	p.Invocations(code[0][2])
	testarchive.MustDone(t, p)
	return testarchive.Build(t, b)
}

// Of the compilations of several runs the lowest id and the highest size stay, and the runs are counted.
func TestCompilationsOfRunsAreUnited(t *testing.T) {
	t.Parallel()
	all := testarchive.Merge(t,
		compiledRun(t, [5]uint64{3, 1, 70, 900, 0}, [5]uint64{4, 1, 100, 500, 0}, [5]uint64{4, 2, 400, 450, 1}),
		compiledRun(t, [5]uint64{4, 1, 90, 480, 1}), compiledRun(t, [5]uint64{4, 1, 0, 501, 1}))
	for kind, want := range map[disk.TableKind][][]uint64{
		disk.TableCompilations: {{3, ^uint64(0), 1, 70, 900, 1, 0}, {4, ^uint64(0), 1, 90, 501, 3, 2},
			{4, ^uint64(0), 2, 400, 450, 1, 1}},
		disk.TableInlining: {{4, 3}},
	} {
		table, err := all.Table(kind)
		if err != nil {
			t.Fatal(err)
		}
		got := [][]uint64{}
		for row := range table.Rows {
			cells := []uint64{}
			for column := 1; column < table.Columns(); column++ {
				cells = append(cells, table.Cell(column, row))
			}
			got = append(got, cells)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %s, want %s", kind, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
}
