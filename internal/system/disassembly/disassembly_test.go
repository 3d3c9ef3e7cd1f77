package disassembly

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const program = `package main

import "os"

//go:noinline
func count(words []string) (n int) {
	for _, w := range words {
		n += len(w)
	}
	return n
}

func main() { os.Exit(count(os.Args) & 1) }
`

func buildProgram(t *testing.T, arch string, flags ...string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(source), "program")
	build := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), source)...)
	build.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestInstructionsAreThoseOfObjdump compares addresses, lines and the first words of instructions with Go's objdump.
func TestInstructionsAreThoseOfObjdump(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`(?m)^  (\w+\.go):(\d+)\s+0x([0-9a-f]+)\s+[0-9a-f]+\s.*// (\S+)`)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			path := buildProgram(t, arch)
			out, err := exec.Command("go", "tool", "objdump", "-gnu", "-s", `^main\.count$`, path).Output()
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, m := range row.FindAllStringSubmatch(string(out), -1) {
				want = append(want, fmt.Sprintf("%s %s:%s %s", m[3], m[1], m[2], m[4]))
			}
			p, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			list, more, err := p.Function("main.count", 1000)
			if err != nil || more || len(want) < 10 {
				t.Fatalf("%d instructions, objdump has %d, more %v: %v", len(list), len(want), more, err)
			}
			var got []string
			for _, i := range list {
				name, _, _ := strings.Cut(i.Text, " ")
				if name == ".byte" {
					continue // padding, which objdump omits
				}
				got = append(got, fmt.Sprintf("%x %s:%d %s", i.Address, filepath.Base(i.File), i.Line, name))
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if list, more, err = p.Function("main.count", 3); err != nil || !more || len(list) != 3 {
				t.Errorf("3 instructions: %d, more %v: %v", len(list), more, err)
			}
			if _, _, err = p.Function("main.inlined", 3); !errors.Is(err, ErrNoFunction) {
				t.Errorf("a missing function: %v", err)
			}
		})
	}
}

func TestProgramsWithoutSymbolsOrLines(t *testing.T) {
	t.Parallel()
	if _, err := Open(buildProgram(t, "amd64", "-ldflags=-s")); err == nil || !strings.Contains(err.Error(), "stripped") {
		t.Errorf("a stripped program: %v", err)
	}
	p, err := Open(buildProgram(t, "amd64", "-ldflags=-w"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	list, _, err := p.Function("main.count", 1000)
	if err != nil || len(list) == 0 || list[0].Line != 0 {
		t.Errorf("without debug information %d instructions: %v", len(list), err)
	}
	if _, err := Open(os.DevNull); err == nil || !strings.Contains(err.Error(), "ELF") {
		t.Errorf("no program: %v", err)
	}
	if _, err := Open(buildProgram(t, "386")); err == nil || !strings.Contains(err.Error(), "amd64") {
		t.Errorf("another machine: %v", err)
	}
}

func TestBuildID(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{"-ldflags=-B 0x1234abcd": "1234abcd", "-ldflags=-B none": ""} {
		p, err := Open(buildProgram(t, "amd64", flags))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.BuildID(); got != want {
			t.Errorf("%s: build id %q, want %q", flags, got, want)
		}
		p.Close()
	}
}
