package live

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/hotspot/compilelog"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// logged runs a program to its end, and returns a copy of its VM and what its log says that C2 inlined.
func logged(t *testing.T, home string, program ...string) (*VM, []compilelog.Node) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	j := start(t, home, append([]string{"-Xbatch", "-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation",
		"-XX:LogFile=" + log}, program...)...)
	j.await("ready")
	vm, err := Attach(context.Background(), j.pid())
	if err == nil {
		err = vm.Detach(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	j.end()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nodes, err := compilelog.Read(context.Background(), f, log)
	if err != nil {
		t.Fatal(err)
	}
	return vm, nodes
}

// inlinedIn returns the calls that were inlined into a method, as names and bcis from the
// inlined method outward.
func inlinedIn(t *testing.T, s *reader.Store, root string) (calls []string) {
	t.Helper()
	table, err := s.Table(disk.TableInlining)
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		c, err := s.ContextAt(layout.Ref(table.Cell(0, row)))
		if err != nil {
			t.Fatal(err)
		}
		m, err1 := c.Method()
		frames, err2 := c.Frames()
		if err1 != nil || err2 != nil || table.Cell(1, row) != inlinedLevel || table.Cell(2, row) != 1 {
			t.Fatalf("%v, %v, level %d, runs %d", err1, err2, table.Cell(1, row), table.Cell(2, row))
		}
		names := []string{nameOf(t, m)}
		for _, f := range frames {
			names = append(names, nameOf(t, f.Caller))
		}
		if names[len(names)-1] == root {
			calls = append(calls, strings.Join(names, " < "))
		}
	}
	slices.Sort(calls)
	return calls
}

func nameOf(t *testing.T, m reader.Method) string {
	t.Helper()
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	return k.Class + "." + k.Name
}

// What C2 inlined is in the archive as calling contexts, whose outermost frame is the compiled method.
func TestInlinedCallsAreContexts(t *testing.T) {
	testjvm.Each(t, func(t *testing.T, home string) {
		vm, nodes := logged(t, home, "Inline")
		b, r, err := vm.Dump(context.Background(), Options{Inlined: nodes})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"Inline$Square.area < Inline.total", "Inline$Strip.area < Inline.total",
			"Inline$Strip.twice < Inline$Strip.area < Inline.total"}
		if got := inlinedIn(t, open(t, b), "Inline.total"); !slices.Equal(got, want) {
			t.Errorf("inlined %q, want %q", got, want)
		}
		if r.Inlined < len(want) {
			t.Errorf("%d calls reported", r.Inlined)
		}
	})
}

// Few calls of a real program have no place in an archive.
func TestMostInlinedCallsAreKept(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		vm, nodes := logged(t, home, "Compile", "1", t.TempDir())
		b, r, err := vm.Dump(context.Background(), Options{Inlined: nodes})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		for _, n := range nodes {
			if n.Parent >= 0 {
				calls++
			}
		}
		if s := open(t, b); r.Inlined < calls*9/10 || calls < 500 || s.Header().Counts.Contexts == 0 {
			t.Errorf("%d of %d inlined calls are kept", r.Inlined, calls)
		}
		t.Logf("%d of %d inlined calls are kept", r.Inlined, calls)
	})
}
