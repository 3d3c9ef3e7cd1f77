package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// releases are the codes of one method in releases in the order of their runs. A lower code is newer, and a release
// without the method has code 0.
var releases = [][]uint64{{9, 8, 7}, {7, 9, 8}, {8, 0, 7}, {7, 8, 0}, {9, 7, 9}}

func producerOf(d layout.Domain) (id [16]byte) {
	if d == layout.DomainCustom {
		id[0] = 1
	}
	return id
}

// releaseOf returns the archive of a run of a release.
func releaseOf(t *testing.T, d layout.Domain, code uint64, day int) *reader.Store {
	at := time.Time{}
	if day > 0 {
		at = time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
	}
	id := [16]byte{byte(day), byte(code), 1}
	b := builder.New(d, builder.Config{ProducerID: producerOf(d), DumpTime: at, DumpID: id})
	names := map[string]uint64{"f": code, "other": 5}
	for _, name := range []string{"f", "other"} {
		if names[name] == 0 {
			continue
		}
		p := b.ProfileIn(b.Method(layout.Key{Name: name}), names[name], profileset.NoContext)
		if d.LLVM() {
			p.Counters(0, 100)
		} else {
			p.Invocations(100)
		}
		testarchive.MustDone(t, p)
	}
	return testarchive.Build(t, b).Store
}

func mergeStores(t *testing.T, in ...*reader.Store) *builder.Builder {
	h := in[0].Header()
	b := builder.New(h.Domain, builder.Config{ProducerID: producerOf(h.Domain), Params: h.Params})
	for _, s := range in {
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestNewestVersionInAnyOrder merges three releases in every order and grouping.
func TestNewestVersionInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, d := range []layout.Domain{layout.DomainLLVMIR, layout.DomainHotSpot, layout.DomainCustom} {
		for _, codes := range releases {
			t.Run(fmt.Sprint(d, codes), func(t *testing.T) {
				var bytes []byte
				for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
					var in []*reader.Store
					for _, i := range order {
						in = append(in, releaseOf(t, d, codes[i], i+1))
					}
					first := testarchive.Build(t, mergeStores(t, in[0], in[1])).Store
					for _, b := range []*builder.Builder{mergeStores(t, in...), mergeStores(t, first, in[2]),
						mergeStores(t, in[2], first)} {
						data, _, err := b.Bytes()
						if err != nil {
							t.Fatal(err)
						}
						if bytes != nil && !slices.Equal(bytes, data) {
							t.Errorf("order %v: other bytes", order)
						}
						bytes = data
						again := mergeStores(t, testarchive.Build(t, b).Store)
						checkNewest(t, again, codes)
					}
				}
			})
		}
	}
}

func checkNewest(t *testing.T, b *builder.Builder, codes []uint64) {
	if _, _, err := merge.KeepNewest(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	want := codes[2]
	if want == 0 {
		want = codes[1]
	}
	m, err := testarchive.Build(t, b).Find(layout.Key{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for p := range m.Profiles() {
		if p.Code() != want {
			t.Errorf("%v: version %d is kept, not %d", codes, p.Code(), want)
		}
	}
}

// TestUnknownOrderOfVersions: archives of the same time, or of none, do not say which version is newest.
func TestUnknownOrderOfVersions(t *testing.T) {
	t.Parallel()
	for _, days := range [][2]int{{1, 1}, {0, 1}, {1, 0}, {0, 0}} {
		b := mergeStores(t, releaseOf(t, layout.DomainCustom, 8, days[0]), releaseOf(t, layout.DomainCustom, 9, days[1]))
		again := mergeStores(t, testarchive.Build(t, b).Store)
		for _, b := range []*builder.Builder{b, again} {
			if _, _, err := merge.KeepNewest(t.Context(), b); !errors.Is(err, merging.ErrVersionOrder) {
				t.Errorf("days %v: %v", days, err)
			}
		}
	}
}
