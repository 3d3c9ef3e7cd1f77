package sample

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/reader"
)

// gccExporter returns the exporter of a version.
func gccExporter(version int) codec.Exporter {
	e := GCCExporter()
	if err := e.Format().Options[0].Value.Set(fmt.Sprint(version)); err != nil {
		panic(err)
	}
	return e
}

// importedGCC opens the archive of a file of GCC.
func importedGCC(t testing.TB, file []byte) *reader.Store {
	t.Helper()
	return opened(t, imported(t, file))
}

// generatedForGCC returns a profile that GCC's file holds. Totals are those of the lines.
func generatedForGCC(seed uint64) *Profile {
	p := generated(seed, 1+int(seed)*2, false, false)
	for _, f := range p.Functions {
		f.fitGCC()
	}
	p.sort()
	return p
}

func (f *Function) fitGCC() (total uint64) {
	for i := range f.Lines {
		f.Lines[i].Discriminator &= 0xffff
		total += f.Lines[i].Samples
	}
	for i := range f.Calls {
		f.Calls[i].Discriminator &= 0xffff
		total += f.Calls[i].fitGCC()
	}
	f.Total = total
	return total
}

// gccBytesOf returns a file with the words, texts and, as uint64, the counts of parts.
func gccBytesOf(parts ...any) (file []byte) {
	for _, part := range parts {
		switch part := part.(type) {
		case int:
			file = binary.LittleEndian.AppendUint32(file, uint32(part))
		case uint64:
			file = binary.LittleEndian.AppendUint64(file, part)
		case string:
			file = append(file, part...)
		}
	}
	return file
}

// endOfGCC has no modules and an empty working set.
var endOfGCC = string(gccBytesOf(0xae000000, 0, 0, 0xaf000000, 384)) + strings.Repeat("\x00", 128*12)

// Files with the layout of create_gcov come back, byte for byte, and have the right text.
func TestGCCFilesComeBack(t *testing.T) {
	t.Parallel()
	padded := []any{0, 0xaa000000, 13, 5, 1, "\x00\x00\x00\x00", 1, "add\x00", 1, "dbl\x00", 2, "half\x00\x00\x00\x00", 2,
		"work\x00\x00\x00\x00"}
	inBytes := []any{0, 0xaa000000, 13, 5, 1, "\x00", 4, "add\x00", 4, "dbl\x00", 5, "half\x00", 5, "work\x00"}
	functions := []any{0xac000000, 41, 2,
		uint64(7), 1, 1, 0, 3<<16 | 2, 0, uint64(40), // add
		uint64(9), 4, 2, 1, 2 << 16, 0, uint64(500), // work
		5<<16 | 1, 2, uint64(500), 7, uint64(2), uint64(38), 7, uint64(3), uint64(400),
		4 << 16, 1, 1, 0, 6 << 16, 0, uint64(1 << 35), endOfGCC}
	for version, names := range map[int][]any{gccPadded: padded, gccLLVM: padded, gccBytes: inBytes} {
		want := gccBytesOf(append(append([]any{0x67636461, version}, names...), functions...)...)
		if !(&Importer{}).Detect(want, true) {
			t.Error("not detected")
		}
		store := opened(t, imported(t, want))
		if got := exported(t, store, gccExporter(version)); !bytes.Equal(got, want) {
			t.Errorf("version %d: got\n%.900x\nwant\n%.900x", version, got, want)
		}
		text := "work:34359739368:9\n 2: 500\n 5.1: 500 half:400 dbl:38\n 4: add:34359738368\n  6: 34359738368\n" +
			"add:40:7\n 3.2: 40\n"
		if got := string(exported(t, store, TextExporter())); got != text {
			t.Errorf("version %d: got %s, want %s", version, got, text)
		}
	}
}

// Profiles of LLVM come back in all versions of the file, with the same text.
func TestGCCFilesHoldProfiles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		text := written(t, generatedForGCC(seed).WriteText)
		store := opened(t, imported(t, text))
		for _, version := range []int{gccPadded, gccBytes, gccFiles, gccLLVM} {
			file := exported(t, store, gccExporter(version))
			again := importedGCC(t, file)
			if got := exported(t, again, TextExporter()); !bytes.Equal(got, text) {
				t.Errorf("seed %d, version %d: got\n%s\nwant\n%s", seed, version, got, text)
			}
			if got := exported(t, again, gccExporter(version)); !bytes.Equal(got, file) {
				t.Errorf("seed %d, version %d: the file differs", seed, version)
			}
		}
	}
}

// LLVM's reader of GCC's files agrees with the text.
func TestGCCFilesAgreeWithLLVM(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"14", "19"} {
		profdata := judge(t, release)
		for seed := range uint64(8) {
			text := written(t, generatedForGCC(seed).WriteText)
			path := filepath.Join(t.TempDir(), "gcc")
			file := exported(t, opened(t, imported(t, text)), gccExporter(gccLLVM))
			if err := os.WriteFile(path, file, 0o666); err != nil {
				t.Fatal(err)
			}
			if got := judged(t, profdata, path, "--text"); !bytes.Equal(got, text) {
				t.Errorf("LLVM %s, seed %d: got\n%s\nwant\n%s", release, seed, got, text)
			}
		}
	}
}

const judgedProgram = `int hot (int);
int cold (int);
int work (int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    if (n & 4)
      s += hot (i);
    else
      s -= cold (i);
  return s;
}
`

// GCC takes the counts of our file for the blocks of a program.
func TestGCCTakesTheCounts(t *testing.T) {
	t.Parallel()
	full.Only(t, "runs gcc")
	tested := false
	for _, gcc := range []string{"gcc", "gcc-11", "gcc-16"} {
		out, err := exec.Command(gcc, "-dumpversion").Output()
		if err != nil {
			continue
		}
		major, _, _ := strings.Cut(strings.TrimSpace(string(out)), ".")
		version := gccBytes
		switch {
		case len(major) < 2 || major < "12":
			version = gccPadded
		case major > "15":
			version = gccFiles
		}
		tested = true
		t.Run(gcc, func(t *testing.T) { compareWithGCC(t, gcc, version) })
	}
	if !tested {
		t.Skip("no gcc on this machine")
	}
}

func compareWithGCC(t *testing.T, gcc string, version int) {
	dir := t.TempDir()
	store := opened(t, imported(t, []byte("work:12400:3\n 2: 3\n 3: 6200\n 4: 6000\n 5: 5800\n 7: 397\n 8: 3\n")))
	file := exported(t, store, gccExporter(version))
	dump := dumpOfGCC(t, dir, gcc, file, "a.c", judgedProgram)
	for _, count := range []string{"5800", "397", "6200"} {
		want := "count " + count + " (auto FDO)"
		if version == gccFiles {
			want = "with count " + count + ", scaled to "
		}
		if !strings.Contains(dump, want) {
			t.Errorf("no block of %s in\n%s", count, dump)
		}
	}
}

// dumpOfGCC compiles a source file with a profile, and returns the dump of the pass that reads it.
func dumpOfGCC(t *testing.T, dir, gcc string, profile []byte, name, source string) string {
	t.Helper()
	for name, b := range map[string][]byte{name: []byte(source), "a.afdo": profile} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(gcc, "-O2", "-g", "-fauto-profile=a.afdo", "-fdump-ipa-afdo-blocks-details",
		"-fdump-tree-optimized", "-c", name)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return readDump(t, dir, name+".*.afdo")
}

func readDump(t *testing.T, dir, pattern string) string {
	t.Helper()
	dumps, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(dumps) != 1 {
		t.Fatal(dumps, err)
	}
	dump, err := os.ReadFile(dumps[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(dump)
}

// Profiles that GCC's file does not hold are refused.
func TestGCCFilesRefuseTheRest(t *testing.T) {
	t.Parallel()
	guids := Extensible{GUIDs: true}
	for name, file := range map[string][]byte{
		"contexts":       []byte("[main:3 @ foo]:1:1\n 1: 1\n"),
		"probes":         []byte("main:1:1\n 1: 1\n !CFGChecksum: 2\n"),
		"discriminators": []byte("main:1:1\n 1.65536: 1\n"),
		"places":         []byte("main:1:1\n 1.65536: f:1\n  1: 1\n"),
		"hashes":         written(t, func(w io.Writer) error { return guids.Write(w, generatedForGCC(1)) }),
	} {
		_, err := GCCExporter().Export(io.Discard, opened(t, imported(t, file)))
		if !errors.Is(err, ErrNotGCC) || !strings.Contains(err.Error(), "llvm-sample-extbinary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Releases of create_gcov before 0.20 pad names in version 2, which GCC does not read. The export is in version 2.
func TestPaddedNamesOfVersion2AreRead(t *testing.T) {
	t.Parallel()
	file := gccBytesOf(0x67636461, 2, 0, 0xaa000000, 5, 2, 1, "\x00\x00\x00\x00", 2, "work\x00\x00\x00\x00",
		0xac000000, 10, 1, uint64(5), 1, 1, 0, 1<<16, 0, uint64(3), endOfGCC)
	want := gccBytesOf(0x67636461, 2, 0, 0xaa000000, 6, 2, 1, "\x00", 5, "work\x00",
		0xac000000, 10, 1, uint64(5), 1, 1, 0, 1<<16, 0, uint64(3), endOfGCC)
	if got := exported(t, importedGCC(t, file), gccExporter(gccBytes)); !bytes.Equal(got, want) {
		t.Errorf("got\n%.900x\nwant\n%.900x", got, want)
	}
}

// Damaged files are refused with the byte.
func TestDamagedGCCFilesAreRefused(t *testing.T) {
	t.Parallel()
	two := gccBytesOf(0x67636461, 2, 0, 0xaa000000, 6, 2, 1, "\x00", 5, "work\x00",
		0xac000000, 10, 1, uint64(5), 1, 1, 0, 1<<16, 0, uint64(3), endOfGCC)
	for _, whole := range [][]byte{two, version3()} {
		for size := 16; size < len(whole)-len(endOfGCC); size++ {
			_, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(whole[:size]), Name: "cut"})
			if !errors.Is(err, ErrMalformed) || !strings.HasPrefix(err.Error(), "cut: byte ") {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
	}
	deep := two[:len(two)-len(endOfGCC)-28]
	for range 2000 {
		deep = append(deep, gccBytesOf(1, 0, 1, 0)...)
	}
	for name, file := range map[string][]byte{
		"deep": deep, "another tag": edited(two, 12, 0xaa000001), "no summary": edited(two, 4, 3),
		"a summary of 15 parts":    append(version3()[:364:364], version3()[384:]...),
		"the number of no file":    edited(version3(), fileOfAdd, 2),
		"another tag of functions": edited(version3(), bytes.Index(version3(), []byte{0, 0, 0, 0xac}), 0xad000000),
	} {
		if _, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(file)}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, version := range []int{0, 4, 0x34303670 - 1<<16} {
		file := edited(two, 4, version)
		if _, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(file)}); !errors.Is(err, ErrVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// No bytes make the importer fail otherwise than with an error. What it reads is written, and read as the same.
func FuzzReadGCC(f *testing.F) {
	for seed := range uint64(3) {
		for _, version := range []int{gccPadded, gccBytes, gccFiles} {
			f.Add(exported(f, opened(f, imported(f, written(f, generatedForGCC(seed).WriteText))), gccExporter(version)))
		}
	}
	f.Add(version3())
	f.Fuzz(func(t *testing.T, file []byte) {
		report, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(file), Name: "test"})
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		_, err = GCCExporter().Export(&first, opened(t, report.Dumps[0]))
		if errors.Is(err, ErrNotGCC) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := GCCExporter().Export(&second, importedGCC(t, first.Bytes())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("written\n%x\nthen\n%x", first.Bytes(), second.Bytes())
		}
	})
}
