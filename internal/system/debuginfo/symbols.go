package debuginfo

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"
	"strings"
)

// BuildID returns the build id of a program, or nil. It is a note: { u32 name size, u32 size, u32 3, "GNU\0", id }.
func BuildID(p *elf.File) []byte {
	const head, name, maxNote = 12, "GNU\x00", 4096
	s := p.Section(".note.gnu.build-id")
	if s == nil || s.Size > maxNote {
		return nil
	}
	b, err := s.Data()
	if err != nil || len(b) < head+len(name) || !bytes.Equal(b[head:head+len(name)], []byte(name)) {
		return nil
	}
	size := uint64(p.ByteOrder.Uint32(b[4:]))
	return b[head+len(name):][:min(size, uint64(len(b)-head-len(name)))]
}

// SymbolAt returns the symbol that has an address, in a list sorted by address. A symbol without size ends at the next.
func SymbolAt(list []elf.Symbol, address uint64) (s elf.Symbol, ok bool) {
	at, _ := slices.BinarySearchFunc(list, address, func(s elf.Symbol, address uint64) int {
		return cmp.Or(cmp.Compare(s.Value, address), -1)
	})
	if at == 0 {
		return s, false
	}
	s = list[at-1]
	return s, s.Size == 0 || address-s.Value < s.Size
}

// CanonicalName returns the name of a function without the suffixes of LLVM's copies.
func CanonicalName(name string) string {
	for _, suffix := range []string{".llvm.", ".part."} {
		if at := strings.LastIndex(name, suffix); at >= 0 && strings.LastIndexByte(name, '.') == at+len(suffix)-1 {
			name = name[:at]
		}
	}
	return name
}
