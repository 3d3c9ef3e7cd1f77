// Package c_test tests libprofarc: its reading is compared with what the Go
// packages read.
package c_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A build is libprofarc and a client, as one compiler makes them. link are more flags of
// the client.
type build struct{ cc, flags, link string }

// compilers returns the C compilers; the test is skipped where there are none.
func compilers(t *testing.T) (found []string) {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	if runtime.GOOS != "linux" {
		t.Skip("the Makefile is for Linux") // its linker, and _GNU_SOURCE in the clients
	}
	for _, name := range []string{"gcc", "clang", "cc"} {
		if _, err := exec.LookPath(name); err == nil && (name != "cc" || found == nil) {
			found = append(found, name)
		}
	}
	if found == nil {
		t.Skip("there is no C compiler")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	return found
}

// plain returns a build without sanitizers, in which valgrind finds lines.
func plain(t *testing.T) build { return build{cc: compilers(t)[0], flags: "-O1 -g"} }

// sanitized returns a build with sanitizers, if the compiler has them.
func sanitized(t *testing.T, sanitizers string) build {
	t.Helper()
	b := build{cc: compilers(t)[0], flags: "-O1 -g -fsanitize=" + sanitizers + " -fno-sanitize-recover=all"}
	probe := filepath.Join(t.TempDir(), "probe.c")
	if err := os.WriteFile(probe, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "probe")
	if exec.Command(b.cc, append(strings.Fields(b.flags), "-o", program, probe)...).Run() != nil ||
		exec.Command(program).Run() != nil {
		t.Logf("%s has no sanitizers %s", b.cc, sanitizers)
		return plain(t)
	}
	return b
}

// library builds the library, once for all tests, and returns its directory.
func (b build) library(t *testing.T) string {
	t.Helper()
	archive := once(t, b.cc+b.flags, b.archive)
	out := filepath.Dir(archive)
	once(t, b.cc+b.flags+" shared", func() (string, error) {
		return out, b.makes(out, filepath.Join(out, "libprofarc.so.2"))
	})
	return out
}

// makes builds targets of the Makefile in a folder, as far as they are not there.
func (b build) makes(out string, targets ...string) error {
	return run("make", append([]string{"-s", "CC=" + b.cc, "CFLAGS=" + b.flags, "OUT=" + out}, targets...)...)
}

// client builds a program of a source with the static library, each once for all tests.
func (b build) client(t *testing.T, source string) string {
	t.Helper()
	return once(t, fmt.Sprint(b, source), func() (string,
		error) {
		return b.compile(once(t, b.cc+b.flags, b.archive), source)
	})
}

// once returns what the first call with a key made.
func once(t *testing.T, key string, make func() (string, error)) string {
	t.Helper()
	made, _ := built.LoadOrStore(key, sync.OnceValues(make))
	path, err := made.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built has the functions that build libraries and clients.
var built sync.Map

// scratch is where clients lie.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "libprofarc")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// archive builds the library and returns the path of the static one.
func (b build) archive() (path string, err error) {
	out, err := os.MkdirTemp(scratch, "library")
	if err != nil {
		return "", err
	}
	path = filepath.Join(out, "libprofarc.a")
	return path, b.makes(out, path)
}

func (b build) compile(library, source string) (program string, err error) {
	out, err := os.MkdirTemp(scratch, "client")
	if err != nil {
		return "", err
	}
	program = filepath.Join(out, "client")
	args := append(strings.Fields(b.flags+" "+b.link), "-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-Iinclude",
		"-o", program, source, library)
	return program, run(b.cc, args...)
}

func run(name string, args ...string) error {
	c := exec.Command(name, args...)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	return nil
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("Go prints -, C prints +:\n%s", diff)
	}
}

func TestDumpIsTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, cc := range compilers(t) {
		program := build{cc: cc, flags: "-O2"}.client(t, "tests/dump.c")
		for _, s := range append(specimen.All(), specimen.Hostile()...) {
			t.Run(cc+"/"+s.Name, func(t *testing.T) {
				data := archiveOf(t, s)
				var want bytes.Buffer
				if err := jsondump.WriteArchive(&want, openBytes(t, data)); err != nil {
					t.Fatal(err)
				}
				got, stderr, status := runProgram(t, program, writeArchive(t, data))
				if status != 0 {
					t.Fatalf("exit status %d: %s", status, stderr)
				}
				compare(t, want.String(), string(got))
			})
		}
	}
}

func TestLookupsAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/dump.c")
	for _, s := range append(specimen.All(), specimen.Hostile()...) {
		t.Run(s.Name, func(t *testing.T) {
			compareLookups(t, program, archiveOf(t, s))
		})
	}
}

// lookups prints what dump.c does with the argument keys for a method.
func lookups(t *testing.T, w *bytes.Buffer, s *reader.Store, m reader.Method) {
	t.Helper()
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Find(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := jsondump.WriteMethod(w, s, found); err != nil {
		t.Fatal(err)
	}
	_, byID := s.FindID(m.ID())
	p, byKey := s.Profile(k, layout.CodeAny)
	q, ofID := s.ProfileID(m.ID(), layout.CodeAny)
	fmt.Fprintf(w, "id: %s, profile: %s, by id: %s, ", lookupName(byID, nil), lookupName(byKey, &m),
		profileName(byID, ofID, &m))
	k.Name += "?"
	_, miss := s.Find(k)
	fmt.Fprintf(w, "at %d %d %d, miss: %s\n", p.Ref(), q.Ref(), q.Ref(), lookupName(miss, nil))
	contexts(t, w, m)
}

// contexts prints what dump.c prints of lookups in contexts.
func contexts(t *testing.T, w *bytes.Buffer, m reader.Method) {
	t.Helper()
	lookup := func(code uint64, frames ...reader.Frame) {
		p, depth, err := m.Profile(code, frames...)
		if err != nil {
			p, depth = reader.Profile{}, 0
		}
		fmt.Fprintf(w, " %s %d %d,", lookupName(err, &m), depth, p.Ref())
	}
	fmt.Fprint(w, "contexts:")
	lookup(layout.CodeAny)
	lookup(layout.CodeUnknown)
	for c, err := range m.Contexts() {
		if err != nil {
			t.Fatal(err)
		}
		frames := framesOf(t, c)
		last := len(frames) - 1
		lookup(layout.CodeAny, frames...)
		lookup(layout.CodeUnknown, frames...)
		lookup(layout.CodeAny, append(frames, frames[last])...)
		lookup(1, frames...)
		frames[last].Point ^= 1
		lookup(layout.CodeAny, frames...)
	}
	fmt.Fprint(w, "\nversions:")
	for p, err := range m.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		var frames []reader.Frame
		if c, ok, err := p.Context(); err != nil {
			t.Fatal(err)
		} else if ok {
			frames = framesOf(t, c)
		}
		lookup(p.Code(), frames...)
		lookup(p.Code()+1, frames...)
	}
	fmt.Fprintln(w)
}

func framesOf(t *testing.T, c reader.Context) []reader.Frame {
	t.Helper()
	frames, err := c.Frames()
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

// profileName returns the result of a lookup of a profile by id; the method by itself is
// found, or not.
func profileName(method, profile error, m *reader.Method) string {
	if method != nil {
		return lookupName(method, nil)
	}
	return lookupName(profile, m)
}

// lookupName returns what dump.c calls a result. A method that is known has no profile, or
// was not executed.
func lookupName(err error, known *reader.Method) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, reader.ErrAmbiguous):
		return "ambiguous"
	case known == nil:
		return "not found"
	case known.Unexecuted():
		return "unexecuted"
	}
	return "no profile"
}

func TestForeignFilesAreRefused(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/dump.c")
	sound := archiveOf(t, specimen.All()[0])
	version := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(version[12:], 2)
	for name, data := range map[string][]byte{
		"empty": {}, "text": []byte("not an archive"), "magic": sound[:8], "generic": sound[:64], "header": sound[:639],
		"sums": sound[:700], "cut": sound[:len(sound)-1], "page": sound[:len(sound)&^4095],
		"longer": append(bytes.Clone(sound), 0), "version": version,
	} {
		if out, stderr, status := runProgram(t, program, writeArchive(t, data)); status != 1 || len(out) > 0 ||
			!bytes.HasPrefix(stderr, []byte("dump: at 0x")) {
			t.Errorf("%s: exit status %d, output %q, message %q", name, status, out, stderr)
		}
	}
	if _, stderr, status := runProgram(t, program, t.TempDir()); status != 1 || len(stderr) == 0 {
		t.Errorf("a directory: exit status %d, message %q", status, stderr)
	}
}

// TestInstall installs the library and builds a client as another project does.
func TestInstall(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	b := plain(t)
	prefix := t.TempDir()
	lib := filepath.Join(prefix, "lib64")
	if err := b.makes(b.library(t), "install", "PREFIX="+prefix, "LIBDIR="+lib); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(prefix, "client")
	command(t, b.cc, "-std=c11", "-I"+filepath.Join(prefix, "include"), "-o", program, "tests/dump.c", "-L"+lib,
		"-lprofarc", "-Wl,-rpath,"+lib)
	data := archiveOf(t, specimen.All()[0])
	var want bytes.Buffer
	if err := jsondump.WriteArchive(&want, openBytes(t, data)); err != nil {
		t.Fatal(err)
	}
	got, stderr, status := runProgram(t, program, writeArchive(t, data))
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	compare(t, want.String(), string(got))
	vm := filepath.Join(prefix, "vm")
	command(t, b.cc, "-std=c11", "-I"+filepath.Join(prefix, "include"), "-pthread", "-o", vm,
		filepath.Join(prefix, "share/doc/profarc/examples/vm.c"), "-L"+lib, "-lprofarc", "-Wl,-rpath,"+lib)
	for range 2 {
		runVM(t, vm, filepath.Join(prefix, "vm.parc"))
	}
	if config, err := os.ReadFile(filepath.Join(lib, "pkgconfig", "profarc.pc")); err != nil ||
		!bytes.Contains(config, []byte("prefix="+prefix+"\n")) || !bytes.Contains(config, []byte("libdir="+lib+"\n")) {
		t.Errorf("profarc.pc: %v\n%s", err, config)
	}
}

// TestExportedNames checks that the header declares the names that the shared
// library exports, and no others.
func TestExportedNames(t *testing.T) {
	t.Parallel()
	b := plain(t)
	if _, err := exec.LookPath("nm"); err != nil {
		t.Skip("there is no nm")
	}
	var header []byte
	for _, name := range []string{"profarc.h", "profarc_archive.h"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("include", name))
			if err != nil {
				t.Fatal(err)
			}
			header = append(header, text...)
			if n := strings.Count(string(text), "\nPA_API "); name == "profarc.h" && n > 30 {
				t.Errorf("profarc.h has %d functions, more than a VM needs", n)
			}
		})
	}
	exported := map[string]bool{}
	for line := range strings.Lines(string(command(t, "nm", "-D", "--defined-only",
		filepath.Join(b.library(t), "libprofarc.so.2")))) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "T" {
			name, version, _ := strings.Cut(f[2], "@@")
			exported[name] = true
			if version != "PROFARC_2" || !strings.HasPrefix(name, "pa_") {
				t.Errorf("%s is exported with the version %q", name, version)
			}
		}
	}
	for line := range strings.Lines(string(header)) {
		if _, declared, ok := strings.Cut(line, "PA_API "); ok && strings.Contains(declared, "(") &&
			!strings.HasPrefix(line, "#") {
			words := strings.FieldsFunc(declared[:strings.Index(declared, "(")],
				func(r rune) bool { return r == ' ' || r == '*' })
			name := words[len(words)-1]
			if !exported[name] {
				t.Errorf("%s is declared, and not exported", name)
			}
			delete(exported, name)
		}
	}
	for name := range exported {
		t.Errorf("%s is exported, and not declared", name)
	}
}
