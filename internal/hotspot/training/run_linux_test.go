package training

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestEveryEndIsRead(t *testing.T) {
	full.Only(t, "starts JVMs")
	for _, how := range []struct {
		name string
		code int
	}{{"main", 0}, {"exit", 3}, {"halt", 4}, {"throw", 1}} {
		t.Run(how.name, func(t *testing.T) {
			r := train(t, "", java(t, how.name)...)
			r.check(t, how.code, 1)
			if want := map[string]string{"main": "220000\n"}[how.name]; r.stdout != want {
				t.Errorf("stdout %q, want %q", r.stdout, want)
			}
			if says := strings.Contains(r.stderr, "thrown"); says != (how.name == "throw") {
				t.Errorf("stderr %q", r.stderr)
			}
		})
	}
}

func TestNewerJVMIsRead(t *testing.T) {
	full.Only(t, "starts JVMs")
	found, _ := filepath.Glob("/usr/lib/jvm/*25*/bin/java")
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		found = []string{filepath.Join(home, "bin", "java")}
	}
	if len(found) == 0 {
		t.Skip("no JDK 25: set JAVA25_HOME")
	}
	for how, code := range map[string]int{"main": 0, "exit": 3, "halt": 4, "throw": 1, "child": 13} {
		t.Run(how, func(t *testing.T) {
			args := java(t, how)
			args[0] = found[0]
			train(t, "", args...).check(t, code, map[bool]int{false: 1, true: 2}[how == "child"])
		})
	}
}

func TestSignalsArrive(t *testing.T) {
	full.Only(t, "starts JVMs")
	r, cmd, out := begin(t, java(t, "wait")...)
	await(t, out, "ready")
	signalTo(t, cmd, syscall.SIGTERM)
	r.end(t, cmd, out)
	r.check(t, 128+15, 1)
}

func TestCommandMayIgnoreASignal(t *testing.T) {
	r, cmd, out := begin(t, java(t, "stubborn")...)
	await(t, out, "ready")
	for range 3 {
		signalTo(t, cmd, syscall.SIGTERM)
		await(t, out, "ignored")
	}
	r.end(t, cmd, out)
	r.check(t, 5, 1)
}

func TestKilledJVMIsRead(t *testing.T) {
	full.Only(t, "starts JVMs")
	r, cmd, out := begin(t, java(t, "wait")...)
	await(t, out, "ready")
	if err := syscall.Kill(childOf(t, cmd.Process.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.end(t, cmd, out)
	r.check(t, 128+9, 1)
}

func TestStreamsPassUntouched(t *testing.T) {
	all := make([]byte, 1<<18)
	for i := range all {
		all[i] = byte(i * 7)
	}
	r := train(t, string(all), java(t, "echo")...)
	r.check(t, 0, 1)
	if r.stdout != string(all) || r.stderr != "to stderr, no line end" {
		t.Errorf("%d bytes of stdout, want %d; stderr %q", len(r.stdout), len(all), r.stderr)
	}
}

func TestSeveralJVMs(t *testing.T) {
	full.Only(t, "starts JVMs")
	two := strings.Join(java(t, "exit"), " ") + "; " + strings.Join(java(t, "halt"), " ")
	train(t, "", "sh", "-c", two).check(t, 4, 2)
	both := strings.Join(java(t, "exit"), " ") + " & " + strings.Join(java(t, "halt"), " ") + "; wait; exit 6"
	train(t, "", "sh", "-c", both).check(t, 6, 2)
	train(t, "", java(t, "child")...).check(t, 13, 2)
}

func TestNoJVM(t *testing.T) {
	r := train(t, "text", "sh", "-c", "cat; echo error >&2; (exit 3) & wait; exit 7")
	r.check(t, 7, 0)
	if r.stdout != "text" || r.stderr != "error\n" {
		t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
	train(t, "", "sh", "-c", "kill -TERM $$").check(t, 128+15, 0)
	// A pipe without a reader ends its writer, as in a shell.
	r = train(t, "", "bash", "-c", "yes | head -n 1; echo ${PIPESTATUS[0]}")
	if r.stdout != "y\n141\n" {
		t.Errorf("stdout %q", r.stdout)
	}
}

// A process that job control stops stays stopped until SIGCONT.
func TestStoppedCommandStandsStill(t *testing.T) {
	r, cmd, out := begin(t, "sh", "-c", "echo ready; kill -STOP $$; echo on")
	await(t, out, "ready")
	pid := childOf(t, cmd.Process.Pid)
	stopped := 0
	eventually(t, "it stands still", func() bool {
		if !thread(pid).isStopped() {
			stopped = 0
		}
		stopped++ // any event stops it, but not for long
		return stopped > 30
	})
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await(t, out, "on")
	r.end(t, cmd, out)
	r.check(t, 0, 0)
}

func TestRunningJVMIsReadAndLeft(t *testing.T) {
	full.Only(t, "starts JVMs")
	r, cmd, out := begin(t, "sh", "-c", strings.Join(java(t, "second"), " ")+" & read x; exit 8")
	await(t, out, "ready")
	if _, err := io.WriteString(r.stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
	await(t, out, "over") // it runs to its end
	r.end(t, cmd, out)
	r.check(t, 8, 1)
}

func TestCommandOutlivesItsTracer(t *testing.T) {
	full.Only(t, "starts JVMs")
	r, cmd, out := begin(t, java(t, "second")...)
	await(t, out, "ready")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, out, "over")
	r.end(t, cmd, out)
	if len(r.archives) != 0 {
		t.Errorf("archives %v", r.archives)
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	_, err := Run(Command{Path: filepath.Join(t.TempDir(), "none"), Args: []string{"none"},
		Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	// Within a traced process nothing can be traced.
	r := train(t, "", os.Args[0], "sh", "-c", "echo started")
	if r.code != 99 || r.stdout != "" || !strings.Contains(r.stderr, ErrPermission.Error()) {
		t.Errorf("code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
}

// What a JVM prints of its profiles at its exit is in the archive.
func TestProfilesAreThoseThatTheJVMPrints(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	args := slices.Insert(java(t, "exit"), 1, "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData",
		"-XX:+LogVMOutput", "-XX:-DisplayVMOutput", "-XX:LogFile="+log)
	r := train(t, "", args...)
	r.check(t, 3, 1)
	printed, read := textMethods(t, log), archiveMethods(t, r.archives[0])
	if len(printed) < 20 {
		t.Fatalf("only %d methods were printed", len(printed))
	}
	for m, n := range printed {
		if got, ok := read[m]; !ok || got < n {
			t.Errorf("%s: %d invocations were printed, %d read (there: %t)", m, n, got, ok)
		}
	}
}

// begin starts a training run and returns the reader of its standard output.
func begin(t *testing.T, args ...string) (*result, *exec.Cmd, *bufio.Reader) {
	t.Helper()
	r := &result{dir: t.TempDir()}
	cmd := trainer(r.dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err1 := cmd.StdoutPipe()
	in, err2 := cmd.StdinPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	r.stdin = in
	hung := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { hung.Stop() })
	return r, cmd, bufio.NewReader(out)
}

func (r *result) end(t *testing.T, cmd *exec.Cmd, out io.Reader) {
	t.Helper()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	r.code = cmd.ProcessState.ExitCode()
	r.collect(t)
}

// await reads the line that must come next.
func await(t *testing.T, out *bufio.Reader, line string) {
	t.Helper()
	if got, err := out.ReadString('\n'); got != line+"\n" {
		t.Fatalf("read %q, %v, want %q", got, err, line)
	}
}

func signalTo(t *testing.T, cmd *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 10_000 {
		if ok() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// A JVM is distinguished from a child with its memory by the threads that it started. They
// may all have gone when it ends.
func TestJVMWithoutOtherThreads(t *testing.T) {
	r := train(t, "", loneJVM(t))
	// It is held, and found to be no HotSpot.
	if held := strings.Count(r.stderr, "no gHotSpotVMStructs"); held != 1 {
		t.Errorf("held %d times, want once: %s", held, r.stderr)
	}
}

// restarting returns a command whose JVM becomes another program without ending.
func restarting(t *testing.T, command ...string) []string {
	t.Helper()
	full.Only(t, "starts JVMs")
	args := java(t, "restart")
	javac, err := exec.LookPath("javac")
	if err == nil {
		javac, err = filepath.EvalSymlinks(javac)
	}
	if err != nil {
		t.Fatal(err)
	}
	headers := filepath.Join(filepath.Dir(javac), "..", "include")
	library := filepath.Join(t.TempDir(), "libexec.so")
	out, err := exec.Command("cc", "-shared", "-fPIC", "-I", headers, "-I", filepath.Join(headers, "linux"), "-o", library,
		filepath.Join("testdata", "exec.c")).CombinedOutput()
	if err != nil {
		t.Skipf("no library for java: %v: %s", err, out)
	}
	return append(append(args, library), command...)
}

// TestJVMThatRestartsInPlace: of a process that becomes another program each JVM is read, and
// the exit code is the last program's.
func TestJVMThatRestartsInPlace(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Run("a JVM", func(t *testing.T) {
		r := train(t, "", restarting(t, java(t, "exit")...)...)
		r.check(t, 3, 2)
		checkRestart(t, r.archives)
	})
	t.Run("twice", func(t *testing.T) {
		train(t, "", restarting(t, restarting(t, java(t, "halt")...)...)...).check(t, 4, 3)
	})
	t.Run("another program", func(t *testing.T) {
		r := train(t, "", restarting(t, "sh", "-c", "echo $$; exit 7")...)
		r.check(t, 7, 1)
	})
	t.Run("as a child", func(t *testing.T) {
		script := strings.Join(restarting(t, java(t, "exit")...), " ") + "; exit 5"
		train(t, "", "sh", "-c", script).check(t, 5, 2)
	})
}

// checkRestart checks that the JVMs of one process are two runs, so that both count.
func checkRestart(t *testing.T, archives []string) {
	t.Helper()
	var runs []layout.Provenance
	for _, a := range archives {
		s, err := reader.Open(a, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Runs()
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r...)
	}
	if len(runs) != 2 || runs[0].Process.PID != runs[1].Process.PID || runs[0].Process.Start >= runs[1].Process.Start ||
		!runs[0].Begun.Before(runs[1].Begun) {
		t.Errorf("%+v", runs)
	}
}

// TestTracerDiesBeforeTheCommandGoesOn: the command does not stay stopped.
func TestTracerDiesBeforeTheCommandGoesOn(t *testing.T) {
	t.Setenv(diesHalfway, "yes")
	_, cmd, out := begin(t, "echo", "on")
	await(t, out, "on")
	_ = cmd.Wait()
}

// TestLateSignalReachesNoOther: a signal that waits while the command ends does not reach the
// process that has its number then.
func TestLateSignalReachesNoOther(t *testing.T) {
	if fd, err := unix.PidfdOpen(os.Getpid(), 0); err != nil {
		t.Skipf("no descriptors of processes: %v", err)
	} else {
		unix.Close(fd)
	}
	f := newForwarder(nil)
	defer f.stopForwarding()
	first := exec.Command("true")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	f.setTarget(first.Process.Pid)
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	second := sleeperWith(t, first.Process.Pid)
	f.signals <- unix.SIGUSR1
	time.Sleep(200 * time.Millisecond)
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	var end *exec.ExitError
	if err := second.Wait(); !errors.As(err, &end) || end.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("the other process ended by %v", err)
	}
}

// sleeperWith starts a process with a number, which must be free.
func sleeperWith(t *testing.T, pid int) *exec.Cmd {
	t.Helper()
	for range 200 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			t.Skipf("numbers of processes cannot be chosen: %v", err)
		}
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if cmd.Process.Pid == pid {
			return cmd
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Skip("another process has the number")
	return nil
}

// loneJVM returns the path of a program that has a libjvm.so, whose second thread
// ends before it does, and that has a child with the same memory.
func loneJVM(t *testing.T) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no cc")
	}
	dir, source := t.TempDir(), filepath.Join("testdata", "lone.c")
	library, program := filepath.Join(dir, "libjvm.so"), filepath.Join(dir, "java")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", library, source},
		{"-o", program, source, "-Wl,--no-as-needed", "-L" + dir, "-ljvm", "-Wl,-rpath,$ORIGIN", "-lpthread"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return program
}
