package builder_test

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// TestBranchOfAnyVM checks that a branch of the custom domain can be read and printed as a branch, at a point that is
// no bytecode index. Successors with targets are not printed as a branch.
func TestBranchOfAnyVM(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainCustom)
	p := b.Profile(layout.Key{Name: "f"}, 1)
	p.Branch(builder.At{Bci: 70_000}, builder.Branch{Taken: 9, NotTaken: 3})
	p.Successors(70_001, layout.SubConditional, builder.Successor{Point: 20, Index: 0},
		builder.Successor{Point: 30, Index: 1})
	testarchive.MustDone(t, p)
	s := testarchive.Build(t, b)
	f, err := s.Profile(layout.Key{Name: "f"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := f.At(70_000)
	if got, ok := e.Branch(); !ok || got.Taken.Load() != 9 || got.NotTaken.Load() != 3 || got.Displacement != 0 {
		t.Errorf("a branch: %v, %v", got, ok)
	}
	if e.Tag() != layout.TagSuccessors || e.Sub() != layout.SubConditional || e.Cells() != 4 {
		t.Errorf("it is stored as %s with %d cells", e.Tag(), e.Cells())
	}
	if e, _ := f.At(70_001); e.Tag() != layout.TagSuccessors {
		t.Error("no entry with targets")
	} else if got, ok := e.Branch(); ok {
		t.Errorf("successors with targets are a branch: %v", got)
	}
	points, err := new(analyze.PointReader).Points(f)
	if err != nil || len(points) != 2 {
		t.Fatal(points, err)
	}
	ways := points[0].Outcomes
	if len(ways) != 2 || ways[0].Kind != analyze.Taken || ways[0].Share != 0.75 || ways[1].Kind != analyze.NotTaken {
		t.Errorf("a branch is shown as %+v", ways)
	}
	if ways := points[1].Outcomes; len(ways) != 2 || ways[0].Kind != analyze.To || *ways[0].Target != 20 {
		t.Errorf("successors are shown as %+v", ways)
	}
}

// TestBranchOfAnyVMHasCountsAlone checks that fields which the entry cannot hold are refused.
func TestBranchOfAnyVMHasCountsAlone(t *testing.T) {
	t.Parallel()
	for what, record := range map[string]func(p *builder.Profile){
		"flags":          func(p *builder.Profile) { p.Branch(builder.At{Flags: layout.EntryNullSeen}, builder.Branch{}) },
		"traps":          func(p *builder.Profile) { p.Branch(builder.At{Traps: 3}, builder.Branch{}) },
		"a section":      func(p *builder.Profile) { p.Branch(builder.At{In: disk.SectionExtra}, builder.Branch{}) },
		"a displacement": func(p *builder.Profile) { p.Branch(builder.At{}, builder.Branch{Displacement: 8}) },
	} {
		t.Run(what, func(t *testing.T) {
			p := testarchive.New(layout.DomainCustom).Profile(layout.Key{Name: "f"}, 1)
			record(p)
			if err := p.Done(); !errors.Is(err, profileset.ErrDomain) {
				t.Errorf("a branch with %s: %v", what, err)
			}
		})
	}
}
