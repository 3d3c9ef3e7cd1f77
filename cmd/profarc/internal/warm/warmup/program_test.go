package warmup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMain is the program that the tests measure, if the environment says so.
func TestMain(m *testing.M) {
	if script := os.Getenv("WARMUP_SCRIPT"); script != "" {
		play(strings.Fields(script))
	}
	os.Exit(m.Run())
}

// play does what the words of a script say: sleep=MS, print=TEXT, err=TEXT, burn=MS of
// processor time, exit=CODE, forever, leave.
func play(script []string) {
	for _, word := range script {
		what, value, _ := strings.Cut(word, "=")
		number, _ := strconv.Atoi(value)
		switch what {
		case "sleep":
			time.Sleep(time.Duration(number) * time.Millisecond)
		case "print":
			fmt.Println(strings.ReplaceAll(value, "_", " "))
		case "err":
			fmt.Fprintln(os.Stderr, strings.ReplaceAll(value, "_", " "))
		case "burn":
			for begun := time.Now(); time.Since(begun) < time.Duration(number)*time.Millisecond; {
			}
		case "exit":
			os.Exit(number)
		case "forever":
			signal.Ignore(syscall.SIGTERM)
			time.Sleep(time.Hour)
		case "leave": // a process that holds the pipe
			p, err := os.StartProcess(os.Args[0], os.Args,
				&os.ProcAttr{Env: []string{"WARMUP_SCRIPT=sleep=60000"}, Files: []*os.File{nil, os.Stdout, os.Stderr}})
			if err != nil {
				panic(err)
			}
			fmt.Println("left", p.Pid)
		}
	}
	os.Exit(0)
}

// program returns the program that plays a script.
func program(script string) Program {
	return Program{Path: os.Args[0], Args: os.Args[:1], Env: append(os.Environ(), "WARMUP_SCRIPT="+script),
		Timeout: time.Minute}
}

func measured(t *testing.T, p Program) Run {
	t.Helper()
	r, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARunIsMeasured(t *testing.T) {
	t.Parallel()
	r := measured(t, program("sleep=60 print=hello sleep=60 burn=50 err=warning"))
	if r.Failure != "" || r.Exit != 0 || string(r.Text) != "hello\n" || string(r.Errors) != "warning\n" {
		t.Errorf("%+v, text %q, errors %q", r, r.Text, r.Errors)
	}
	if ms := int64(time.Millisecond); r.FirstNS < 60*ms || r.WallNS < 170*ms || r.CPUNS <= 0 {
		t.Errorf("first output %d, wall %d, CPU %d", r.FirstNS, r.WallNS, r.CPUNS)
	}
	if runtime.GOOS == "linux" && r.PeakBytes < 1<<20 {
		t.Errorf("%d bytes", r.PeakBytes)
	}
}

func TestUnitsAreFound(t *testing.T) {
	t.Parallel()
	p := program("print=unit_1 print=ready print=took_7.5_ms sleep=20 print=took_2s print=took_x print=unit_2")
	p.Watch = Watch{Ready: regexp.MustCompile("^ready$"), Unit: regexp.MustCompile(`^took (.*)`),
		Ignore: regexp.MustCompile("^unit")}
	r := measured(t, p)
	if len(r.Units) != 2 || r.Units[0].TimeNS != 7_500_000 || r.Units[1].TimeNS != 2_000_000_000 ||
		r.Units[1].EndNS < r.Units[0].EndNS {
		t.Errorf("units %+v", r.Units)
	}
	if string(r.Text) != "ready\ntook x\n" || r.FirstNS == 0 {
		t.Errorf("text %q, ready %d", r.Text, r.FirstNS)
	}
	p.Watch.Unit = regexp.MustCompile(`^took`)
	if r = measured(t, p); len(r.Units) != 3 || r.Units[1].EndNS < 20_000_000 ||
		r.Units[1].TimeNS != r.Units[1].EndNS-r.Units[0].EndNS || r.Units[0].TimeNS != r.Units[0].EndNS {
		t.Errorf("units between lines %+v", r.Units)
	}
	p.Watch.Ready = regexp.MustCompile("^never$")
	if r = measured(t, p); !strings.Contains(r.Failure, "ready") {
		t.Errorf("it never said that it is ready: %q", r.Failure)
	}
}

func TestOutputsAreCompared(t *testing.T) {
	t.Parallel()
	ignore := Watch{Ignore: regexp.MustCompile("^at ")}
	sum := func(script string, w Watch) string {
		p := program(script)
		p.Watch = w
		return measured(t, p).Output
	}
	if sum("print=a print=at_1", ignore) != sum("print=a print=at_2", ignore) {
		t.Error("ignored lines count")
	}
	if sum("print=a print=at_1", Watch{}) == sum("print=a print=at_2", Watch{}) ||
		sum("print=a", ignore) == sum("print=b", ignore) {
		t.Error("other lines do not count")
	}
}

func TestFailures(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	if r := measured(t, program("print=a exit=3")); r.Exit != 3 || r.Failure != "it ended with exit code 3" {
		t.Errorf("%+v", r)
	}
	p := program("exit=3")
	p.Accept = []int{143, 3}
	if r := measured(t, p); r.Exit != 3 || r.Failure != "" {
		t.Errorf("%+v", r)
	}
	p = program("print=a forever")
	p.Timeout = 300 * time.Millisecond
	if r := measured(t, p); !strings.Contains(r.Failure, "more than 300ms") || string(r.Text) != "a\n" {
		t.Errorf("%+v", r)
	}
	p.Path += ".none"
	if _, err := Measure(t.Context(), p); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
	if r := measured(t, program("err=profarc:_no_profiles_adopted:_it_is_Tuesday print=a")); !slices.Equal(r.Inert,
		[]string{"profarc: no profiles adopted: it is Tuesday"}) {
		t.Errorf("the agent said %q", r.Inert)
	}
}

func TestInterruptEndsTheProgram(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r, err := Measure(ctx, program("print=a sleep=60000"))
	if !errors.Is(err, context.DeadlineExceeded) || r.Failure != "it was interrupted" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"12": 12 * time.Millisecond, "1.5 s": 1500 * time.Millisecond,
		"7us": 7000, " 3 µs ": 3000, "2min": 2 * time.Minute, ".5ms": 500_000} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseTime(text); err != nil || got != want {
				t.Errorf("%q is %v, %v", text, got, err)
			}
		})
	}
	for _, text := range []string{"", "ms", "-1 ms", "1 h", "1e999", "NaN", "1.2.3 s", "99999999999 s"} {
		if got, err := ParseTime(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
