package agent_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// buildProcessors compiles the program that says what processors.c finds.
func buildProcessors(t *testing.T) func(prefix []string, args ...string) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program := filepath.Join(t.TempDir(), "processors")
	if out, err := exec.Command(cc, "-std=c11", "-Wall", "-Werror", "-I.", "-o", program, "testdata/processors.c",
		"processors.c", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(prefix []string, args ...string) string {
		t.Helper()
		command := append(append(append([]string{}, prefix...), program), args...)
		out, err := exec.Command(command[0], command[1:]...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
}

func TestProcessors(t *testing.T) {
	t.Parallel()
	run := buildProcessors(t)
	for text, want := range map[string]string{
		"max 100000\n": "0", "50000 100000\n": "0.5", "-1\n100000\n": "0", "250000\n100000\n": "2.5", "": "0", "5": "0",
		"5 0": "0", "a 7": "0",
	} {
		if got := run(nil, "quota", text); got != want {
			t.Errorf("the quota %q is %s processors, want %s", text, got, want)
		}
	}
	if got := run(nil, "time"); got != "1 thread, as it worked; 0 others" {
		t.Error(got)
	}
	available, err := strconv.ParseFloat(run(nil, "available"), 64)
	if err != nil || available <= 0 {
		t.Errorf("%v processors are available: %v", available, err)
	}
	if taskset, err := exec.LookPath("taskset"); err == nil && available > 1 {
		if got := run([]string{taskset, "-c", "0"}, "available"); got != "1" {
			t.Errorf("%s processors are available on one", got)
		}
	}
}

// In a cgroup with a quota fewer processors are available than the process may run on.
func TestProcessorsOfAQuota(t *testing.T) {
	t.Parallel()
	run := buildProcessors(t)
	group := quotaGroup(t, "25000")
	join := fmt.Sprintf(`echo 0 >%s/cgroup.procs && exec "$0" "$@"`, group)
	if got := run([]string{"sh", "-c", join}, "available"); got != "0.25" {
		t.Errorf("%s processors are available with a quota of 0.25", got)
	}
}

// quotaGroup makes a cgroup with a quota of microseconds in 100,000, below the test's cgroup.
func quotaGroup(t *testing.T, quota string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		mount, file, value := filepath.Join("/sys/fs/cgroup", controllers), "cpu.cfs_quota_us", quota
		if controllers == "" {
			mount, file, value = "/sys/fs/cgroup", "cpu.max", quota+" 100000"
		}
		group := filepath.Join(mount, path, fmt.Sprintf("profarc-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		if os.WriteFile(filepath.Join(group, file), []byte(value), 0o644) == nil {
			return group
		}
	}
	t.Skip("no cgroup can be made here")
	return ""
}
