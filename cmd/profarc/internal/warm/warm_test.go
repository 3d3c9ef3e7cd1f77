package warm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMain is java, if it is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "java" {
		os.Exit(fakeJava(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeJava does what its arguments say, and writes the caches that its flags ask for.
func fakeJava(args []string) int {
	fast := false
	for _, arg := range args {
		what, value, _ := strings.Cut(arg, "=")
		switch what {
		case "-version":
			fmt.Fprintln(os.Stderr, `openjdk version "25.0.1" 2025-10-21`)
			fmt.Fprintln(os.Stderr, `OpenJDK Runtime Environment (build 25.0.1+8-LTS)`)
		case "-XX:ArchiveClassesAtExit", "-XX:AOTCacheOutput":
			if err := os.WriteFile(value, []byte("cache"), 0o600); err != nil {
				return 9
			}
		case "-XX:SharedArchiveFile", "-XX:AOTCache":
			if _, err := os.Stat(value); err != nil {
				return 8
			}
		case "-XX:TieredStopAtLevel":
			fast = true
		case "-Dfails":
			fmt.Fprintln(os.Stderr, "it fails")
			return 3
		case "-Dother":
			fmt.Println("something else")
		case "units":
			for i := range 20 {
				fmt.Printf("unit %d took %d us\n", i, map[bool]int{true: 10, false: 100 / (i + 1)}[fast]+1)
			}
		case "none":
			fmt.Print("took 0 ms\ntook 0 ms\ntook 0 ms\n")
		case "time":
			fmt.Println("at", time.Now().UnixNano())
		case "hello":
			fmt.Println("hello")
		case "sleep":
			time.Sleep(time.Minute)
		}
	}
	return 0
}

// java returns the path of a java that is this program.
func java(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "java")
	if runtime.GOOS == "windows" {
		t.Skip("a java that is a link cannot be run")
	}
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A ran is what a run of the command warm did.
type ran struct {
	out, errOut string
	report      report
	err         error
}

// warm runs the command, with JSON.
func warm(t *testing.T, ctx context.Context, args ...string) (r ran) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "warm.json")
	var out, errOut bytes.Buffer
	a := &cli.App{In: bytes.NewReader(nil), Out: bufio.NewWriter(&out), ErrOut: &errOut}
	cmd := Command(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"--report", file}, args...))
	r.err = cmd.ExecuteContext(ctx)
	if err := a.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	r.out, r.errOut = out.String(), errOut.String()
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, &r.report); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "profarc-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return r
}

// has fails the test if a text lacks a part.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in:\n%s", part, text)
		}
	}
}

func TestContendersTakeTurns(t *testing.T) {
	full.Only(t, "starts many processes")
	r := warm(t, t.Context(), "-n", "3", "--unit", "took (.*)", "--contender", "own=@c1 -Dx=a @args", "--",
		java(t), "units")
	if r.err != nil {
		t.Fatal(r.err, r.errOut)
	}
	turns := []string{}
	for _, x := range r.report.Records {
		turns = append(turns, x.Contender)
	}
	round := []string{"plain", "appcds", "flag", "aot", "c1", "own"}
	back := slices.Clone(round)
	slices.Reverse(back)
	if want := slices.Concat(round, back, round); !slices.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}
	if r.report.Baseline != "appcds" || r.report.Rounds != 3 || len(r.report.Trained) != 2 ||
		r.report.JVM != "JDK 25.0.1+8-LTS" {
		t.Errorf("%+v", r.report)
	}
	for _, c := range r.report.Contenders {
		if c.Name == "own" {
			if n := len(c.Flags); n != 4 || !strings.HasSuffix(c.Flags[0], "app.jsa") ||
				!slices.Equal(c.Flags[1:], []string{"-XX:TieredStopAtLevel=1", "-Dx=***", "***"}) {
				t.Errorf("flags %q", c.Flags)
			}
		}
	}
	has(t, r.out, "left out: archive, archive+flag, aot+archive: it needs an archive", "18 runs, 0 of them failed",
		"wall time ", "processor time ",
		"time to 90% of the base line's peak", "3 rounds: with 95% confidence it takes 6 at least", "\nverdict\n")
	has(t, r.errOut, "running it once", "training run for the AppCDS archive", "training run for the AOT cache",
		"round 1 of 3 is done")
}

func TestCurvesOfUnitsWithATime(t *testing.T) {
	full.Only(t, "starts many processes")
	r := warm(t, t.Context(), "-q", "-n", "7", "--only", "plain,c1", "--baseline", "plain", "--unit", "took (.*)", "--",
		java(t), "units")
	if r.err != nil || r.errOut != "" {
		t.Fatal(r.err, r.errOut)
	}
	peak := r.report.Measures[4]
	if peak.Name != "unit at the peak" || peak.Rows[0].Median != 6000 || peak.Rows[1].Median != 11000 ||
		peak.Rows[1].Ratio.Verdict != verdictMore {
		t.Errorf("%+v, %+v", peak, peak.Rows[1].Ratio)
	}
	if reached := r.report.Measures[5]; !reached.Rows[1].Never || reached.Rows[0].Never {
		t.Errorf("%+v", reached)
	}
	has(t, r.out, "\n  c1                                     never\n")
}

func TestUnitsWithoutATime(t *testing.T) {
	full.Only(t, "starts many processes")
	r := warm(t, t.Context(), "-n", "7", "--only", "plain,c1", "--unit", "took (.*)", "--", java(t), "none")
	if r.err != nil || len(r.report.Measures) != 4 {
		t.Errorf("units that take no time have a curve: %v, %+v", r.err, r.report.Measures)
	}
}

func TestFailuresAreReported(t *testing.T) {
	full.Only(t, "starts many processes")
	r := warm(t, t.Context(), "-n", "5", "--only", "plain,bad", "--contender", "bad=-Dfails", "--", java(t), "hello")
	if r.err == nil || r.err.Error() != "runs failed: 3 of bad" {
		t.Errorf("%v", r.err)
	}
	if n := len(r.report.Records); n != 8 {
		t.Errorf("%d runs", n)
	}
	has(t, r.out, "left out: bad: it failed 3 times in a row", "8 runs, 3 of them failed and in no figure",
		"note: bad failed in round 1: it ended with exit code 3: it fails")
	r = warm(t, t.Context(), "--", java(t), "-Dfails")
	if r.err == nil ||
		r.err.Error() != "the command fails before anything is measured: it ended with exit code 3: it fails" || r.out != "" {
		t.Errorf("%v, %s", r.err, r.out)
	}
}

func TestOutputsMustBeEqual(t *testing.T) {
	full.Only(t, "starts many processes")
	r := warm(t, t.Context(), "-n", "2", "--only", "plain", "--contender", "odd=-Dother", "--", java(t), "hello")
	if r.err == nil || !strings.HasPrefix(r.err.Error(), "runs printed something else than the first one: 2 of odd: ") {
		t.Errorf("%v", r.err)
	}
	has(t, r.out, `the output differs, first of odd in round 1: line 1 is "something else", and was "hello"`)
	if r = warm(t, t.Context(), "-n", "2", "--only", "plain", "--", java(t), "time"); r.err == nil {
		t.Error("times are equal")
	}
	if r = warm(t, t.Context(), "-n", "2", "--only", "plain", "--ignore", "^at ", "--", java(t), "time"); r.err != nil {
		t.Error(r.err)
	}
}

func TestInterruptPrintsWhatWasMeasured(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	flag := filepath.Join(t.TempDir(), "sleeping")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(flag); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	r := warm(t, ctx, "-n", "4", "--only", "plain,stuck", "--baseline", "plain", "--contender",
		"stuck=-XX:AOTCacheOutput="+flag+" sleep", "--", java(t), "hello")
	if !errors.Is(r.err, context.Canceled) || len(r.report.Records) != 1 {
		t.Errorf("%v after %d runs", r.err, len(r.report.Records))
	}
	has(t, r.out, "0 complete rounds of 4", "wall time")
}

func TestWrongUsage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	java := java(t)
	for want, args := range map[string][]string{
		"-n 0": {"-n", "0", "--", java}, "--unit: ": {"--unit", "(", "--", java}, "is not java": {"--", os.Args[0]},
		"there is no contender":     {"--only", "plain,fast", "--", java},
		"none of the contenders":    {"--baseline", "c1", "--only", "plain", "--", java},
		"no contender is left":      {"--only", "plain", "--skip", "plain", "--", java},
		"write it as NAME=FLAGS":    {"--contender", "a b=c", "--", java},
		"there is one of that name": {"--contender", "aot=x", "--", java},
		"--agent is for --archive":  {"--agent", "x", "--", java}, "refers to itself": {"--contender", "a=@a", "--", java},
	} {
		t.Run(want, func(t *testing.T) {
			r := warm(t, t.Context(), args...)
			var usage cli.UsageError
			if !errors.As(r.err, &usage) || !strings.Contains(r.err.Error(), want) {
				t.Errorf("%q: %v, want %s", args, r.err, want)
			}
		})
	}
	var end *cli.ExitError
	if r := warm(t, t.Context(), "--", "no-such-java"); !errors.As(r.err, &end) || end.Code != 127 {
		t.Errorf("a command that is not there: %v", r.err)
	}
}
