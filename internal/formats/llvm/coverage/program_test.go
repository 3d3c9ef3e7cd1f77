package coverage

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/testkit/full"
)

// elfOf returns an ELF file with sections, and nothing else.
func elfOf(t testing.TB, s *object.Sections) []byte {
	t.Helper()
	var body, names bytes.Buffer
	headers := []elf.Section64{{}}
	names.WriteByte(0)
	addSection := func(name string, data []byte, kind elf.SectionType) {
		h := elf.Section64{Name: uint32(names.Len()), Type: uint32(kind), Off: uint64(64 + body.Len()),
			Size: uint64(len(data)), Addralign: 1}
		headers = append(headers, h)
		names.WriteString(name + "\x00")
		body.Write(data)
	}
	for i, list := range [][]object.Section{s.Covmap, s.Covfun, s.Names} {
		for _, one := range list {
			addSection([]string{"__llvm_covmap", "__llvm_covfun", "__llvm_prf_names"}[i], one.Data, elf.SHT_PROGBITS)
		}
	}
	addSection(".shstrtab", append(names.Bytes(), ".shstrtab\x00"...), elf.SHT_STRTAB)
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1,
		Shoff: uint64(64 + body.Len()), Ehsize: 64, Shentsize: 64, Shnum: uint16(len(headers)),
		Shstrndx: uint16(len(headers) - 1),
	}
	var file bytes.Buffer
	for _, part := range []any{h, body.Bytes(), headers} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

func read(file []byte) (*Mapping, error) { return Read("app", bytes.NewReader(file), int64(len(file))) }

// Each function of an object file has sections of its own.
func TestObjectFileWithManySections(t *testing.T) {
	t.Parallel()
	s := small().sections()
	end := len(s.Covfun[0].Data) - recordSize - 16 // where the second function begins
	for end%alignment != 0 {
		end++
	}
	for s.Order.Uint64(s.Covfun[0].Data[end+12:]) != 0 || s.Order.Uint32(s.Covfun[0].Data[end+8:]) > 16 {
		end -= alignment
	}
	whole := s.Covfun[0].Data
	s.Covfun = []object.Section{{Data: whole[:end]}, {Data: whole[end:]}}
	m, err := read(elfOf(t, s))
	if err != nil || len(m.records) != 2 {
		t.Fatalf("%d functions, %v", len(m.records), err)
	}
	if at := m.records[m.refs[1]].at; at != int64(end+recordSize) {
		t.Errorf("the second function is at %d, want %d", at, end+recordSize)
	}
}

func TestProgramsWithoutMapping(t *testing.T) {
	t.Parallel()
	s := small().sections()
	s.Covfun = nil
	if _, err := read(elfOf(t, s)); !errors.Is(err, ErrNoMapping) {
		t.Errorf("%v", err)
	}
	for _, file := range []string{"", "abc", "int main() {}", "MZ and no more", "\x7fELF", "\xcf\xfa\xed\xfe",
		"\xca\xfe\xba\xbe\x00\x00\x00\x34"} {
		if _, err := read([]byte(file)); !errors.Is(err, ErrNotProgram) {
			t.Errorf("%q: %v", file, err)
		}
	}
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrNotProgram) {
		t.Errorf("%v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A file whose sections are all of it has no room for two of them.
func TestSectionsThatOverlap(t *testing.T) {
	t.Parallel()
	s := small().sections()
	file := elfOf(t, s)
	headers := int(binary.LittleEndian.Uint64(file[40:]))
	for _, section := range []int{1, 2} {
		binary.LittleEndian.PutUint64(file[headers+64*section+24:], 0)
		binary.LittleEndian.PutUint64(file[headers+64*section+32:], uint64(len(file)))
	}
	if _, err := read(file); !errors.Is(err, ErrNotProgram) || !strings.Contains(err.Error(), "section __llvm_covfun of") {
		t.Errorf("%v", err)
	}
}

func TestDamagedProgram(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	store, file := smallArchive(t), elfOf(t, small().sections())
	if m, err := read(file); err != nil || len(m.records) != 2 {
		t.Fatal(err)
	}
	readDamaged := func(file []byte) {
		m, err := read(file)
		var typed *Error
		if err != nil && !errors.As(err, &typed) {
			t.Fatalf("an error of no kind: %v", err)
		}
		if err == nil {
			c, _ := New(store, m)
			c.Files()
		}
	}
	for at := range file {
		readDamaged(file[:at])
		for _, with := range []byte{1, 0x10, 0x80, 0xff} {
			damaged := bytes.Clone(file)
			damaged[at] ^= with
			readDamaged(damaged)
		}
	}
}

// Whatever the file is, it gives a mapping or an error of a kind.
func FuzzProgram(f *testing.F) {
	f.Add(elfOf(f, small().sections()))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := read(file)
		var typed *Error
		if err != nil && !errors.As(err, &typed) {
			t.Fatalf("an error of no kind: %v", err)
		}
	})
}
