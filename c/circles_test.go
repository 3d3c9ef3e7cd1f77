package c_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestSourcesCallOneWay compiles the library, and looks for sources that call each other in a circle,
// by the names that each defines and lacks.
func TestSourcesCallOneWay(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	if _, err := exec.LookPath("nm"); err != nil {
		t.Skip("nm is not there")
	}
	sources, err := filepath.Glob("src/*.c")
	if err != nil || len(sources) < 30 {
		t.Fatalf("%d sources: %v", len(sources), err)
	}
	folder, definedIn, lacks := plain(t).library(t), map[string]string{}, map[string][]string{}
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".c")
		noteSymbols(t, filepath.Join(folder, name+".o"), name, definedIn, lacks)
	}
	calls := map[string]map[string]bool{}
	for name, symbols := range lacks {
		calls[name] = map[string]bool{}
		for _, symbol := range symbols {
			if of := definedIn[symbol]; of != "" && of != name {
				calls[name][of] = true
			}
		}
	}
	if len(definedIn) < 200 {
		t.Errorf("%d names are defined, which are too few", len(definedIn))
	}
	if found := inCircles(calls); len(found) > 0 {
		t.Errorf("these sources call each other in a circle: %q", found)
	}
}

// noteSymbols notes the names that an object defines, and the ones it takes from others.
func noteSymbols(t *testing.T, object, name string, definedIn map[string]string, lacks map[string][]string) {
	t.Helper()
	out, err := exec.Command("nm", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case len(f) == 2 && f[0] == "U":
			lacks[name] = append(lacks[name], f[1])
		case len(f) == 3 && strings.Contains("TDBR", f[1]):
			definedIn[f[2]] = name
		}
	}
}

// inCircles returns the sources that reach themselves, in order.
func inCircles(calls map[string]map[string]bool) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		reached := map[string]bool{}
		if reach(calls, name, reached); reached[name] {
			list = append(list, name)
		}
	}
	return list
}

func reach(calls map[string]map[string]bool, from string, reached map[string]bool) {
	for to := range calls[from] {
		if !reached[to] {
			reached[to] = true
			reach(calls, to, reached)
		}
	}
}
