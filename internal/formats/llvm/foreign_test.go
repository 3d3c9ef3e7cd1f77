package llvm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
)

const correlatedProgram = `
#include <stdlib.h>
int twice(int x) { return x > 10 ? 2 * x : x; }
int main(int n, char **v) { int s = 0; for (int i = 0; i < 30; i++) s += twice(i); return s == 0; }
`

// TestCorrelatedFiles: a profile and its program make the same as a profile that holds everything, and as
// llvm-profdata makes of both. Without the program it is an error.
func TestCorrelatedFiles(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	clang, profdata := tool(t, "clang", "19"), tool(t, "llvm-profdata", "19")
	for _, front := range []string{"-fprofile-generate", "-fprofile-instr-generate"} {
		t.Run(front, func(t *testing.T) {
			dir := t.TempDir()
			save(t, dir, "a.c", []byte(correlatedProgram))
			build := func(program string, flags ...string) {
				t.Helper()
				run(t, dir, append([]string{clang, "-O1", "a.c", "-o", program, front}, flags...)...)
				t.Setenv("LLVM_PROFILE_FILE", program+".profraw")
				run(t, dir, filepath.Join(dir, program))
			}
			build("plain")
			want := indexedText(t, dir, "plain.profraw", ReadOptions{})
			build("binary", "-mllvm", "-profile-correlate=binary", "-Wl,--build-id")
			program := ReadOptions{Binary: []string{filepath.Join(dir, "binary")}}
			requireCorrelated(t, dir, want, "binary", "correlate=binary", program)
			run(t, dir, profdata, "merge", "--binary-file=binary", "binary.profraw", "-o", "binary.profdata")
			if got := indexedText(t, dir, "binary.profdata", ReadOptions{}); got != want {
				t.Errorf("llvm-profdata makes of a program and its profile\n%s\nwant\n%s", got, want)
			}
			b, _ := readInto(t, program, mustLoad(t, filepath.Join(dir, "binary.profraw")))
			indexed, _ := writeIndexed(t, memstore.Open(t, b), WriteOptions{})
			if !bytes.Equal(indexed, mustLoad(t, filepath.Join(dir, "binary.profdata"))) {
				t.Error("the indexed profile has other bytes than llvm-profdata's")
			}
			if front != "-fprofile-generate" {
				return // debug information has no front end's functions
			}
			for program, flags := range map[string][]string{"debug": nil, "old": {"-gdwarf-4"}} {
				build(program, append(flags, "-g", "-mllvm", "-profile-correlate=debug-info")...)
				requireCorrelated(t, dir, want, program, "correlate=debug-info",
					ReadOptions{DebugInfo: []string{filepath.Join(dir, program)}})
			}
		})
	}
}

// requireCorrelated reads a profile without and with its program.
func requireCorrelated(t *testing.T, dir, want, program, option string, o ReadOptions) {
	t.Helper()
	file := mustLoad(t, filepath.Join(dir, program+".profraw"))
	if _, _, err := Read(bytes.NewReader(file), ReadOptions{}); !errors.Is(err, ErrCorrelated) ||
		!strings.Contains(err.Error(), option) {
		t.Errorf("%s without its program: %v, want an error with %q", program, err, option)
	}
	if got := indexedText(t, dir, program+".profraw", o); got != want {
		t.Errorf("%s with its program is\n%s\nwant\n%s", program, got, want)
	}
}

// TestCorrelatedByAnotherProgram: what is no program, has no sections, or is another build is an error with its place.
// Of several programs the one that fits is read.
func TestCorrelatedByAnotherProgram(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	clang := tool(t, "clang", "19")
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	build := func(program, text string, flags ...string) {
		t.Helper()
		save(t, dir, "a.c", []byte(text))
		command := []string{clang, "-O1", "a.c", "-o", program, "-fprofile-generate", "-Wl,--build-id"}
		run(t, dir, append(command, flags...)...)
	}
	build("program", correlatedProgram, "-mllvm", "-profile-correlate=binary")
	build("other", strings.Replace(correlatedProgram, "10", "11", 1), "-mllvm", "-profile-correlate=binary")
	build("plain", correlatedProgram)
	t.Setenv("LLVM_PROFILE_FILE", path("p.profraw"))
	run(t, dir, path("program"))
	file := mustLoad(t, filepath.Join(dir, "p.profraw"))
	both := ReadOptions{Binary: []string{path("other"), path("program")}}
	if _, r, err := Read(bytes.NewReader(file), both); err != nil || r.Methods == 0 {
		t.Errorf("the second of two programs is not found: %v", err)
	}
	for program, want := range map[string]string{"other": "their build ids differ",
		"plain": "it has no section __llvm_covdata", "a.c": "no program in ELF", "none": "no such file",
		"/bin/sh": "it has no section __llvm_prf_cnts"} {
		t.Run(program, func(t *testing.T) {
			if !filepath.IsAbs(program) {
				program = path(program)
			}
			var e *Error
			if _, _, err := Read(bytes.NewReader(file), ReadOptions{Binary: []string{program}}); !errors.As(err, &e) ||
				!strings.Contains(err.Error(), want) || !errors.Is(err, ErrCorrelated) {
				t.Errorf("%s: %v, want an error with %q", program, err, want)
			}
		})
	}
}

// correlatedFile returns a raw profile of version 10 that has 8 counters and no functions.
func correlatedFile(v Variant) []byte {
	const version, words, counters, lastKind = 10, 16, 5, 15
	b := make([]byte, 8*(words+8))
	binary.BigEndian.PutUint64(b, 0x8172666f72706cff)
	le.PutUint64(b[8:], version|uint64(v)<<VariantShift)
	le.PutUint64(b[8*counters:], 8)
	le.PutUint64(b[8*lastKind:], 2)
	return b
}

// FuzzProgram reads programs that are none, or whose sections say anything.
func FuzzProgram(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	for _, name := range []string{"bin", "febin"} {
		if program, err := os.ReadFile("../../../../shared/samples/compilers/correlate/" + name); err == nil {
			f.Add(program)
		}
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, program, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, o := range []ReadOptions{{Binary: []string{path}}, {DebugInfo: []string{path}}} {
			var e *Error
			_, r, err := Read(bytes.NewReader(correlatedFile(VariantIR|variantIf(o.DebugInfo != nil, VariantCorrelated))), o)
			if err != nil && !errors.As(err, &e) || err == nil && r.Methods == 0 {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

// variantIf returns a variant, or none.
func variantIf(is bool, v Variant) Variant {
	if is {
		return v
	}
	return 0
}

// indexedText returns a file as LLVM's text.
func indexedText(t *testing.T, dir, name string, o ReadOptions) string {
	t.Helper()
	b, _, err := Read(bytes.NewReader(mustLoad(t, filepath.Join(dir, name))), o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, _ := writeText(t, memstore.Open(t, b), WriteOptions{})
	return string(text)
}

// TestNothingIsLostWithoutAVersion: of what a release of LLVM made, the default version
// holds all that the file of llvm-profdata holds.
func TestNothingIsLostWithoutAVersion(t *testing.T) {
	held := map[string]int{}
	for _, s := range samples(t) {
		b, _ := readInto(t, ReadOptions{}, s.profdata)
		store := memstore.Open(t, b)
		got, r := writeIndexed(t, store, WriteOptions{})
		if indexedVersion(got) != indexedVersion(s.profdata) {
			t.Errorf("%s: written as version %d, read as %d", s.name(), indexedVersion(got), indexedVersion(s.profdata))
		}
		requireSameContent(t, got, s.profdata)
		for _, l := range r.Lost {
			t.Errorf("%s: %d %s", s.name(), l.Count, l.What)
		}
		for _, kind := range []disk.TableKind{disk.TableBinaryIDs, disk.TableTraces} {
			if table, err := store.TableOrEmpty(kind); err == nil && table.Rows > 0 {
				held[fmt.Sprint(kind)]++
			}
		}
	}
	if len(held) != 2 {
		t.Errorf("samples hold %v", held)
	}
}
