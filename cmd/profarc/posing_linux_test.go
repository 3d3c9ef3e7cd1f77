package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// A process that poses as a JVM: testdata/posing/libjvm.c forges what a mode
// says in the memory of a small sound VM of 96 methods.

// soundMethods is how many methods with a profile the library has.
const soundMethods = 96

// What is wrong with a table, a list or the whole fails the dump. What is wrong
// with a method leaves out that method: then the number of the others is given.
var posingModes = map[string]struct {
	methods int
	message string // of a failure
}{
	"sound":                  {methods: soundMethods},
	"size-zero":              {message: "a Klass has 0 bytes"},
	"size-huge":              {message: "a Method has 2147483648 bytes"},
	"offset-beyond-class":    {message: "Klass::_name lies at 4096 in a structure of 40 bytes"},
	"offset-beyond-link":     {message: "Klass::_next_link lies at 4096"},
	"offset-beyond-header":   {message: "MethodData::_tenure_traps lies at 1048576"},
	"offset-beyond-entries":  {message: "_eflags lies at 184 of a MethodData whose entries begin at 184"},
	"offset-negative":        {message: "Method::_method_data lies at -16"},
	"offset-unaligned":       {message: "Method::_constMethod lies at 9"},
	"trap-history-beyond":    {message: "a trap history lies at 40 to 4024"},
	"entries-at-front":       {message: "_method lies at 8 of a MethodData whose entries begin at 8"},
	"array-huge":             {message: "a class of 2147483647 methods"},
	"array-negative":         {message: "a class of -1 methods"},
	"array-shared":           {message: "bytes of structures"},
	"arrays-of-one-method":   {message: "bytes of structures"},
	"class-links-itself":     {message: "a list of classes does not end"},
	"class-links-back":       {message: "a list of classes does not end"},
	"lists-share-tail":       {message: "or leads into another"},
	"loader-links-itself":    {message: "the list of class loaders does not end"},
	"loaders-in-a-circle":    {message: "the list of class loaders does not end"},
	"classes-overlap":        {message: "bytes of structures"},
	"page-aliased":           {message: "bytes of structures"},
	"names-long":             {message: "bytes of names"},
	"names-overlap":          {message: "bytes of structures"},
	"loaders-of-one-name":    {message: "bytes of names"},
	"decoys":                 {methods: soundMethods},
	"data-2gib":              {methods: soundMethods - 1},
	"data-16mib":             {message: "bytes of structures"},
	"data-sizes-disagree":    {methods: soundMethods - 1},
	"data-size-negative":     {methods: soundMethods - 1},
	"data-of-another":        {methods: soundMethods - 1},
	"tags-unknown":           {methods: soundMethods - 1},
	"cells-without-end":      {methods: soundMethods - 1},
	"types-anywhere":         {methods: soundMethods - 1},
	"pool-index-beyond":      {methods: soundMethods - 1},
	"pool-entry-unmapped":    {methods: soundMethods - 1},
	"method-unmapped":        {message: "no memory there"},
	"method-in-the-kernel":   {message: "0xffffffff81000000: no memory there"},
	"method-at-the-end":      {message: "0xfffffffffffffff8"},
	"method-not-readable":    {message: "no memory there"},
	"method-beyond-its-file": {message: "no memory there"},
	"loader-at-last-bytes":   {message: "no memory there"},
	"symbol-at-last-byte":    {methods: soundMethods - 16}, // of that class, and those with receivers of it
	"symbol-over-the-end":    {methods: soundMethods - 16},
	"string-without-end":     {message: "a name of more than 1024 bytes"},
	"string-at-the-end":      {message: "no memory there"},
	"row-missing":            {message: "no MethodData::_method"},
	"row-twice":              {methods: soundMethods},
	"rows-contradict":        {message: "two rows of MethodData::_method contradict each other"},
	"rows-without-end":       {message: "rows of 0 bytes"},
	"columns-anywhere":       {message: "with a column at 1099511627776"},
	"flags-without-end":      {message: "18446744073709551615 flags"},
	"width-2gib":             {message: "-XX:TypeProfileWidth=2147483648"},
	"width-large":            {message: "-XX:TypeProfileWidth=65536"},
	"width-negative":         {message: "-XX:BciProfileWidth=-1"},
	"increment-zero":         {message: "InvocationCounter::count_increment is 0"},
	"release-of-a-screenful": {methods: soundMethods},
	"scribbling":             {methods: -1}, // whatever is sound in that moment, or a failure
}

// posing compiles the program and returns its folder.
func posing(t *testing.T) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no cc")
	}
	dir := t.TempDir()
	source := func(name string) string {
		path := filepath.Join("testdata", "posing", name)
		if _, err := os.ReadFile(path); err != nil { // so that go test knows that it depends on it
			t.Fatal(err)
		}
		return path
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,--hash-style=gnu", "-o", filepath.Join(dir, "libjvm.so"), source("libjvm.c"), "-lpthread"},
		{"-o", filepath.Join(dir, "java"), source("java.c"), "-L" + dir, "-ljvm", "-Wl,-rpath,$ORIGIN", "-lpthread"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// pose starts the program and returns its process once it poses.
func pose(t *testing.T, dir, mode string) (pid int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "java"), mode)
	in, out := testjvm.StartPiped(t, cmd)
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s: read %q, %v", mode, line, err)
	}
	return cmd.Process.Pid
}

// within runs a command with a limit on its data: of the 400 MB the runtime takes more than 100 before the
// command begins. Stacks of threads count, and a loaded machine needs more threads, so each gets 1 MB instead of 8. A
// command that takes too much memory, or hangs, does not end with exit code 0 or 1.
func within(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -s 1024; ulimit -d 400000; exec "$0" "$@"`}, args...)...)
	var errOut strings.Builder
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	hung.Stop()
	return cmd.ProcessState.ExitCode(), errOut.String()
}

// A dump of a program that poses as a JVM fails in one line, or takes its sound profiles.
func TestDumpOfPosingProcess(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	dir := posing(t)
	for mode, want := range posingModes {
		t.Run(mode, func(t *testing.T) {
			pid := pose(t, dir, mode)
			for _, how := range []string{"--stop-limit=0", "--running"} {
				out := filepath.Join(t.TempDir(), "a.parc")
				code, stderr := within(t, "profarc", "dump", how, "--pid", fmt.Sprint(pid), "-o", out)
				switch {
				case want.methods < 0 && code == cli.ExitOK:
				case want.methods > 0:
					if n := profilesOf(t, out); code != cli.ExitOK || n != want.methods {
						t.Errorf("%s: exit code %d, %d methods, want %d: %s", how, code, n, want.methods, stderr)
					}
				case code != cli.ExitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want.message) ||
					strings.Contains(stderr, "a defect of profarc"):
					t.Errorf("%s: exit code %d, stderr %q, want %q", how, code, stderr, want.message)
				}
			}
		})
	}
}

// profilesOf returns how many profiles a sound archive has.
func profilesOf(t *testing.T, path string) int {
	t.Helper()
	if out, err := exec.Command("profarc", "verify", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
		return 0
	}
	out, err := exec.Command("profarc", "info", "--json", path).Output()
	if err != nil {
		t.Errorf("%v", err)
	}
	var facts struct {
		Counts struct {
			Profiles int `json:"profiles"`
		} `json:"counts"`
	}
	if err := json.Unmarshal(out, &facts); err != nil {
		t.Errorf("%v", err)
	}
	return facts.Counts.Profiles
}

// Under train it changes neither the exit code, nor the profiles of other JVMs.
func TestTrainBesidePosingProcess(t *testing.T) {
	full.Only(t, "starts JVMs")
	dir := posing(t)
	java := filepath.Join(dir, "java")
	for mode, want := range posingModes {
		t.Run(mode, func(t *testing.T) {
			report := filepath.Join(t.TempDir(), "report.json")
			code, stderr := within(t, "profarc", "train", "--keep-failed", "-o", filepath.Join(t.TempDir(), "a.parc"),
				"--report", report, "--", "sh", "-c", fmt.Sprintf("%s sound; %s %s; %s sound; exit 7", java, java, mode, java))
			if code != 7 || strings.Contains(stderr, "goroutine") || strings.Contains(stderr, "a defect of profarc") {
				t.Errorf("exit code %d, stderr %s", code, stderr)
			}
			jvms := trainedJVMs(t, report)
			if len(jvms) != 3 || jvms[0].Methods != soundMethods || jvms[2].Methods != soundMethods {
				t.Fatalf("%+v: %s", jvms, stderr)
			}
			if want.methods >= 0 && (jvms[1].Methods != want.methods || (jvms[1].Archive == "") != (want.methods == 0)) {
				t.Errorf("%+v, want %d methods", jvms[1], want.methods)
			}
			for _, j := range []int{0, 2} {
				if n := profilesOf(t, jvms[j].Archive); n != soundMethods {
					t.Errorf("%+v: %d profiles", jvms[j], n)
				}
			}
		})
	}
}

// A trainedJVM is a JVM in the report of train.
type trainedJVM struct {
	Methods int    `json:"methods"`
	Archive string `json:"archive"`
}

// trainedJVMs returns the JVMs of a report.
func trainedJVMs(t *testing.T, report string) []trainedJVM {
	t.Helper()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		JVMs []trainedJVM `json:"jvms"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r.JVMs
}

// Every mode that the library has is tested.
func TestEveryPosingMode(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "posing", "libjvm.c"))
	if err != nil {
		t.Fatal(err)
	}
	var modes, tested []string
	for _, m := range regexp.MustCompile(`MODE\("(.*?)"\)|!strcmp\(mode, "(.*?)"\)`).
		FindAllStringSubmatch(string(text), -1) {
		modes = append(modes, m[1]+m[2])
	}
	for mode := range posingModes {
		tested = append(tested, mode)
	}
	slices.Sort(modes)
	slices.Sort(tested)
	if !slices.Equal(modes, tested) {
		t.Errorf("the library has the modes %q, and these are tested: %q", modes, tested)
	}
}
