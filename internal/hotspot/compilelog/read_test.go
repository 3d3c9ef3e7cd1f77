package compilelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

func recorded(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/log.xml")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Calls within the compilations of C2 that succeeded are read, also late ones and those
// after calls of methods that the log does not name.
func TestRead(t *testing.T) {
	nodes, err := Read(t.Context(), bytes.NewReader(recorded(t)), "log.xml")
	if err != nil {
		t.Fatal(err)
	}
	run := Method{"app/Main", "run", "([Lapp/Shape;I)J"}
	square, strip := Method{"app/Square", "<init>", "()J"}, Method{"app/Strip", "area", "(I)I"}
	want := []Node{{-1, 0, run}, {0, 4, square}, {0, 4, strip}, {2, 3, square}}
	if !slices.Equal(nodes, want) {
		t.Errorf("read %v, want %v", nodes, want)
	}
}

func TestReadEnds(t *testing.T) {
	full.Only(t, "takes many inputs")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	if _, err := Read(ctx, bytes.NewReader(recorded(t)), "log.xml"); !errors.Is(err, stop) {
		t.Errorf("after the end of the context: %v", err)
	}
	var all strings.Builder
	all.WriteString("<task method='A m ()V'>\n<type id='1' name='void'/>\n<klass id='2' name='A'/>\n<method id='3' " +
		"holder='2' name='m' return='1'/>\n<parse method='3'>\n")
	for i := range MaxNodes + 2 {
		fmt.Fprintf(&all, "<bc bci='%d'/>\n<parse method='3'>\n</parse>\n", i)
	}
	if _, err := Read(t.Context(), strings.NewReader(all.String()), "log.xml"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("of %d calls: %v", MaxNodes+2, err)
	}
}

// Whatever a log says, parents come before their children, each node is there once, and
// the compiled methods have no caller.
func FuzzRead(f *testing.F) {
	f.Add(recorded(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes, err := Read(t.Context(), bytes.NewReader(b), "log.xml")
		known := map[Node]bool{}
		for i, n := range nodes {
			if n.Parent < -1 || n.Parent >= i || known[n] {
				t.Fatalf("node %d is %v", i, n)
			}
			known[n] = true
		}
		if err != nil && len(nodes) > 0 {
			t.Fatal(err)
		}
	})
}
