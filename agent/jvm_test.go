package agent_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// A runningJVM is a running Java program. It is killed at the end of the test.
type runningJVM struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	errs  strings.Builder
	ended bool
}

// startJVM starts java with arguments.
func startJVM(t testing.TB, home string, args ...string) *runningJVM {
	t.Helper()
	j := &runningJVM{t: t, cmd: exec.Command(filepath.Join(home, "bin", "java"), args...)}
	j.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	j.cmd.Stderr = &j.errs
	in, out := testjvm.StartPiped(t, j.cmd)
	j.in, j.out = in, bufio.NewReader(out)
	t.Cleanup(j.killIfRunning)
	return j
}

func (j *runningJVM) killIfRunning() {
	if !j.ended {
		_ = j.cmd.Process.Kill()
		_ = j.cmd.Wait()
	}
}

// PID returns the process id.
func (j *runningJVM) PID() int { return j.cmd.Process.Pid }

// Await reads the output up to the line want.
func (j *runningJVM) Await(want string) {
	j.t.Helper()
	for {
		line, err := j.out.ReadString('\n')
		if strings.TrimSpace(line) == want {
			return
		}
		if err != nil {
			j.t.Fatalf("waited for %q, got %q, %v\n%s", want, line, err, j.errs.String())
		}
	}
}

// Send writes a line to the program's standard input.
func (j *runningJVM) Send(line string) {
	j.t.Helper()
	if _, err := io.WriteString(j.in, line+"\n"); err != nil {
		j.t.Fatal(err)
	}
}

// End closes the program's standard input, waits for its end, and returns the rest of its standard output, and its
// standard error. The exit code must be 0.
func (j *runningJVM) End() (out, errs string) {
	j.t.Helper()
	_ = j.in.Close()
	rest, err := io.ReadAll(j.out)
	if err != nil {
		j.t.Fatal(err)
	}
	j.ended = true
	if err := j.cmd.Wait(); err != nil {
		j.t.Fatalf("the program did not end well: %v\n%s\n%s", err, rest, j.errs.String())
	}
	return string(rest), j.errs.String()
}
