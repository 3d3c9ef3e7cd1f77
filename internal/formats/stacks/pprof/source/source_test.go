package source_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/reader"
)

const program = `package main

import "example.com/app/shapes"

func main() {
	area(shapes.Square{Side: 2})
	defer done()
	run(func() {
		done()
	})
}

func area(s shapes.Shape) float64 {
	return s.Area()
}

func run(f func()) {
	f()
}

func done() {
	println("done")
}
`

const shapes = `package shapes

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }

func (s Square) Area() float64 { return square(s.Side) }

func square(x float64) float64 {
	return x * x
}

func Total[T Shape](all ...T) (sum float64) {
	for _, s := range all {
		sum += s.Area()
		grow(1)
	}
	return sum
}

func grow(n int) {}

func inAssembly()

func visit(f func()) func() { return func() { grow(2) } }
`

func module(t *testing.T, files map[string]string) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/app\n\ngo 1.24\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.OpenBuild(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A call of the profile: from a line of the caller, counted from its start.
type call struct {
	caller string
	line   int64
	callee string
	n      int64
}

var calls = []call{
	{"main.main", 1, "main.area", 10},
	{"main.main", 5, "main.done", 1}, // deferred: called where main returns
	{"main.main", 3, "main.run", 20},
	{"main.main.func1", 1, "main.done", 3},
	{"main.run", 1, "main.main.func1", 4},
	{"main.area", 1, "example.com/app/shapes.Square.Area", 30},
	{"example.com/app/shapes.Square.Area", 0, "example.com/app/shapes.square", 40},
	{"example.com/app/shapes.Total[go.shape.struct { Side float64 }]", 2, "example.com/app/shapes.Square.Area", 50},
	{"example.com/app/shapes.Total[go.shape.struct { Side float64 }]", 3, "example.com/app/shapes.grow", 6},
	{"main.done", 1, "runtime.printstring", 2},
	{"example.com/app/shapes.inAssembly", 7, "example.com/app/shapes.grow", 2},
	{"example.com/app/shapes.Total.visit.func1", 0, "example.com/app/shapes.grow", 2},
	{"example.com/app/shapes.Total.other.func1", 0, "example.com/app/shapes.grow", 2},
	{"net/http.(*conn).serve", 7, "net/http.serverHandler.ServeHTTP", 9},
}

// profiled returns an archive of a profile with these calls.
func profiled(t *testing.T, calls []call) *reader.Store {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	functions := map[string]*profile.Function{}
	location := func(name string, line int64) *profile.Location {
		f := functions[name]
		if f == nil {
			f = &profile.Function{ID: uint64(len(functions) + 1), Name: name, StartLine: 100}
			functions[name] = f
			p.Function = append(p.Function, f)
		}
		l := &profile.Location{ID: uint64(len(p.Location) + 1), Address: uint64(len(p.Location) + 1),
			Line: []profile.Line{{Function: f, Line: 100 + line}}}
		p.Location = append(p.Location, l)
		return l
	}
	for _, c := range calls {
		p.Sample = append(p.Sample, &profile.Sample{Value: []int64{c.n},
			Location: []*profile.Location{location(c.callee, 0), location(c.caller, c.line)}})
	}
	s, _ := testprofile.Import(t, testprofile.Encode(t, p))
	return s
}

// checked returns the report, and the verdicts by function.
func checked(t *testing.T, s *reader.Store, tree *source.Tree) (*fit.Report, map[string]fit.Verdict) {
	t.Helper()
	verdicts := map[string]fit.Verdict{}
	r, err := fit.Check(t.Context(), s, tree, fit.Options{Top: 5, Each: func(v *fit.Verdict) error {
		k, err := v.Method.Key()
		verdicts[k.Name] = *v
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, verdicts
}

func TestSourceThatWasProfiled(t *testing.T) {
	t.Parallel()
	r, verdicts := checked(t, profiled(t, calls),
		module(t, map[string]string{"main.go": program, "shapes/shapes.go": shapes}))
	for name, v := range verdicts {
		want := fit.Exact
		if strings.HasPrefix(name, "net/http") || strings.Contains(name, ".other.") ||
			strings.Contains(name, "inAssembly") {
			want = fit.Unchecked
		}
		if v.State != want {
			t.Errorf("%s is %s: %s", name, v.State, v.Reason)
		}
	}
	if r.LostShare() > 1e-9 || len(verdicts) != 11 {
		t.Errorf("%v of %d functions is lost", r.LostShare(), len(verdicts))
	}
}

// TestChangedSource: what moved, changed and went is found, by the weight of its calls.
func TestChangedSource(t *testing.T) {
	t.Parallel()
	edited := strings.NewReplacer(
		// its calls move by a line
		"func main() {\n", "// A comment above a function moves no call.\n\nfunc main() {\n\tprintln()\n",
		"func done() {\n\tprintln(\"done\")\n}\n", "").Replace(program)
	other := strings.NewReplacer("square(s.Side)", "s.Side * s.Side", "Total[", "Sum[").Replace(shapes)
	r, verdicts := checked(t, profiled(t, calls),
		module(t, map[string]string{"main.go": edited, "shapes/shapes.go": other}))
	for name, want := range map[string]struct {
		state  fit.State
		reason string
	}{
		"main.main":                          {fit.Moved, "2 on other lines"},
		"main.area":                          {fit.Exact, ""},
		"main.done":                          {fit.Gone, "no such function"},
		"example.com/app/shapes.Square.Area": {fit.Stale, "1 gone"},
		"example.com/app/shapes.Total[go.shape.struct { Side float64 }]": {fit.Gone,
			"it may be example.com/app/shapes.Sum now"},
	} {
		if v := verdicts[name]; v.State != want.state || !strings.Contains(v.Reason, want.reason) {
			t.Errorf("%s is %s: %s, want %s: %s", name, v.State, v.Reason, want.state, want.reason)
		}
	}
	if r.Score() >= 0.5 || r.Score() <= 0 {
		t.Errorf("score %v", r.Score())
	}
}

// TestRealProgram: a profile of Go's compiler fits its source.
func TestRealProgram(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src", "cmd", "compile")
	tree, err := source.OpenBuild(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := testprofile.Import(t, testprofile.OfCompiler(t))
	r, _ := checked(t, s, tree)
	if r.Score() < 0.9 {
		t.Errorf("the source fits by %v", r.Score())
		for _, m := range r.Misfits {
			k, _ := m.Method.Key()
			t.Logf("%v %s %s: %s", m.Weight, k.Name, m.State, m.Reason)
		}
	}
	t.Logf("score %v, profiles %v, weights %v", r.Score(), r.Profiles, r.Weights)
}

func TestNoSource(t *testing.T) {
	t.Parallel()
	if _, err := source.OpenBuild(t.Context(), t.TempDir()); !errors.Is(err, source.ErrNoFiles) {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := source.OpenBuild(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "main module") {
		t.Error(err)
	}
}
