package reduce_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// What was compiled, and what was inlined into it, stays with the method that was
// compiled, and the inlined methods stay without profiles.
func TestCompilationsStayWithTheirMethods(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	leaf := b.Method(layout.Key{Class: "A", Name: "leaf"})
	middle := b.Method(layout.Key{Class: "A", Name: "middle"})
	for name, calls := range map[string]uint64{"hot": 1000, "cold": 1} {
		m := b.Method(layout.Key{Class: "A", Name: name})
		p := b.ProfileIn(m, 1, profileset.NoContext)
		p.Invocations(calls)
		testarchive.MustDone(t, p)
		b.Internal().Table(disk.TableCompilations, 0).Row(uint64(m), 4, ^uint64(0), 1, calls, 64, 1, 1)
		inlined := b.Context(leaf, builder.Frame{Caller: middle, Point: 2}, builder.Frame{Caller: m, Point: 5})
		b.Internal().Table(disk.TableInlining, 0).Row(uint64(inlined), 4, 1)
	}
	s, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Hot: layout.WeightOne / 2})
	compilations, err := s.Table(disk.TableCompilations)
	if err != nil || compilations.Rows != 1 || compilations.Cell(4, 0) != 1000 {
		t.Fatalf("%d compilations, %v", compilations.Rows, err)
	}
	inlining, err := s.Table(disk.TableInlining)
	if err != nil || inlining.Rows != 1 {
		t.Fatalf("%d inlined calls, %v", inlining.Rows, err)
	}
	context, err := s.ContextAt(layout.Ref(inlining.Cell(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	frames, err := context.Frames()
	if err != nil || len(frames) != 2 {
		t.Fatalf("frames %v, %v", frames, err)
	}
	if name, err := frames[1].Caller.Name(); err != nil || name.String() != "hot" {
		t.Errorf("a call that was inlined into %s, %v", name, err)
	}
	if _, err := s.Find(layout.Key{Class: "A", Name: "cold"}); err == nil {
		t.Error("a cold method stays")
	}
}
