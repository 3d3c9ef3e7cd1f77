package live

import (
	"context"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"os"
	"strings"
	"testing"
	"time"
)

// dumpsVariable asks for more dumps of a busy VM than a quick run makes.
const dumpsVariable = "PROFARC_LIVE_DUMPS"

// A VM that compiles, with C1 and C2 at work and classes coming and going, is dumped again and again. Every
// archive is sound, and the VM's work is not disturbed.
func TestBusyVM(t *testing.T) {
	full.Only(t, "starts JVMs")
	dumps, rounds := 3, "2"
	if os.Getenv(dumpsVariable) != "" {
		dumps, rounds = 100, "400"
	}
	testjvm.Each(t, func(t *testing.T, home string) {
		out := t.TempDir()
		j := start(t, home, "-Xmx512m", "Compile", rounds, out)
		awaitClasses(t, out)
		var most, refused, methods, consistent int
		var longest time.Duration
		for range dumps {
			d := dump(t, j.pid(), Options{Stop: true})
			most = max(most, d.report.Threads)
			refused += d.report.numRefused()
			methods += d.report.Methods
			longest = max(longest, d.report.Stopped)
			for _, r := range d.report.Refused {
				t.Logf("refused %d: %s (%s)", r.Count, r.Why, r.Example)
			}
			if d.report.Consistent {
				consistent++
			}
		}
		t.Logf("%d dumps, %d profiles, %d refused, held for %v at most, %d threads", dumps, methods, refused, longest, most)
		if consistent < dumps/2 { // a busy machine may keep a few from it
			t.Errorf("%d of %d dumps are consistent", consistent, dumps)
		}
		if refused > methods/1000 {
			t.Errorf("%d of %d profiles refused", refused, methods)
		}
		j.await("ready")
		if rest := j.end(); strings.TrimSpace(rest) != "" {
			t.Errorf("the program printed %q", rest)
		}
	})
}

// awaitClasses waits until a directory has the first class that Compile wrote, so that the VM is busy.
func awaitClasses(t *testing.T, folder string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
			return
		}
	}
	t.Fatal("the VM compiles nothing")
}

// What the options leave out is left out.
func TestOptions(t *testing.T) {
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "Twins")
		j.await("ready")
		all := dump(t, j.pid(), Options{}).report
		compiled := dump(t, j.pid(), Options{CompiledOnly: true}).report
		hot := dump(t, j.pid(), Options{MinInvocations: 1000}).report
		own := dump(t, j.pid(), Options{Class: func(name string) bool { return strings.HasPrefix(name, "Twins") }}).report
		for name, r := range map[string]*Report{"compiled": compiled, "hot": hot, "own": own} {
			if r.Methods == 0 || r.Methods >= all.Methods || r.Skipped == 0 {
				t.Errorf("%s: %d methods of %d, %d skipped", name, r.Methods, all.Methods, r.Skipped)
			}
		}
		if all.Stopped != 0 || all.Consistent {
			t.Errorf("not held, but %+v", all)
		}
	})
}

// A limit that is over at once lets the process go, and the dump is made.
func TestStopLimit(t *testing.T) {
	full.Only(t, "starts JVMs")
	if testjvm.First() == "" {
		t.Skip("no JVM")
	}
	j := compiling(t, testjvm.First(), profiling)
	d := dump(t, j.pid(), Options{Stop: true, StopLimit: 1})
	if d.report.Consistent || d.report.Stopped == 0 || d.report.Methods < 100 {
		t.Errorf("%+v", d.report)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	vm, err := Attach(context.Background(), j.pid())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := vm.Dump(ctx, Options{}); err == nil {
		t.Error("a cancelled dump was made")
	}
}
