package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// The tests start this binary as a trainer, so that its streams, its exit code
// and its death can be looked at.

// archivesIn names, for a trainer, the folder of its archives.
const archivesIn = "TRAINING_TEST_ARCHIVES"

// diesHalfway makes a trainer die before it lets the command go on.
const diesHalfway = "TRAINING_TEST_DIES_HALFWAY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(archivesIn); dir != "" {
		os.Exit(trainMain(dir, os.Args[1:]))
	}
	code := m.Run()
	if classFolder != "" {
		_ = os.RemoveAll(classFolder)
	}
	os.Exit(code)
}

func trainMain(dir string, args []string) int {
	path, err := exec.LookPath(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	if os.Getenv(diesHalfway) != "" {
		go procfs.OnThread(func() {
			c := Command{Path: path, Args: args, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}}
			if _, err := c.startSeized(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
		select {}
	}
	n := 0
	status, err := Run(Command{
		Path: path, Args: args, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
		Held: func(j JVM) {
			n++
			if err := dump(j, filepath.Join(dir, fmt.Sprintf("%d.parc", n))); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return status.ExitCode()
}

func dump(j JVM, path string) error {
	vm, err := live.Attach(context.Background(), j.Thread)
	if err != nil {
		return err
	}
	b, r, err := vm.Dump(context.Background(), live.Options{Began: j.Began})
	if err == nil {
		r.Describe(context.Background(), b, &live.Contents{})
		_, err = b.Commit(context.Background(), path)
	}
	return err
}

func trainer(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), archivesIn+"="+dir)
	return cmd
}

// A result is what became of a training run.
type result struct {
	dir            string
	code           int
	stdin          io.Writer
	stdout, stderr string
	archives       []string
}

// train runs a command to its end.
func train(t *testing.T, stdin string, args ...string) *result {
	t.Helper()
	r := &result{dir: t.TempDir()}
	cmd := trainer(r.dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r.code, r.stdout, r.stderr = cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	r.collect(t)
	return r
}

func (r *result) collect(t *testing.T) {
	t.Helper()
	var err error
	if r.archives, err = filepath.Glob(filepath.Join(r.dir, "*.parc")); err != nil {
		t.Fatal(err)
	}
}

// check looks at the exit code and at the archives, which must be sound and hold the program's own methods.
func (r *result) check(t *testing.T, code, archives int) {
	t.Helper()
	if r.code != code || len(r.archives) != archives {
		t.Errorf("exit code %d, want %d; archives %v, want %d; stderr %q", r.code, code, r.archives, archives, r.stderr)
	}
	for _, a := range r.archives {
		if n := archiveMethods(t, a)["Ends::sum([LEnds$Shape;)I"]; n < 1000 || n > 20_000 {
			t.Errorf("%s: the method was called 20000 times, and counted until C2 had compiled it, the archive says %d", a, n)
		}
	}
}

// archiveMethods returns the invocations of the methods of a sound archive.
func archiveMethods(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report, err := verify.Store(context.Background(), s, nil)
	if err != nil || !report.Sound() {
		t.Fatalf("%s: %v %v", path, err, report.Problems)
	}
	methods := map[string]uint64{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if !m.Profiled() {
			continue // compiled code of it was recorded
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := m.Profile(layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := p.Invocations()
		methods[methodName(k)] = n.Trained()
	}
	return methods
}

func methodName(k layout.Key) string { return k.Class + "::" + k.Name + k.Signature }

// textMethods returns the invocations of the methods of a text that a JVM
// printed, without methods of hidden classes, whose names are ranks.
func textMethods(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	text, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	report, err := (&hotspot.Importer{}).Import(&codec.Input{Reader: text})
	if err != nil {
		t.Fatal(err)
	}
	imported := filepath.Join(t.TempDir(), "text.parc")
	if _, err := report.Dumps[0].Commit(context.Background(), imported); err != nil {
		t.Fatal(err)
	}
	methods := archiveMethods(t, imported)
	for m := range methods {
		if strings.Contains(m, "@host") || strings.Contains(m, "LambdaForm") {
			delete(methods, m)
		}
	}
	return methods
}

// classFolder is where compile puts the classes.
var classFolder string

var compile = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "ends"); err != nil {
		return "", err
	}
	classFolder = dir
	out, err := exec.Command("javac", "-nowarn", "-d", dir, filepath.Join("testdata", "Ends.java")).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return dir, err
})

// java returns the command that runs the program of the tests.
func java(t *testing.T, how string) []string {
	t.Helper()
	full.Only(t, "starts JVMs")
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: %v", tool, err)
		}
	}
	classes, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"java", "-cp", classes, "Ends", how}
}

// childOf returns the process that a trainer started.
func childOf(t *testing.T, pid int) (child int) {
	t.Helper()
	eventually(t, "the trainer has a child", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			if fields := strings.Fields(string(text)); len(fields) > 0 {
				child, _ = strconv.Atoi(fields[0])
			}
		}
		return child != 0
	})
	return child
}
