package pages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// ifHalf is where Till.sum tests its second parameter.
const ifHalf = 25

// TestSideBySideHasTheCode compares two profiles of a method whose classes and sources are given.
func TestSideBySideHasTheCode(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	sum := layout.Key{Class: "Till", Name: "sum", Signature: "([IZ)I", Loader: "app"}
	folder, classes, id := compiledTill(t, sum)
	o := Options{ClassPath: []string{classes}, SourcePath: []string{folder}}
	for i, taken := range []uint64{30, 70} {
		b := builder.New(layout.DomainHotSpot, builder.Config{})
		p := b.Profile(sum, id)
		p.Branch(builder.At{Bci: ifHalf}, builder.Branch{Taken: taken, Displacement: 48, NotTaken: 100 - taken})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		if s := memstore.Open(t, b); i == 0 {
			o.Archive = s
		} else {
			o.Other = s
		}
	}
	site := NewSite(t.Context(), o)
	t.Cleanup(site.Close)
	m, err := site.Archive.Find(sum)
	if err != nil {
		t.Fatal(err)
	}
	text := shown(t, requestOf(t, site, nameOfPair, "a", recordRefText(m.Ref()), "b", recordRefText(m.Ref())))
	at := recordRefText(m.Ref())
	for _, want := range []string{"<code>ifeq ", "<code>if (half)</code>", "line 5", "ifeq jumps to 34",
		fmt.Sprintf(`href="method?at=%s#point-%d"`, at, ifHalf),
		fmt.Sprintf(`href="method?archive=b&amp;at=%s#point-%d"`, at, ifHalf)} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s:\n%s", want, text)
		}
	}
}

// TestTypesOfBothArchivesAreInOneOrder has a call that saw mostly squares in A, and in B
// circles and triangles alone.
func TestTypesOfBothArchivesAreInOneOrder(t *testing.T) {
	t.Parallel()
	saw := func(counts ...any) *point {
		p := &point{}
		for i := 0; i < len(counts); i += 2 {
			n := uint64(counts[i+1].(int))
			name := counts[i].(string)
			p.Outcomes = append(p.Outcomes, outcome{What: link{Text: name}, Count: n, ranked: name != "other types"})
			p.Count += n
		}
		return p
	}
	a, b := saw("Square", 60, "Circle", 40, "other types", 500), saw("Circle", 90, "Triangle", 10)
	p := newPointPair(a, b)
	text := func(p *point) (list []string) {
		for _, o := range p.Outcomes {
			list = append(list, fmt.Sprint(o.What.Text, " ", o.Count))
		}
		return list
	}
	if diff := cmp.Diff([]string{"Circle 40", "Square 60", "Triangle 0", "other types 500"}, text(p.A)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Circle 90", "Square 0", "Triangle 10"}, text(p.B)); diff != "" {
		t.Error(diff)
	}
}
