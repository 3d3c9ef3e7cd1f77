//go:build linux

package live

import (
	"context"
	"errors"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNotAJVM(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	if _, err := Attach(context.Background(), cmd.Process.Pid); !errors.Is(err, ErrNotHotSpot) {
		t.Errorf("%v", err)
	}
}

func TestNoProcess(t *testing.T) {
	for _, pid := range []int{-1, 0, 1<<31 - 1} {
		if _, err := Attach(context.Background(), pid); !errors.Is(err, ErrNoProcess) {
			t.Errorf("%d: %v", pid, err)
		}
	}
}

// A process that ends while it is dumped results in one error, and no archive.
func TestProcessThatEnds(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
			20 * time.Millisecond} {
			j := start(t, home, "Twins")
			j.await("ready")
			vm, err := Attach(context.Background(), j.pid())
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(after, func() { _ = j.cmd.Process.Kill() })
			for {
				b, _, err := vm.Dump(context.Background(), Options{Stop: true})
				if err == nil {
					continue // the dump was faster
				}
				if b != nil || !errors.Is(err, ErrGone) {
					t.Errorf("killed after %v: %v", after, err)
				}
				break
			}
			_ = j.cmd.Wait()
			j.ended = true
		}
	})
}

// A user who may not read a process gets an error that says so.
func TestNoPermission(t *testing.T) {
	if pid, err := strconv.Atoi(os.Getenv("LIVE_TEST_PID")); err == nil {
		if _, err := Attach(context.Background(), pid); !errors.Is(err, ErrPermission) {
			t.Errorf("%v", err)
		}
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root can run a part of the test as another user")
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	exe := t.TempDir() + "/test"
	if err := os.WriteFile(exe, self, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := exe; dir != "/tmp" && dir != "/" && dir != "."; dir = dir[:strings.LastIndex(dir, "/")] {
		_ = os.Chmod(dir, 0o755)
	}
	cmd := exec.Command(exe, "-test.run=^TestNoPermission$")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "LIVE_TEST_PID="+strconv.Itoa(os.Getpid()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
