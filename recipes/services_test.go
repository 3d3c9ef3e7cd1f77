package recipes

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestSystemdUnits verifies the units, with the programs where this machine has them.
func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	analyze := needs(t, "systemd-analyze", "systemd")
	folder := copied(t, "systemd")
	unit := filepath.Join(folder, "profarc-dump@.service")
	const installed = "/usr/local/lib/profarc/profarc-dump"
	text := read(t, unit)
	contains(t, text, "ExecStart="+installed+" ")
	put(t, strings.ReplaceAll(text, installed, filepath.Join(folder, "profarc-dump")), unit)
	out, code := run(t, folder, analyze, "verify", "--man=no", "profarc-dump@.service", "profarc-dump@.timer")
	if code != 0 || strings.Contains(out, "profarc-dump") {
		t.Errorf("exit code %d: %s", code, out)
	}
	const watch, installedWatch = "profarc-watch@.service", "/usr/local/bin/profarc"
	text = read(t, filepath.Join(folder, watch))
	contains(t, text, "ExecStart="+installedWatch+" watch ")
	put(t, strings.ReplaceAll(text, installedWatch, "/bin/true"), folder, watch)
	out, code = run(t, folder, analyze, "verify", "--man=no", watch)
	if code != 0 || strings.Contains(out, "profarc-watch") {
		t.Errorf("exit code %d: %s", code, out)
	}
	put(t, strings.Replace(text, "ProtectSystem=", "ProtectsSystem=", 1), folder, watch)
	out, _ = run(t, folder, analyze, "verify", "--man=no", watch)
	contains(t, out, "ProtectsSystem")
}

const server = `
public class Server {
    static int work(int n) { return n % 3 == 0 ? 1 : 2; }
    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 200000; i++) sum += work(i);
        System.out.println("ready " + sum);
        System.in.read();
    }
}
`

// TestSystemdScriptDumpsAService runs the script of the units against a JVM, with a
// systemctl that knows its number.
func TestSystemdScriptDumpsAService(t *testing.T) {
	full.Only(t, "starts JVMs")
	if runtime.GOOS != "linux" {
		t.Skip("a running JVM is dumped on Linux only")
	}
	needs(t, "javac", "openjdk-17-jdk-headless")
	bin, folder := t.TempDir(), t.TempDir()
	withProfarc(t, bin)
	put(t, server, folder, "Server.java")
	must(t, folder, "javac", "Server.java")
	script, err := filepath.Abs("systemd/profarc-dump")
	if err != nil {
		t.Fatal(err)
	}
	systemctl := func(pid int) {
		put(t, "#!/bin/sh\n[ \"$*\" = 'show --property=MainPID --value app.service' ] && echo "+strconv.Itoa(pid)+"\n", bin,
			"systemctl")
	}
	systemctl(0)
	contains(t, must(t, folder, "sh", script, "app", folder), "app does not run")

	java := exec.Command("java", "-cp", folder, "Server")
	in, err1 := java.StdinPipe()
	out, err2 := java.StdoutPipe()
	if err1 != nil || err2 != nil || java.Start() != nil {
		t.Fatal(err1, err2)
	}
	defer func() { in.Close(); _ = java.Wait() }()
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	systemctl(java.Process.Pid)
	if text, code := run(t, folder, "sh", script, "app", folder); code != 0 {
		if strings.Contains(text, "ptrace") {
			t.Skip(text)
		}
		t.Fatal(text)
	}
	contains(t, must(t, folder, "profarc", "show", "app.parc", "Server::work(I)I"), "Branch")
}
