package c_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestMethodsOfClasses reads every archive class by class, from several threads, without
// adopting it.
func TestMethodsOfClasses(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, sanitizers := range []string{"address,undefined", "thread"} {
		t.Run(sanitizers, func(t *testing.T) {
			program := sanitized(t, sanitizers).client(t, "tests/agent.c")
			for _, s := range append(specimen.All(), specimen.Hostile()...) {
				data := archiveOf(t, s)
				out, stderr, status := runProgram(t, program, writeArchive(t, data))
				if want := fmt.Sprintf("%d methods, ", openBytes(t, data).Header().Counts.Methods); status != 0 ||
					!strings.HasPrefix(string(out), want) {
					t.Errorf("%s: exit status %d: %s%s, want %s", s.Name, status, out, stderr, want)
				}
				if s.Name == "hotspot" && strings.HasSuffix(string(out), " 0 types\n") {
					t.Error("no entry names a type")
				}
			}
		})
	}
}

// aMethod returns bytecodes of a class file and of a VM, which may be cut off.
func aMethod(p *rand.Rand) (code []byte) {
	for range p.IntN(30) {
		at := len(code)
		code = append(code, byte(p.IntN(245)))
		for range 60 {
			code = append(code, byte(p.Uint32()&p.Uint32()&p.Uint32()&p.Uint32()))
		}
		size := bytecode.Size(code, at)
		if size == 0 && p.IntN(4) == 0 {
			size = 1 // no bytecode
		}
		code = code[:at+size]
	}
	return code[:len(code)-min(len(code), p.IntN(8)/7)]
}

func TestCodeIDsAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	p := rand.New(rand.NewPCG(7, 1))
	var file, want bytes.Buffer
	known := 0
	for range 2000 {
		code := aMethod(p)
		file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(code))))
		file.Write(code)
		id := bytecode.CodeID(code)
		fmt.Fprintf(&want, "%x\n", id)
		if id != 0 {
			known++
		}
	}
	if known < 1000 || known == 2000 {
		t.Fatalf("%d of 2000 methods have a code id", known)
	}
	out, stderr, status := runProgram(t, sanitized(t, "address,undefined").client(t, "tests/agent.c"), "codes",
		writeArchive(t, file.Bytes()))
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	compare(t, want.String(), string(out))
}

// TestAgentKeepsNames links the static library into a shared object, which then shows no
// name of it.
func TestAgentKeepsNames(t *testing.T) {
	t.Parallel()
	b := plain(t)
	if _, err := exec.LookPath("nm"); err != nil {
		t.Skip("there is no nm")
	}
	source, object := filepath.Join(t.TempDir(), "agent.c"), filepath.Join(t.TempDir(), "agent.so")
	const text = "#include <profarc_archive.h>\n__attribute__((visibility(\"default\"))) int Agent_OnLoad(const char *path) { " +
		"pa_archive *a; return pa_open(path, NULL, &a).code; }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(b.library(t), "libprofarc.a")
	command(t, b.cc, "-std=c11", "-fPIC", "-fvisibility=hidden", "-shared", "-pthread", "-Iinclude", "-Wl,-z,text",
		"-Wl,--exclude-libs=libprofarc.a", "-o", object, source, library)
	for line := range strings.Lines(string(command(t, "nm", "-D", "--defined-only", object))) {
		if strings.Contains(line, " pa") {
			t.Errorf("the agent shows %s", line)
		}
	}
}
