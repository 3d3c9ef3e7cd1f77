package live

import (
	"context"
	"errors"
	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"io"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A JVM that starts says so, at whatever moment it is read, until it has profiles.
func TestStartingVM(t *testing.T) {
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "Twins")
		said := map[string]int{}
		for range 5000 {
			var r *Report
			vm, err := Attach(context.Background(), j.pid())
			if err == nil {
				_, r, err = vm.Dump(context.Background(), Options{Stop: true})
			}
			switch {
			case err == nil && r.Methods > 0:
				t.Logf("before its first profile: %v", said)
				return
			case err == nil:
				said["no profiles"]++
			// the launcher may start itself again
			case !errors.Is(err, ErrNotHotSpot) && !errors.Is(err, ErrStructure) && !errors.Is(err, ErrNoTables) &&
				!errors.Is(err, ErrGone):
				t.Fatal(err)
			default:
				said[err.Error()]++
			}
		}
		t.Errorf("it never had a profile: %v", said)
	})
}

// A JVM that is stopped is dumped and stays stopped.
func TestStoppedVM(t *testing.T) {
	if testjvm.First() == "" {
		t.Skip("no JVM")
	}
	j := start(t, testjvm.First(), "Twins")
	j.await("ready")
	if err := j.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p := &process{pid: j.pid()}
	stopped := func() bool {
		fields, err := procfs.StatFields(p.procPath("stat"))
		return err == nil && len(fields) > stateField && fields[stateField] == "T"
	}
	for !stopped() {
		time.Sleep(time.Millisecond)
	}
	if d := dump(t, j.pid(), Options{Stop: true}); !d.report.Consistent || d.report.Methods == 0 {
		t.Errorf("%+v", d.report)
	}
	for range 100 { // a thread that is let go stops again in a moment
		if stopped() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !stopped() {
		t.Error("it does not stand still any more")
	}
	if err := j.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	j.end()
}

func TestZombie(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = cmd.Wait() }()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		_, err := Attach(context.Background(), cmd.Process.Pid)
		if errors.Is(err, ErrZombie) {
			return
		}
		time.Sleep(time.Millisecond) // it may not have ended yet
	}
	t.Error("it never was a zombie")
}

// A process that becomes another program is not the one that was opened.
func TestProcessThatBecomesAnother(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo ready; read line; exec sleep 60")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Skip(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	p, err := openProcess(cmd.Process.Pid)
	if err != nil || !p.isAlive() {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "go\n"); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		if !p.isAlive() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("it is taken for the same program")
}
