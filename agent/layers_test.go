package agent_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// reduced writes a part of an archive.
func reduced(t testing.TB, path string, o reduce.Options) string {
	t.Helper()
	b, _, err := reduce.Archive(t.Context(), open(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(t.TempDir(), "part.parc")
	if _, err := b.Commit(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	return part
}

// isEarly reports whether a method belongs to the first half of its class.
func isEarly(k layout.Key) bool { return k.Name < "check" }

// Two layers of Adopted: the base has all methods, the layer isEarly ones with other counts.
type adoptedLayers struct{ home, classes, layer, base string }

func TestLayers(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		l := &adoptedLayers{home: home, classes: testjvm.Compile(t, home, "testdata/Adopted.java")}
		l.base = train(t, home, l.classes, 20000)
		l.layer = reduced(t, train(t, home, l.classes, 10000), reduce.Options{Methods: isEarly, Base: open(t, l.base)})
		t.Run("adopted", l.testAdopted)
		t.Run("counted once", l.testCountedOnce)
		t.Run("without the base", l.testWithoutBase)
	})
}

// A method has the layer's profile, or else the base's, and the receivers of
// either are bound.
func (l *adoptedLayers) testAdopted(t *testing.T) {
	want := archived("none").profiles(t, open(t, l.base), "Adopted$Work")
	top := archived("none").profiles(t, open(t, l.layer), "Adopted$Work")
	if len(want) != 9 || len(top) < 3 || len(top) > 6 {
		t.Fatalf("the base has %d methods, the layer %d", len(want), len(top))
	}
	maps.Copy(want, top)
	live, r := l.load(t, ",base="+l.base+",drift")
	if diff := cmp.Diff(want, adopted("none").profiles(t, open(t, live), "Adopted$Work")); diff != "" {
		t.Errorf("the VM has not what the layers have:\n%s", diff)
	}
	for name, want := range map[string]int{"profiles_in_archive": profiles(open(t, l.layer)),
		"profiles_in_base": profiles(open(t, l.base))} {
		if r.count(name) != want {
			t.Errorf("%s is %d, want %d", name, r.count(name), want)
		}
	}
	for _, name := range []string{"methods_refused_other_code", "methods_refused_other_layout", "methods_refused_damaged",
		"receivers_gone"} {
		if r.count(name) != 0 {
			t.Errorf("%s is %d", name, r.count(name))
		}
	}
	if compared := r["drift"].(map[string]any)["methods_compared"].(float64); compared < 9 {
		t.Errorf("%v methods are compared with what was archived", compared)
	}
}

// load adopts the layer, and returns what the VM has then, and the report.
func (l *adoptedLayers) load(t *testing.T, options string) (live string, r report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	j := startJVM(t, l.home, agentFlag(t, l.layer, options+",report="+file), "-cp", l.classes, "Adopted", "load")
	j.Await("ready")
	j.Send("more")
	j.Await("loaded")
	live = dumpAll(t, j)
	if _, errs := j.End(); errs != "" {
		t.Errorf("stderr: %s", errs)
	}
	return live, readReport(t, file)
}

func profiles(s *reader.Store) int { return int(s.Header().Counts.Profiles) }

// adopts returns how many methods adopt from an archive, and what the agent says. The program ends at once: the
// classes that the VM starts with are taken up before it begins, as where profiles of a cache are replaced.
func (l *adoptedLayers) adopts(t *testing.T, archive, options string) (r report, errs string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	_, errs = startJVM(t, l.home, agentFlag(t, archive, options+",cached=replace,report="+file), "-cp", l.classes,
		"Adopted", "load").End()
	return readReport(t, file), errs
}

// A method that the layer answers for is not looked up in the base, whatever became of it.
func (l *adoptedLayers) testCountedOnce(t *testing.T) {
	whole, _ := l.adopts(t, l.base, ",dry")
	both, _ := l.adopts(t, l.layer, ",dry,base="+l.base)
	own, shared := l.methods(t)
	// Which methods of the JDK the VM has started before the agent differs a little.
	if n, most := both.count("methods_adopted"), whole.count("methods_adopted")+own+shared/2; n < 9 || n > most {
		t.Errorf("%d methods would adopt from both, of which %d are the layer's own and it shares %d, from the base alone %d",
			n, own, shared, whole.count("methods_adopted"))
	}
}

// methods returns how many methods of the layer the base lacks, and how many it has.
func (l *adoptedLayers) methods(t *testing.T) (own, shared int) {
	t.Helper()
	base := open(t, l.base)
	eachProfile(t, open(t, l.layer), func(k layout.Key, p reader.Profile) {
		if _, err := base.Profile(k, p.Code()); err == nil {
			shared++
		} else {
			own++
		}
	})
	return own, shared
}

// Without its own base a layer is adopted alone, and one line says why, unless that is meant.
func (l *adoptedLayers) testWithoutBase(t *testing.T) {
	part := reduced(t, l.base, reduce.Options{Methods: isEarly})
	for options, want := range map[string]string{
		"":                    ": the archive is a layer on another one, which is not given\n",
		",base=":              "",
		",base=" + part:       " " + part + ": the archive is a layer on another one than that which is given\n",
		",base=missing":       " missing: the file can't be opened\n",
		",base=missing,quiet": "",
	} {
		r, errs := l.adopts(t, l.layer, options)
		if want != "" {
			want = "profarc: only the archive is adopted, without what it left to its base" + want
		}
		if errs != want {
			t.Errorf("options %q: stderr is %q, want %q", options, errs, want)
		}
		if r.count("methods_adopted") < 3 || r.count("profiles_in_base") != -1 {
			t.Errorf("options %q: %v", options, r)
		}
	}
}

// Methods that were left to the base are asked for in the order of the layer's training.
func TestRequestsOfLayers(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		archive, classes := trainOrdered(t, home)
		isEven := func(k layout.Key) bool {
			return k.Class == "Ordered$Work" && strings.Contains("bdf", k.Name)
		}
		base := reduced(t, archive, reduce.Options{Methods: isEven})
		layer := reduced(t, archive, reduce.Options{Base: open(t, base)})
		if has := names(t, layer); has != "ace" {
			t.Fatalf("the layer has %s", has)
		}
		const want = "abcdef"
		o := runOrdered(t, home, layer, classes, ",base="+base+",budget=100,policy=order", len(want))
		if o.before != "" || o.after != want {
			t.Errorf("C2 compiled %q before the class was initialised and %q after, want %q", o.before, o.after, want)
		}
	})
}

// names returns the names of the methods of Ordered.Work that an archive has profiles of.
func names(t *testing.T, path string) string {
	t.Helper()
	list := ""
	eachProfile(t, open(t, path), func(k layout.Key, _ reader.Profile) {
		if k.Class == "Ordered$Work" {
			list += k.Name
		}
	})
	return sorted(list)
}
