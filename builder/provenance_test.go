package builder_test

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reduce"
)

// What names a program or a machine is gone from an anonymized archive, which
// still supersedes what its original superseded.
func TestAnonymousRun(t *testing.T) {
	named := func(c *builder.Config) {
		c.Run.VM, c.Run.Vendor, c.Run.Command, c.Run.Options, c.Run.Selection = "hidden", "hidden", "hidden", "hidden", "hidden"
		c.Run.Main, c.Run.ClassPath = "hidden", []layout.ClassPathEntry{{Path: "hidden.jar"}}
	}
	names, err := reduce.NewAnonymizer(make([]byte, reduce.MinKey), nil)
	if err != nil {
		t.Fatal(err)
	}
	anonymous := func(s dumped) dumped {
		b, _, err := reduce.Archive(t.Context(), s.Store, reduce.Options{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		return built(t, b)
	}
	early, late := anonymous(processDump(t, 4711, 10, 5, named)), anonymous(processDump(t, 4711, 20, 6, named))
	runs, err := early.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	r := runs[0]
	if strings.Contains(string(early.bytes), "hidden") || r.ClassPath != nil || r.Process.PID == 4711 || !r.Process.Known() {
		t.Errorf("the anonymous run is %+v", r)
	}
	if r.DumpID != early.Header().DumpID || r.Time != early.Header().Time() {
		t.Errorf("the run is of the dump %x at %s, the archive is %x", r.DumpID, r.Time, early.Header().DumpID)
	}
	if all, err := mergeLatest(t, early, late); err != nil || invocations(all) != 6 {
		t.Errorf("%v, %d invocations, want 6", err, invocations(all))
	}
}

// Runs of one class path share its rows after a merge.
func TestMergedRunsShareAClassPath(t *testing.T) {
	with := func(path string) func(*builder.Config) {
		return func(c *builder.Config) {
			c.Run.ClassPath = []layout.ClassPathEntry{{Path: "app.jar"}, {Path: path, Content: layout.Content{Kind: layout.ContentFile, Size: 3, Sum: 4}}}
		}
	}
	all, err := mergeLatest(t, processDump(t, 1, 1, 1, with("a")), processDump(t, 2, 2, 1, with("b")), processDump(t, 3, 3, 1, with("a")))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := all.Table(layout.TableClassPath)
	runs, err2 := all.Runs()
	if err != nil || err2 != nil || paths.Rows != 4 || len(runs) != 3 {
		t.Fatalf("%d rows of class paths, %d runs, %v, %v", paths.Rows, len(runs), err, err2)
	}
	for i, want := range []string{"a", "b", "a"} {
		if p := runs[i].ClassPath; len(p) != 2 || p[1].Path != want || p[1].Sum != 4 {
			t.Errorf("run %d has the class path %+v", i, p)
		}
	}
}
