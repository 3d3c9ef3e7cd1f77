package agent_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A program whose receivers are others than in training gets their types into its
// profiles, although types of training held all rows. Types that come keep theirs.
func TestReceiversOfTrainingMakeRoom(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Settle.java")
		reportFile := filepath.Join(t.TempDir(), "report.json")
		// C1 with profiling is the last tier, so that all is counted.
		start := func(mode string, flags ...string) *runningJVM {
			j := startJVM(t, home, append(flags, "-XX:TieredStopAtLevel=3", "-cp", classes, "Settle", mode)...)
			j.Await("ready")
			return j
		}
		calls := func(j *runningJVM) string { return receiversOf(t, dumpAll(t, j), "([LSettle$Shape;I)") }

		training := start("train")
		await(t, "the receivers of training",
			func() bool { return calls(training) == "one: A, oneThenTwo: A, two: A B, twoThenOne: A B" })
		archive := dump(t, training)
		training.Send("stop")
		training.End()

		j := start("differ", agentFlag(t, archive, ",warmup=3600000,report="+reportFile))
		// Where every receiver has a row, no type of training is in the way.
		await(t, "the receivers of the program",
			func() bool { return calls(j) == "one: A B, oneThenTwo: B C, two: C D, twoThenOne: C" })
		j.Send("stop")
		j.End()
		if n := readReport(t, reportFile).count("calls_relieved"); n < 3 {
			t.Errorf("%d calls were relieved, want those of three methods", n)
		}
	})
}

// await tries until something is so, which must come at some time.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	const limit = 3 * time.Minute
	for begun := time.Now(); !is(); {
		if time.Since(begun) > limit {
			t.Fatalf("%s did not come", what)
		}
	}
}

// A call of a method that no class overrides keeps its row: JDK 25's interpreter counts all receivers of it among the
// others, C1 in a row.
func TestBoundCallsKeepTheirReceivers(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Settle.java")
		start := func(mode string, flags ...string) *runningJVM {
			j := startJVM(t, home, append(flags, "-XX:TieredStopAtLevel=3", "-cp", classes, "Settle", mode)...)
			j.Await("ready")
			return j
		}
		bound := func(archive string) string { return receiversOf(t, archive, "(LSettle$A;I)") }
		training := start("train")
		archive := dump(t, training)
		if home == testjvm.Second() {
			await(t, "the receiver of the bound call", func() bool {
				archive = dump(t, training)
				return bound(archive) == "bound: A"
			})
		}
		training.Send("stop")
		training.End()

		j := start("differ", agentFlag(t, archive, ",warmup=3600000"), "-XX:CompileCommand=quiet",
			"-XX:CompileCommand=exclude,Settle::bound")
		await(t, "the receivers of other calls", func() bool {
			return receiversOf(t, dumpAll(t, j), "([LSettle$Shape;I)") == "one: A B, oneThenTwo: B C, two: C D, twoThenOne: C"
		})
		if got := bound(dumpAll(t, j)); got != bound(archive) {
			t.Errorf("the bound call has the receivers %q, in training %q", got, bound(archive))
		}
		j.Send("stop")
		j.End()
	})
}

// receiversOf returns the receivers of the calls of area in the methods of the class Settle whose signature has a
// prefix, by method.
func receiversOf(t *testing.T, archive, signature string) string {
	t.Helper()
	found := map[string][]string{}
	eachProfile(t, open(t, archive), func(k layout.Key, p reader.Profile) {
		if k.Class == "Settle" && strings.HasPrefix(k.Signature, signature) {
			found[k.Name] = receiverNames(p)
		}
	})
	var list []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, name+": "+strings.Join(found[name], " "))
	}
	return strings.Join(list, ", ")
}

// receiverNames returns the simple names of all receivers of a profile, in order.
func receiverNames(p reader.Profile) (names []string) {
	for e := range p.Section(disk.SectionData) {
		r, ok := e.Receivers()
		if !ok {
			continue
		}
		for i := range r.Len() {
			row, ok := r.Row(i)
			if name, err := row.Type.Name(); ok && err == nil {
				names = append(names, strings.TrimPrefix(name.String(), "Settle$"))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
