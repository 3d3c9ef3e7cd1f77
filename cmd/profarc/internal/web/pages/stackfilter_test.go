package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/stacks"
)

// namedStack is a sampled stack, by the names that the page knows its frames by.
type namedStack struct {
	names []string
	count uint64
}

// stacksOfSamples returns the sampled stacks of a site.
func stacksOfSamples(t *testing.T, site *Site) (list []namedStack) {
	b := newFlameGraph(requestOf(t, site, nameOfFlame), nil, flame.Root, nil)
	unit := usualUnit(t, site)
	for stack, err := range stacks.Sampled(site.Archive) {
		if err := cmp.Or(err, *b.request.damage); err != nil {
			t.Fatal(err)
		}
		s := namedStack{count: unit.Choose(stack.Count, stack.Time)}
		for _, f := range stack.Frames {
			s.names = append(s.names, b.nameOfFrame(frameOfMethod(f.Method)).full)
		}
		list = append(list, s)
	}
	return list
}

func usualUnit(t *testing.T, site *Site) facts.SampleUnit {
	unit, err := facts.UnitOfSamples(site.Archive)
	if err != nil {
		t.Fatal(err)
	}
	return unit
}

var dotted = strings.NewReplacer("::", ".", "/", ".", "$", ".", ", ", ",")

// through reports whether a stack goes through a method whose name has a text.
func (s *namedStack) through(text string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool {
		return strings.Contains(dotted.Replace(strings.ToLower(name)), dotted.Replace(strings.ToLower(text)))
	})
}

// Focus and ignore leave the stacks that a walk over all stacks leaves.
func TestFiltersLeaveTheStacksThatPass(t *testing.T) {
	t.Parallel()
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		all := stacksOfSamples(t, site)
		texts := []string{"", "a", "no method has this"}
		for _, s := range all {
			texts = append(texts, s.names[0], strings.ToUpper(s.names[0]), strings.ReplaceAll(s.names[len(s.names)-1], ".", "/"))
		}
		texts = texts[:min(len(texts), 12)]
		for _, focus := range texts {
			for _, ignore := range texts {
				want := uint64(0)
				for _, s := range all {
					if (focus == "" || s.through(focus)) && (ignore == "" || !s.through(ignore)) {
						want += s.count
					}
				}
				r := requestOf(t, site, nameOfFlame, "of", "samples", "focus", focus, "ignore", ignore)
				p := built[*flamePage](t, r)
				self := uint64(0)
				for _, row := range p.Methods.Rows {
					self += uint64(row[1].Value)
				}
				if p.Passed != want || p.Total != want || p.Whole != tree.Nodes[flame.Root].Total || self != want {
					t.Errorf("%s, focus %q, ignore %q: %d stacks, total %d of %d, the methods have %d; want %d", name, focus, ignore,
						p.Passed, p.Total, p.Whole, self, want)
				}
			}
		}
	})
}

// The page says what part is left, keeps the filters, and leads to others.
func TestFiltersAreOnThePage(t *testing.T) {
	t.Parallel()
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		at := tree.Nodes[flame.Root].Children[0]
		method := ""
		for _, s := range stacksOfSamples(t, site) {
			method = cmp.Or(method, s.names[0])
		}
		p := built[*flamePage](t, requestOf(t, site, nameOfFlame, "of", "samples", "at", nodeText(at)))
		if len(p.Filters) > 0 && p.Filters[0].query.valueOf(keyOfAround) != "" {
			p.Filters = p.Filters[1:] // callers and callees
		}
		want := 2
		if strings.HasPrefix(name, "hostile") {
			want = 0 // fields and addresses would have unprintable characters
		}
		if len(p.Filters) != want || p.Filtered() {
			t.Errorf("%s: the filters of a node are %+v", name, p.Filters)
		}
		for i, key := range []string{keyOfFocus, keyOfIgnore}[:len(p.Filters)] {
			q := p.Filters[i].query
			r := requestOf(t, site, nameOfFlame)
			r.query = q
			if of := built[*flamePage](t, r); q.valueOf("at") != "" || q.valueOf("of") != "samples" ||
				key == keyOfFocus && of.Passed < tree.Nodes[at].Total ||
				key == keyOfIgnore && of.Passed > of.Whole-tree.Nodes[at].Total {
				t.Errorf("%s: %q leaves %d of %d", name, p.Filters[i].Text, of.Passed, of.Whole)
			}
		}
		p = built[*flamePage](t, requestOf(t, site, nameOfFlame, "of", "samples", "focus", method, "ignore", "x/y", "find",
			"z", "up", "1"))
		if len(p.Filters) != 3 || p.Filters[0].query.valueOf(keyOfFocus) != "" || p.Filters[0].query.valueOf("find") != "z" ||
			p.Filters[1].query.valueOf(keyOfFocus) != "z" || p.Filters[2].query.valueOf(keyOfIgnore) != "z" ||
			p.Filters[1].query.valueOf("find") != "" {
			t.Errorf("%s: the filters are %+v", name, p.Filters)
		}
		asked := newQuery("of", "samples", "focus", method, "find", "z", "frames.page", "2")
		form := searchFormOf(site.viewNamed(nameOfFlame), asked)
		if want := []hiddenValue{{"focus", method}, {"of", "samples"}}; !slices.Equal(form.Kept, want) || form.Text != "z" {
			t.Errorf("%s: the search keeps %v", name, form)
		}
		for _, l := range slices.Concat(p.Zoomed, p.Others[:1], []link{p.Boxes[0].Link}) {
			if l.query.valueOf(keyOfFocus) != method || l.query.valueOf(keyOfIgnore) != "x/y" {
				t.Errorf("%s: %q leads to %v", name, l.Text, l.query)
			}
		}
		body := shownPageOf(t, site, nameOfFlame, newQuery("of", "samples", "focus", method, "ignore", "x/y"))
		passed := percentText(cli.Share(p.Passed, p.Whole))
		for _, want := range []string{fmt.Sprintf("(%s) of %s go through", passed, amountText(p.Whole, p.Unit)),
			"do not go through “x/y”"} {
			if !strings.Contains(body, want) && !strings.HasPrefix(name, "hostile") {
				t.Errorf("%s: the page has no %s: %s", name, want, body[:2000])
			}
		}
		p = built[*flamePage](t, requestOf(t, site, nameOfFlame, "of", "samples", "at", nodeText(at), "focus",
			"no method has this"))
		if p.Total != 0 || p.Passed != 0 || len(p.Methods.Rows) != 0 || len(p.Boxes) != 1 {
			t.Errorf("%s: without stacks %d of %d are shown", name, p.Total, p.Passed)
		}
	})
}

// Every method with a name has links that filter by it: an empty text filters nothing.
func TestNamelessMethodsAreNoFilters(t *testing.T) {
	t.Parallel()
	nameless := 0
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		b := newFlameGraph(requestOf(t, site, nameOfFlame), tree, flame.Root, nil)
		for at := 1; at < len(tree.Nodes); at++ {
			if tree.Nodes[at].Total == 0 {
				continue
			}
			want := 2
			if full := b.nameOfFrame(tree.Nodes[at].Frame).full; full == "" {
				want = 0
				nameless++
			} else if strings.HasPrefix(name, "hostile") {
				want = 0
			}
			if tree.Nodes[at].Frame != noMethod {
				want++ // callers and callees
			}
			if p := built[*flamePage](t, requestOf(t, site, nameOfFlame, "of", "samples", "at",
				nodeText(at))); len(p.Filters) != want {
				t.Errorf("%s: node %d has %d links", name, at, len(p.Filters))
			}
		}
	})
	if nameless == 0 {
		t.Error("all methods have names")
	}
}
