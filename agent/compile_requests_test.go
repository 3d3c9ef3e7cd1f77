package agent_test

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// interpreted keeps the loop of Ordered out of the compilers, so that each call is counted.
var interpreted = flags("-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Ordered::repeat")

// A compilation of C2 that -XX:+PrintCompilation prints: of a method of Ordered.Work.
var compilation = regexp.MustCompile(`\s4\s+Ordered\$Work::(\w) \(`)

// trainOrdered returns an archive of Ordered, and its classes.
func trainOrdered(t *testing.T, home string) (archive, classes string) {
	t.Helper()
	classes = testjvm.Compile(t, home, "testdata/Ordered.java")
	j := startJVM(t, home, append(interpreted, "-Xbatch", "-cp", classes, "Ordered", "train")...)
	j.Await("ready")
	archive = dump(t, j)
	j.End()
	return archive, classes
}

// An ordered is a run of Ordered: what the VM printed before the class Late was initialised, and
// the methods that it compiled with C2 after that, in the order of their first compilations.
type ordered struct {
	before, after string
	report        report
}

// runOrdered runs Ordered with a policy until so many methods were compiled with C2.
func runOrdered(t *testing.T, home, archive, classes, options string, enough int) (o ordered) {
	t.Helper()
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	file := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{agentFlag(t, archive, ",report="+file+options), "-Xbatch", "-XX:+PrintCompilation"},
		interpreted...)
	cmd := exec.CommandContext(ctx, filepath.Join(home, "bin", "java"), append(args, "-cp", classes, "Ordered", "run")...)
	in, out := testjvm.StartPiped(t, cmd)
	o.read(t, in, out, enough)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	o.report = readReport(t, file)
	return o
}

// read reads what the VM prints, and lets it go on and end.
func (o *ordered) read(t *testing.T, in io.WriteCloser, out io.Reader, enough int) {
	t.Helper()
	initializing := false
	end := func() {
		if len(o.after) == enough {
			_ = in.Close()
		}
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		m := compilation.FindStringSubmatch(s.Text())
		switch {
		case m != nil && !initializing:
			o.before += m[1]
		case m != nil && !strings.Contains(o.after, m[1]): // a method may be compiled again
			o.after += m[1]
			end()
		case strings.HasSuffix(s.Text(), "ready"):
			_, _ = io.WriteString(in, "\n")
		case strings.HasSuffix(s.Text(), "initializing"):
			initializing = true
			end()
		}
	}
}

// What training compiled is asked for in its order, and not before the class is initialised
// that all of the methods had as a receiver. The program itself calls no method so often that
// the VM would compile it with C2. How often C1 counted them, which is the other order, differs
// from run to run.
func TestRequestsComeInOrderAfterInitialization(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		archive, classes := trainOrdered(t, home)
		const want = "abcdef"
		for _, policy := range []string{"order", "hottest"} {
			o := runOrdered(t, home, archive, classes, ",budget=100,policy="+policy, len(want))
			got := o.after
			if policy == "hottest" {
				got = sorted(got)
			}
			if o.before != "" || got != want {
				t.Errorf("policy %s: C2 compiled %q before the class was initialised and %q after, want %q", policy, o.before,
					o.after, want)
			}
			if made := o.report.count("requests_made"); made < len(want) {
				t.Errorf("policy %s: %d requests were made: %v", policy, made, o.report)
			}
		}
	})
}

// sorted returns the letters of a text in their order.
func sorted(text string) string {
	letters := []byte(text)
	slices.Sort(letters)
	return string(letters)
}

func TestNothingIsAskedForWithoutBudget(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		archive, classes := trainOrdered(t, home)
		for options, listed := range map[string]bool{"": false, ",policy=none": false, ",policy=order,budget=0": true} {
			o := runOrdered(t, home, archive, classes, options, 0)
			if o.before+o.after != "" || o.report.count("requests_made") != 0 ||
				(o.report.count("requests_listed") > 0) != listed {
				t.Errorf("options %q: C2 compiled %q, %q: %v", options, o.before, o.after, o.report)
			}
		}
	})
}
