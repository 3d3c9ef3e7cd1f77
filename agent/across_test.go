package agent_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// typeLevels are the values of TypeProfileLevel that change the entries of calls and parameters.
var typeLevels = []string{"111", "0", "222"}

// callTags maps the tags of calls with types of arguments to the tags of calls without.
var callTags = strings.NewReplacer(
	fmt.Sprintf("tag %d ", layout.TagCallType), fmt.Sprintf("tag %d ", layout.TagCounter),
	fmt.Sprintf("tag %d ", layout.TagVirtualCallType), fmt.Sprintf("tag %d ", layout.TagVirtualCall))

// meanings returns the profiles of a class with nothing in them that depends on the VM's release or its flags: no
// displacements, no types of arguments, and trap reasons by name.
func meanings(t *testing.T, v view, s *reader.Store, class string) map[string][]string {
	t.Helper()
	names, err := entries.TrapReasonsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	v.withoutTypes = true
	all := withoutDisplacements(v.profiles(t, s, class))
	for _, lines := range all {
		for i, line := range lines {
			lines[i] = callTags.Replace(line)
		}
		lines[1] = namedTraps(names, lines[1])
	}
	return all
}

// namedTraps names the numbers of a trap history.
func namedTraps(names entries.TrapReasons, history string) string {
	b := &strings.Builder{}
	for i, n := range regexp.MustCompile(`\d+`).FindAllString(history, -1) {
		if n != "0" {
			fmt.Fprintf(b, "%s %s;", names.Name(i), n)
		}
	}
	return b.String()
}

// TestAdoptionAcrossReleases checks that a VM adopts the profiles of a VM of another release or with another
// TypeProfileLevel. It must have the counts, receivers and traps of the archive.
func TestAdoptionAcrossReleases(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, trainer string) {
		for _, trained := range typeLevels {
			classes := testjvm.Compile(t, testjvm.First(), "testdata/Adopted.java")
			archive := train(t, trainer, classes, 20000, levelFlags(trained)...)
			testjvm.Each(t, func(t *testing.T, home string) {
				for _, level := range typeLevels {
					t.Run("from "+trained+" to "+level, func(t *testing.T) { adoptAcross(t, home, classes, archive, level) })
				}
			})
		}
	})
}

func levelFlags(level string) []string {
	return []string{"-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=" + level}
}

func adoptAcross(t *testing.T, home, classes, archive, level string) {
	file := filepath.Join(t.TempDir(), "report.json")
	flags := append(levelFlags(level), agentFlag(t, archive, ",report="+file), "-cp", classes, "Adopted", "load")
	j := startJVM(t, home, flags...)
	j.Await("ready")
	j.Send("more")
	j.Await("loaded")
	live := dumpAll(t, j)
	j.End()
	want := meanings(t, archived("none"), open(t, archive), "Adopted$Work")
	got := meanings(t, adopted("none"), open(t, live), "Adopted$Work")
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 9 {
		t.Errorf("%d methods; the VM has not what was archived:\n%s", len(want), diff)
	}
	if n := readReport(t, file).count("methods_refused_other_layout"); n != 0 {
		t.Errorf("%d methods have other profile points", n)
	}
}
