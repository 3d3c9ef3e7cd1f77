package live

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
)

// A run is a program with class loaders of one name. Each is given by the classes
// that it loads, "Name" or "Name:code".
type loaderRun [][]string

// identities names the loaders of a run. Classes that are the same have the same code.
func (r loaderRun) identities() []string {
	code := map[uint64]uint64{}
	var loaders []*classLoader
	for _, classes := range r {
		l := &classLoader{name: "Own"}
		for _, c := range classes {
			name, version, _ := strings.Cut(c, ":")
			klass := uint64(len(code) + 1)
			code[klass] = uint64(len(version)) + 7
			l.classes = append(l.classes, loadedClass{name, klass})
		}
		loaders = append(loaders, l)
	}
	nameByContent(loaders, func(klass uint64) (uint64, bool) { return code[klass], true })
	var all []string
	for _, l := range loaders {
		all = append(all, l.identity)
	}
	return all
}

// A loader has the same identity in runs that load more classes, have more loaders, or have them in another
// order. Loaders that nothing tells apart share their name.
func TestLoadersAreNamedByContent(t *testing.T) {
	libraries := []string{"L1", "L2", "L3", "L4"}
	app := func(own ...string) []string { return append(libraries[:len(libraries):len(libraries)], own...) }
	for _, c := range []struct {
		what string
		a, b loaderRun
		same [][2]int // loaders of a and b
		sure bool
	}{
		{"another order", loaderRun{{"Work:1"}, {"Work:22"}}, loaderRun{{"Work:22"}, {"Work:1"}},
			[][2]int{{0, 1}, {1, 0}}, true},
		{"a few classes more", loaderRun{{"A", "Work:1"}, {"A", "Work:22"}},
			loaderRun{{"A", "Work:1", "B"}, {"A", "Work:22", "C", "D"}}, [][2]int{{0, 0}, {1, 1}}, true},
		{"one more loader", loaderRun{{"App", "A"}}, loaderRun{{"Other", "B"}, {"App", "A"}}, [][2]int{{0, 1}}, true},
		{"a version of it", loaderRun{{"Work:1"}}, loaderRun{{"Work:22"}, {"Work:1"}}, [][2]int{{0, 1}}, true},
		{"the same libraries", loaderRun{app("Shop"), app("Bank")}, loaderRun{app("Bank", "B2"), app("Shop")},
			[][2]int{{0, 1}, {1, 0}}, true},
		{"the same content", loaderRun{{"A", "B"}, {"A", "B"}}, loaderRun{{"A", "B"}, {"A", "B"}},
			[][2]int{{0, 0}, {1, 1}}, false},
		{"hardly anything of its own", loaderRun{append(app(), strings.Fields("5 6 7 8 9 10 11 X")...),
			append(app(), strings.Fields("5 6 7 8 9 10 11")...)}, loaderRun{app(), app()}, [][2]int{{0, 0}, {1, 1}}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			a, b := c.a.identities(), c.b.identities()
			for _, pair := range c.same {
				if a[pair[0]] != b[pair[1]] || (a[pair[0]] != "Own") != c.sure || disk.LoaderName(a[pair[0]]) != "Own" {
					t.Errorf("%s: %v and %v", c.what, a, b)
				}
			}
			seen := map[string]bool{}
			for _, identity := range b {
				if c.sure && seen[identity] {
					t.Errorf("%s: two loaders are %s", c.what, identity)
				}
				seen[identity] = true
			}
		})
	}
}

// Many loaders with one class take no longer than few: their code is compared
// once, and no more of it than a limit.
func TestManyLoaders(t *testing.T) {
	var loaders []*classLoader
	for i := range 20 * maxCompared {
		loaders = append(loaders, &classLoader{name: "Own",
			classes: []loadedClass{{"Same", uint64(2*i + 1)}, {fmt.Sprint("Own", i%maxCompared), uint64(2*i + 2)}}})
	}
	asked := 0
	nameByContent(loaders, func(uint64) (uint64, bool) { asked++; return 1, true })
	if asked > 2*maxCompared {
		t.Errorf("the code of %d classes was read", asked)
	}
	for _, l := range loaders {
		if l.identity != "Own" {
			t.Fatalf("%s: what others have tells it apart", l.identity)
		}
	}
}
