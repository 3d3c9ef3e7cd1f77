package live

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A trap is one that the VM's own log tells of.
type trap struct{ method, bci, reason string }

// The lines of the logs: of -Xlog:deoptimization=debug, which JDK 17 does not have, and of
// -XX:+LogCompilation, where the innermost method follows on a line of its own.
var (
	loggedTrap   = regexp.MustCompile(`level=\d Traps\.(\w+)\S* trap_bci=(\d+) (?:osr_bci=\d+ )?(\w+) `)
	compilerTrap = regexp.MustCompile(`<uncommon_trap thread='\d+' reason='(\w+)'[^\n]*\n<jvms bci='(\d+)' method='Traps (\w+) `)
)

// logTraps returns the flags with which a VM logs its traps, and what reads the log then.
func logTraps(t *testing.T, release int) (flags []string, read func() []trap) {
	file := filepath.Join(t.TempDir(), "log")
	flags, line, at := []string{"-Xlog:deoptimization=debug:file=" + file}, loggedTrap, [...]int{1, 2, 3}
	if release < 21 {
		flags, line, at = []string{"-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", "-XX:LogFile=" + file},
			compilerTrap, [...]int{3, 2, 1}
	}
	return flags, func() (traps []trap) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			traps = append(traps, trap{m[at[0]], m[at[1]], m[at[2]]})
		}
		return traps
	}
}

// byInterpreter are the reasons that the interpreter notes as well when it throws an
// exception, which no log tells of.
var byInterpreter = []string{"null_check", "div0_check", "range_check", "class_check", "array_check"}

// reasonAt returns the reason of the trap at an entry.
func reasonAt(reasons entries.TrapReasons, e reader.Entry) string {
	atBranch := e.Tag() == layout.TagBranch || e.Tag() == layout.TagMultiBranch
	return strings.TrimSuffix(reasons.Text(e.Traps(), atBranch), " recompiled")
}

// TestReasonsAreThoseOfTheLog: every trap that the VM logged is in the archive, by the name
// and as often as in the log, and nothing else is.
func TestReasonsAreThoseOfTheLog(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		release := 17
		if home == testjvm.Second() {
			release = 25
		}
		flags, logged := logTraps(t, release)
		j := start(t, home, slices.Concat([]string{"-Xbatch"}, flags, []string{"Traps"})...)
		j.await("ready")
		d := dump(t, j.pid(), Options{})
		j.end()
		traps := logged()
		if len(traps) < 15 {
			t.Fatalf("the VM logged %d traps: %v", len(traps), traps)
		}
		want := map[string]map[string]int{}
		for _, at := range traps {
			if want[at.method] == nil {
				want[at.method] = map[string]int{}
			}
			want[at.method][at.reason]++
		}
		history, points := trapsOf(t, d.Store)
		for method, reasons := range history {
			for _, reason := range byInterpreter {
				if reasons[reason] > want[method][reason] && want[method][reason] > 0 {
					reasons[reason] = want[method][reason]
				}
			}
		}
		if diff := cmp.Diff(want, history); diff != "" {
			t.Errorf("-log +archive:\n%s", diff)
		}
		checkTrapPoints(t, traps, points)
	})
}

// trapsOf returns the history of each method of Traps that has one, and the states of its points.
func trapsOf(t *testing.T, s *reader.Store) (history map[string]map[string]int, points map[string]string) {
	reasons, err := entries.TrapReasonsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	history, points = map[string]map[string]int{}, map[string]string{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil || k.Class != "Traps" || m.Unexecuted() {
			continue
		}
		p := profileOf(t, dumped{Store: s}, k)
		for number, n := range p.TrapHistory() {
			if n == 0 {
				continue
			}
			if history[k.Name] == nil {
				history[k.Name] = map[string]int{}
			}
			history[k.Name][reasons.Name(number)] = int(n)
		}
		for e := range p.Entries() {
			points[k.Name+" "+strconv.Itoa(int(e.Point()))] = reasonAt(reasons, e)
		}
		for e := range p.Section(disk.SectionExtra) {
			points[k.Name+" "+strconv.Itoa(int(e.Point()))] = reasonAt(reasons, e)
		}
	}
	return history, points
}

// checkTrapPoints: a point that was left for one reason is shown with it. A division by zero
// is a null check there, by HotSpot's own rule, and reasons of a whole method are at no point.
func checkTrapPoints(t *testing.T, traps []trap, points map[string]string) {
	at := map[string]map[string]bool{}
	for _, trap := range traps {
		point := trap.method + " " + trap.bci
		if at[point] == nil {
			at[point] = map[string]bool{}
		}
		at[point][trap.reason] = true
	}
	checked := 0
	for point, reasons := range at {
		want := "many"
		if list := slices.Collect(maps.Keys(reasons)); len(list) == 1 {
			want = list[0]
		}
		switch want {
		case "div0_check":
			want = "null_check"
		case "unloaded":
			want = ""
		}
		if got := points[point]; got != want {
			t.Errorf("%s: shown as %q, the VM logged %v", point, got, reasons)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d points", checked)
	}
}

// TestReasonsOfReleases: the built-in lists of releases agree with their VMs, so that an archive
// without the VM's own list names the same.
func TestReasonsOfReleases(t *testing.T) {
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "Deoptimize")
		j.await("ready")
		vm, err := Attach(t.Context(), j.pid())
		if err != nil {
			t.Fatal(err)
		}
		if vm.release != 17 && vm.release != 25 {
			t.Skipf("a VM of release %d", vm.release)
		}
		known,
			err := entries.TrapReasonsOf(open(t, builder.New(layout.DomainHotSpot,
			builder.Config{Params: layout.Params{VMRelease: uint32(vm.release)}})))
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(vm.trapReasons(), ",")
		for number, name := range names {
			if got := known.Name(number); got != name {
				t.Errorf("%d: known as %q, the VM has %q", number, got, name)
			}
		}
		if got := known.Name(len(names)); !strings.HasPrefix(got, "#") {
			t.Errorf("%d: known as %q, the VM has none", len(names), got)
		}
	})
}
