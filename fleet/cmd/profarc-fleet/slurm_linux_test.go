package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSlurm runs the script of the template in a Slurm of one machine, without systemd. It
// needs Debian's packages slurm-wlm and munge, and root.
func TestSlurm(t *testing.T) {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "sinfo"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: install slurm-wlm and munge", err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may run the daemons of Slurm for all users")
	}
	config := startSlurm(t)
	testscript.Run(t, testscript.Params{Dir: "testdata/slurm", RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SLURM_CONF", config)
			return nil
		}})
}

// slurmConfig is the configuration of a Slurm of one machine: its name, a directory, and two ports.
const slurmConfig = `ClusterName=profarc
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// startSlurm starts the daemons and returns the name of their configuration.
func startSlurm(t *testing.T) (config string) {
	t.Helper()
	dir := t.TempDir()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	config = filepath.Join(dir, "slurm.conf")
	text := fmt.Sprintf(slurmConfig, host, dir, freePort(t), freePort(t))
	key := make([]byte, 1024)
	_, _ = rand.Read(key) // it cannot fail
	for name, content := range map[string][]byte{config: []byte(text), filepath.Join(dir, "munge.key"): key} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	startDaemon(t, "munged", "--foreground", "--force", "--socket="+in("munge.socket"), "--key-file="+in("munge.key"),
		"--pid-file="+in("munge.pid"), "--seed-file="+in("munge.seed"), "--log-file="+in("munge.log"))
	startDaemon(t, "slurmctld", "-D", "-f", config)
	logs := startDaemon(t, "slurmd", "-D", "-f", config)
	for {
		cmd := exec.Command("sinfo", "--noheader", "--format=%T")
		cmd.Env = append(os.Environ(), "SLURM_CONF="+config)
		out, _ := cmd.CombinedOutput()
		if strings.TrimSpace(string(out)) == "idle" {
			return config
		}
		if deadline, ok := t.Deadline(); ok && time.Until(deadline) < time.Minute || t.Context().Err() != nil {
			t.Fatalf("Slurm does not start: %s %s", out, logs())
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// startDaemon starts a program in the foreground until the test ends.
func startDaemon(t *testing.T, name string, args ...string) (output func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is interrupted
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("%s: %s", name, log.String())
		}
	})
	return func() string {
		select {
		case <-ended:
			return name + " ended: " + log.String()
		default:
			return name + " is running"
		}
	}
}

// freePort returns a port that nobody listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
