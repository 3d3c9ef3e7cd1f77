package merge_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// runOfRelease returns an archive of a JDK with receivers of two of three types, so that merged archives have more
// types than rows.
func runOfRelease(t *testing.T, id byte, release int, unprofiled uint64) testarchive.Archive {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: builder.HotSpotParams(release), DumpID: [16]byte{id}})
	p := b.Profile(layout.Key{Class: "A", Name: "a"}, 0)
	row := func(i byte) builder.Row {
		return builder.Row{Type: b.Type(builder.TypeKey{Name: string("TUV"[(id+i)%3])}), Count: uint64(10*id + i)}
	}
	others := builder.Others{Count: uint64(id), Gap: unprofiled}
	p.VirtualCall(builder.At{Bci: 4}, others, row(0), row(1))
	p.ReceiverType(builder.At{Bci: 9}, others, row(0))
	p.VirtualCallType(builder.At{Bci: 20}, others, []builder.Row{row(0), row(1)},
		builder.CallTypes{Return: &builder.TypeWord{NullSeen: true}})
	testarchive.MustDone(t, p)
	return testarchive.Build(t, b)
}

// sumOfReceivers adds all counts of the receiver entries at a bytecode.
func sumOfReceivers(t *testing.T, a testarchive.Archive, bci int32) (sum uint64) {
	t.Helper()
	for m, err := range a.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			for e := range p.Points(bci) {
				r, ok := e.Receivers()
				if !ok {
					continue
				}
				sum += r.Other().Load()
				if gap, ok := r.Gap(); ok {
					sum += gap.Load()
				}
				for i := range r.Len() {
					if row, ok := r.Row(i); ok {
						sum += row.Count.Load()
					}
				}
			}
		}
	}
	return sum
}

// TestReleasesMergeInAnyOrder checks archives with and without nonprofiled_count: all orders and groupings give the
// same bytes, without that cell and with all of the counts.
func TestReleasesMergeInAnyOrder(t *testing.T) {
	t.Parallel()
	runs := []testarchive.Archive{runOfRelease(t, 1, 17, 7), runOfRelease(t, 2, 25, 0), runOfRelease(t, 3, 21, 0),
		runOfRelease(t, 4, 17, 5)}
	want := testarchive.Merge(t, runs...)
	if gap := want.Header().Params.ReceiverGap; gap != 0 {
		t.Errorf("the merged archive has %d cells before the rows", gap)
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {0, 3, 2, 1}, {2, 0, 1, 3}} {
		mixed := make([]testarchive.Archive, len(order))
		for i, from := range order {
			mixed[i] = runs[from]
		}
		checkSame(t, "another order", want, testarchive.Merge(t, mixed...))
		checkSame(t, "a sum of sums", want, testarchive.Merge(t, testarchive.Merge(t, mixed[:2]...),
			testarchive.Merge(t, mixed[2:]...)))
		checkSame(t, "several goroutines", want, mergeAtOnce(t, mixed...))
	}
	for _, bci := range []int32{4, 9, 20} {
		each := uint64(0)
		for _, run := range runs {
			each += sumOfReceivers(t, run, bci)
		}
		if sum := sumOfReceivers(t, want, bci); sum != each || each == 0 {
			t.Errorf("bytecode %d: the merged archive counts %d, the runs %d", bci, sum, each)
		}
	}
}
