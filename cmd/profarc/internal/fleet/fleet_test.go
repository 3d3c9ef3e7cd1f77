package fleet

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/full"
)

const asProfarc = "PROFARC_TEST_AS_PROFARC"

// TestMain runs profarc with one command of profarc-fleet, where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv(asProfarc) == "" {
		os.Exit(m.Run())
	}
	a := app.New(os.Stdin, cli.ProcessStreams())
	root := &cobra.Command{Use: "profarc"}
	commands := []cli.FleetCommand{{Name: "carry", Short: "Carry archives away"}, {Name: "pull", Short: "Pull"}}
	addCommands(a, root, commands)
	passCompletion(a, root, os.Args[1:], commands)
	a.CompleteRoot(root)
	os.Exit(a.Main(root, os.Args[1:]))
}

// profarc runs a copy of profarc in folder with PATH path, and returns its output and its exit code.
func profarc(t *testing.T, folder, path string, args ...string) (out string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, filepath.Base(self))
	if data, err := os.ReadFile(self); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(program, data, 0o777); err != nil {
		t.Fatal(err)
	}
	var both bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), asProfarc+"=1", "PATH="+path)
	cmd.Stdout, cmd.Stderr = &both, &both
	_ = cmd.Run()
	return both.String(), cmd.ProcessState.ExitCode()
}

// fleetIn writes a profarc-fleet that prints a name and its arguments, and fails with 7.
func fleetIn(t *testing.T, folder, name string) {
	t.Helper()
	programIn(t, folder, Program, name)
}

func programIn(t *testing.T, folder, program, name string) {
	t.Helper()
	script := "#!/bin/sh\necho " + name + " \"$@\"\nexit 7\n"
	if err := os.WriteFile(filepath.Join(folder, program), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
}

func TestProgramBesideComesBeforeThatOnPath(t *testing.T) {
	full.Only(t, "takes many inputs")
	if runtime.GOOS == "windows" {
		t.Skip("it runs a script of sh")
	}
	beside, onPath := t.TempDir(), t.TempDir()
	out, code := profarc(t, beside, onPath, "carry", "x")
	if code != 1 || !strings.HasPrefix(out, "profarc: ") || !strings.Contains(out, "go install ./cmd/profarc-fleet") ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("without a program: %d, %q", code, out)
	}
	fleetIn(t, onPath, "path")
	if out, code := profarc(t, beside, onPath, "carry", "--to", "a b"); code != 7 || out != "path carry --to a b\n" {
		t.Errorf("on PATH: %d, %q", code, out)
	}
	fleetIn(t, beside, "beside")
	if out, code := profarc(t, beside, onPath, "carry", "--help"); code != 7 || out != "beside carry --help\n" {
		t.Errorf("beside: %d, %q", code, out)
	}
	for _, words := range []string{"__complete carry ", "__completeNoDesc carry --to", "__complete carry a --"} {
		out, code := profarc(t, beside, onPath, strings.Split(words, " ")...)
		if code != 7 || out != "beside "+words+"\n" {
			t.Errorf("%s: %d, %q", words, code, out)
		}
	}
	out, code = profarc(t, beside, onPath, "__complete", "carr")
	if code != 0 || !strings.Contains(out, "carry\tCarry ") {
		t.Errorf("completion of its name: %d, %q", code, out)
	}
	if out, _ := profarc(t, beside, onPath, "help", "carry"); out != "beside carry --help\n" {
		t.Errorf("help of a command: %q", out)
	}
	if out, _ := profarc(t, beside, onPath, "help"); !strings.Contains(out, "carry       Carry archives away") {
		t.Errorf("help: %q", out)
	}
}

// TestPullHasAProgramOfItsOwn: without profarc-pull, profarc-fleet pulls.
func TestPullHasAProgramOfItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it runs a script of sh")
	}
	beside, onPath := t.TempDir(), t.TempDir()
	fleetIn(t, beside, "fleet")
	if out, code := profarc(t, beside, onPath, "pull", "shop:1", "-o", "a.parc"); code != 7 ||
		out != "fleet pull shop:1 -o a.parc\n" {
		t.Errorf("without it: %d, %q", code, out)
	}
	programIn(t, onPath, pullProgram, "small")
	if out, code := profarc(t, beside, onPath, "pull", "shop:1", "-o", "a.parc"); code != 7 ||
		out != "small shop:1 -o a.parc\n" {
		t.Errorf("with it: %d, %q", code, out)
	}
	if out, _ := profarc(t, beside, onPath, "help", "pull"); out != "small --help\n" {
		t.Errorf("help: %q", out)
	}
	if out, _ := profarc(t, beside, onPath, "carry", "x"); out != "fleet carry x\n" {
		t.Errorf("another command: %q", out)
	}
}
