package c_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// compileReader builds creader.c and gives the program; the test is skipped where there is no C compiler.
func compileReader(t *testing.T, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "creader")
	out, err := exec.Command(readerCompiler(t), append(flags, "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", program,
		"../internal/testkit/creader/creader.c", "-lm")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func readerCompiler(t *testing.T) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no C compiler")
	return ""
}

// sanitizedReader returns the program with the sanitizers, if the compiler has them.
func sanitizedReader(t *testing.T) string {
	t.Helper()
	return compileReader(t, readerSanitizers(t)...)
}

// readerSanitizers returns the flags that switch the sanitizers on, if the compiler has them.
func readerSanitizers(t *testing.T) []string {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe.c")
	if err := os.WriteFile(probe, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	if exec.Command(readerCompiler(t), append(flags, "-o", filepath.Join(t.TempDir(), "probe"), probe)...).Run() != nil {
		t.Log("the C compiler has no sanitizers")
		return []string{"-O1", "-g"}
	}
	return flags
}

func TestBothReadersPrintTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := compileReader(t, "-O2")
	for _, s := range append(specimen.All(), specimen.Hostile()...) {
		t.Run(s.Name, func(t *testing.T) {
			data := archiveOf(t, s)
			var want bytes.Buffer
			if err := jsondump.WriteArchive(&want, openBytes(t, data)); err != nil {
				t.Fatal(err)
			}
			got, stderr, status := runProgram(t, program, writeArchive(t, data))
			if status != 0 {
				t.Fatalf("exit status %d: %s", status, stderr)
			}
			if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(string(got), "\n")); diff != "" {
				t.Errorf("Go prints -, C prints +:\n%s", diff)
			}
		})
	}
}

func TestFindGoesThroughTheIndex(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := compileReader(t, "-O2")
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			data := archiveOf(t, s)
			path := writeArchive(t, data)
			for m, err := range openBytes(t, data).Methods() {
				if err != nil {
					t.Fatal(err)
				}
				findOne(t, program, path, data, m)
			}
			if _, _, status := runProgram(t, program, path, "find", "no", "such", "method", ""); status != 2 {
				t.Errorf("a method that is not there gives exit status %d, want 2", status)
			}
		})
	}
}

func findOne(t *testing.T, program, path string, data []byte, m reader.Method) {
	t.Helper()
	var want bytes.Buffer
	if err := jsondump.WriteMethod(&want, openBytes(t, data), m); err != nil {
		t.Fatal(err)
	}
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	got, stderr, status := runProgram(t, program, path, "find", k.Class, k.Name, k.Signature, k.Loader)
	if status != 0 {
		t.Fatalf("%+v: exit status %d: %s", k, status, stderr)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("%+v: Go prints -, C prints +:\n%s", k, diff)
	}
}

// TestReaderRefusesChangedBytes changes bytes one at a time, over all of a file
// but the gap before rw, and asks for a refusal or the same output.
func TestReaderRefusesChangedBytes(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := sanitizedReader(t)
	data := archiveOf(t, specimen.All()[0])
	want, _, _ := runProgram(t, program, writeArchive(t, data))
	h := openBytes(t, data).Header()
	for at := int64(0); at < h.FileSize; at += 131 {
		if at > disk.RegionOf(h, disk.RegionEX).End() && at < disk.RegionOf(h, disk.RegionRW).Offset-131 {
			continue
		}
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		out, stderr, status := runProgram(t, program, writeArchive(t, bad))
		if status == 0 && !bytes.Equal(out, want) {
			t.Errorf("byte 0x%x was changed, and the output is another", at)
		}
		if status != 0 && (status != 1 || !bytes.HasPrefix(stderr, []byte("creader: at 0x"))) {
			t.Errorf("byte 0x%x was changed: exit status %d, %s", at, status, stderr)
		}
		if status == 0 && (at < 640 || at >= disk.RegionOf(h, disk.RegionIX).Offset) {
			t.Errorf("byte 0x%x was changed, and nothing was noticed", at)
		}
	}
}

// TestBothReadersAgreeOnDamage changes words behind the sums' back: the sums
// are made right again, so that both readers have to look at the content. They
// must refuse the same archives and print the same of all others.
func TestBothReadersAgreeOnDamage(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := sanitizedReader(t)
	for _, s := range specimen.All() {
		data := archiveOf(t, s)
		h := openBytes(t, data).Header()
		for _, r := range []layout.Region{disk.RegionIX, disk.RegionRO, disk.RegionEX, disk.RegionRW} {
			span := disk.RegionOf(h, r)
			step := max(4, span.Size/12&^3)
			for at := span.Offset; at+4 <= span.End(); at += step {
				bad := bytes.Clone(data)
				binary.LittleEndian.PutUint32(bad[at:], []uint32{0xffffffff, 0x7fffffff, 0, 0x2001}[at/step%4])
				resum(bad, h)
				agree(t, program, bad, fmt.Sprintf("%s, word at 0x%x", s.Name, at))
			}
		}
	}
}

func agree(t *testing.T, program string, data []byte, what string) {
	t.Helper()
	out, stderr, status := runProgram(t, program, writeArchive(t, data))
	if status > 1 || bytes.Contains(stderr, []byte("Sanitizer")) {
		t.Errorf("%s: exit status %d, %s", what, status, stderr)
	}
	var want bytes.Buffer
	m, err := archive.FromBytes("specimen", data, archive.Options{})
	if err == nil {
		err = jsondump.WriteArchive(&want, reader.New(m))
	}
	if (err == nil) != (status == 0) {
		t.Errorf("%s: Go says %v, C exits with %d: %s", what, err, status, stderr)
	}
	if err == nil && !bytes.Equal(want.Bytes(), out) {
		t.Errorf("%s: the outputs differ", what)
	}
}

// resum makes all sums of an archive right.
func resum(data []byte, h *layout.Header) {
	tree := disk.SumTreeOf(h)
	ps := data[disk.RegionOf(h, disk.RegionPS).Offset:disk.RegionOf(h, disk.RegionPS).End()]
	for n := range tree.Pages() {
		span := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(ps[tree.SlotOffset(0, n):], disk.Checksum(data[span.Offset:span.End()]))
	}
	fixed := *h
	fixed.SumRoot = tree.ComputeLevels(ps)
	copy(data, disk.AppendHeader(nil, &fixed))
}

func TestReaderRefusesForeignFiles(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := sanitizedReader(t)
	sound := archiveOf(t, specimen.All()[0])
	version := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(version[12:], 2)
	binary.LittleEndian.PutUint64(version[32:], xxhash.Sum64(append(bytes.Clone(version[:32]), version[40:640]...)))
	for name, data := range map[string][]byte{
		"empty": {}, "text": []byte("not an archive"), "magic": sound[:8], "generic": sound[:64], "header": sound[:639],
		"cut": sound[:len(sound)-1], "longer": append(bytes.Clone(sound), 0), "version": version,
	} {
		if out, stderr, status := runProgram(t, program, writeArchive(t, data)); status != 1 || len(out) > 0 ||
			len(stderr) == 0 {
			t.Errorf("%s: exit status %d, output %q, message %q", name, status, out, stderr)
		}
	}
}

// TestReaderStaysSmall holds the program to a size that one can read in one sitting.
func TestReaderStaysSmall(t *testing.T) {
	source, err := os.ReadFile("../internal/testkit/creader/creader.c")
	if err != nil {
		t.Fatal(err)
	}
	const most = 35_000
	if n := len(bytes.Join(bytes.Fields(source), nil)); n >= most {
		t.Errorf("creader.c has %d characters beside spaces, want fewer than %d", n, most)
	}
}

// TestBothReadersReadWhatDamageLeaves: the snapshot of an adopted archive with a damaged
// profile is one that both readers print the same.
func TestBothReadersReadWhatDamageLeaves(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := compileReader(t, "-O2")
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			data := archiveOf(t, s)
			rw := disk.RegionOf(openBytes(t, data).Header(), disk.RegionRW)
			for at := rw.Offset; at < rw.End(); at += rw.Size/16 + 1 {
				damaged := slices.Clone(data)
				damaged[at] ^= 16
				m, err := archive.FromBytes(s.Name, damaged, archive.Options{Unchecked: true})
				if err != nil {
					t.Fatal(err)
				}
				store := reader.New(m)
				b := builder.New(store.Header().Domain, builder.ConfigOf(store.Header()))
				if err := store.Adopt(reader.AdoptOptions{Anywhere: true}); err != nil {
					t.Fatal(err)
				}
				if _, err := merge.Snapshot(t.Context(), b, store, merge.Totals); err != nil {
					t.Fatalf("0x%x: %v", at, err)
				}
				left, _, err := b.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				var want bytes.Buffer
				if err := jsondump.WriteArchive(&want, openBytes(t, left)); err != nil {
					t.Fatal(err)
				}
				got, stderr, status := runProgram(t, program, writeArchive(t, left))
				if status != 0 || !bytes.Equal(got, want.Bytes()) {
					t.Errorf("0x%x: exit status %d, or another text than Go's: %s", at, status, stderr)
				}
			}
		})
	}
}
