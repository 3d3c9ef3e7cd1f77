package llvm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// elfProgram returns a program in ELF with a section of counters and one of names.
func elfProgram(names []byte) []byte {
	const header, sectionHeader = 64, 64
	table := "\x00.shstrtab\x00" + sectionCounters + "\x00" + sectionProfileNames + "\x00"
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01")
	b.Write(make([]byte, 9))
	put := func(v ...any) {
		for _, v := range v {
			_ = binary.Write(&b, le, v) // cannot fail
		}
	}
	sections := uint64(header + len(table) + len(names))
	put(uint16(2), uint16(62), uint32(1), uint64(0), uint64(0), sections, uint32(0), uint16(header), uint16(0), uint16(0),
		uint16(sectionHeader), uint16(4), uint16(1))
	b.WriteString(table)
	b.Write(names)
	section := func(name, kind uint32, at, size int) {
		put(name, kind, uint64(0), uint64(0), uint64(at), uint64(size), uint32(0), uint32(0), uint64(1), uint64(0))
	}
	section(0, 0, 0, 0)
	section(1, 3, header, len(table))
	section(11, 1, header, 8)
	section(uint32(12+len(sectionCounters)), 1, header+len(table), len(names))
	return b.Bytes()
}

// TestCutFilesKeepTheirCounters: of a file that is cut at each percent of its length, nearly all counters before the
// cut are kept. The names of functions are in the program.
func TestCutFilesKeepTheirCounters(t *testing.T) {
	file := mustLoad(t, "testdata/cases/q1.profraw")
	const header, ids, records, recordSize, counters = 128, 32, 20, 64, 82
	start := header + ids + records*recordSize
	nameSize := le.Uint64(file[8*9:])
	program := filepath.Join(t.TempDir(), "program")
	names := file[start+8*counters:][:nameSize]
	if err := os.WriteFile(program, elfProgram(names), 0o600); err != nil {
		t.Fatal(err)
	}
	for percent := 1; percent < 100; percent++ {
		cut := len(file) * percent / 100
		before := min(max(0, cut-start)/8, counters)
		o := ReadOptions{Salvage: true, Binary: []string{program}}
		b, r, err := Read(bytes.NewReader(file[:cut]), o)
		if before == 0 {
			if !errors.Is(err, ErrCut) {
				t.Errorf("%d%%: %v, want an error without counters", percent, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%d%%: %v", percent, err)
			continue
		}
		kept := -r.Lost.Count(LossCutCounts)
		for _, f := range contentOfBuilder(t, b).Functions {
			kept += len(f.Counts)
		}
		if kept < before*9/10 || r.Salvaged == "" {
			t.Errorf("%d%%: kept %d of %d counters, salvaged %q", percent, kept, before, r.Salvaged)
		}
		_, alone, err := Read(bytes.NewReader(file[:cut]), ReadOptions{Salvage: true})
		if whole := cut >= start+8*counters+int(nameSize); whole && (err != nil || alone.Methods != records) {
			t.Errorf("%d%% without the program: %v", percent, err)
		}
	}
}

// TestCutFilesOfOtherForms: texts and indexed files have the functions before the end.
func TestCutFilesOfOtherForms(t *testing.T) {
	for form, file := range map[string][]byte{"indexed": smallIndexed(12),
		"text": []byte(":ir\nf\n1\n2\n5\n6\n\ng\n1\n3\n5\n6\n")} {
		for cut := range file {
			_, _, refused := Read(bytes.NewReader(file[:cut]), ReadOptions{})
			_, r, err := Read(bytes.NewReader(file[:cut]), ReadOptions{Salvage: true})
			if err == nil && (r.Salvaged != "") != (refused != nil) {
				t.Errorf("%s of %d bytes: salvaged %q, refused with %v", form, cut, r.Salvaged, refused)
			}
		}
	}
}

// TestCoverageOfEntriesAndBlocks: both are coverage of single bytes and are merged. Counts are not.
func TestCoverageOfEntriesAndBlocks(t *testing.T) {
	file := func(v Variant) []byte {
		return rawSpec{version: 10, variant: VariantIR | v,
			functions: []rawSpecFunction{{name: fmt.Sprint("f", v), hash: 1, counts: []uint64{1, 0}}}}.encode(t)
	}
	entries := VariantByteCoverage | VariantEntryOnly
	for _, second := range []Variant{entries, 0} {
		b, _ := readInto(t, ReadOptions{}, file(VariantByteCoverage))
		_, r, err := Read(bytes.NewReader(file(second)), ReadOptions{Into: b})
		if merged := err == nil; merged != (second == entries) {
			t.Errorf("variant %#x: %v", second, err)
		} else if merged && Variant(r.Params.LLVMVariant) != VariantIR|entries {
			t.Errorf("variant %#x of both", r.Params.LLVMVariant)
		}
	}
}
