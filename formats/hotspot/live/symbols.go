package live

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// A library is a shared library that a process has loaded. Its symbols are read
// from the process, so that it matters neither where its file is nor whether it
// still exists.
type library struct {
	mem     source
	base    uint64
	dynamic map[elf.DynTag]uint64
}

// limits on what is read of a library that may be anything.
const (
	maxPrograms = 64
	maxDynamic  = 256
	maxChain    = 1 << 16
)

// openLibrary reads the headers of the library that is loaded at base.
func openLibrary(mem source, base uint64) (*library, error) {
	var header elf.Header64
	if err := decode(mem, base, &header); err != nil {
		return nil, err
	}
	if string(header.Ident[:4]) != elf.ELFMAG || elf.Class(header.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		elf.Data(header.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB || header.Phnum > maxPrograms {
		return nil, fmt.Errorf("%w: its libjvm.so is not a 64-bit little-endian library", ErrUnsupported)
	}
	l := &library{mem: mem, base: base, dynamic: map[elf.DynTag]uint64{}}
	for i := range uint64(header.Phnum) {
		var p elf.Prog64
		if err := decode(mem, base+header.Phoff+i*uint64(header.Phentsize), &p); err != nil {
			return nil, err
		}
		if elf.ProgType(p.Type) == elf.PT_DYNAMIC {
			return l, l.readDynamic(base + p.Vaddr)
		}
	}
	return nil, ErrNoTables
}

// readDynamic reads the dynamic section. Some loaders put addresses in place of
// its offsets, some do not.
func (l *library) readDynamic(at uint64) error {
	for range maxDynamic {
		var d elf.Dyn64
		if err := decode(l.mem, at, &d); err != nil {
			return err
		}
		if elf.DynTag(d.Tag) == elf.DT_NULL {
			return nil
		}
		if d.Val < l.base {
			d.Val += l.base
		}
		l.dynamic[elf.DynTag(d.Tag)] = d.Val
		at += uint64(binary.Size(d))
	}
	return nil
}

// symbol gives the address of an exported symbol; ok is false if there is none.
// It goes through the library's GNU hash table:
//
//	u32 buckets, u32 first symbol, u32 words of the filter, u32 shift
//	u64 filter..., u32 bucket..., u32 hash of a symbol, its low bit the chain's end...
func (l *library) symbol(name string) (addr uint64, ok bool) {
	table := l.dynamic[elf.DT_GNU_HASH]
	var header struct{ Buckets, First, Filter, Shift uint32 }
	if table == 0 || decode(l.mem, table, &header) != nil || header.Buckets == 0 {
		return 0, false
	}
	buckets := table + 16 + 8*uint64(header.Filter)
	chains := buckets + 4*uint64(header.Buckets)
	hash := gnuHash(name)
	n, err := int32At(l.mem, buckets+4*uint64(hash%header.Buckets))
	if err != nil || uint32(n) < header.First {
		return 0, false
	}
	for i := uint64(uint32(n)); i < uint64(uint32(n))+maxChain; i++ {
		h, err := int32At(l.mem, chains+4*(i-uint64(header.First)))
		if err != nil {
			return 0, false
		}
		if uint32(h)|1 == hash|1 {
			if addr, ok := l.named(i, name); ok {
				return addr, true
			}
		}
		if h&1 != 0 {
			return 0, false
		}
	}
	return 0, false
}

// named gives the address of symbol i if it has that name.
func (l *library) named(i uint64, name string) (addr uint64, ok bool) {
	var s elf.Sym64
	if decode(l.mem, l.dynamic[elf.DT_SYMTAB]+i*uint64(binary.Size(s)), &s) != nil {
		return 0, false
	}
	b, err := l.mem.bytes(l.dynamic[elf.DT_STRTAB]+uint64(s.Name), len(name)+1)
	if err != nil || string(b) != name+"\x00" || s.Value == 0 {
		return 0, false
	}
	return l.base + s.Value, true
}

func gnuHash(name string) uint32 {
	h := uint32(5381)
	for _, c := range []byte(name) {
		h = h*33 + uint32(c)
	}
	return h
}

// decode reads a little-endian structure at addr.
func decode(mem source, addr uint64, v any) error {
	b, err := mem.bytes(addr, binary.Size(v))
	if err != nil {
		return err
	}
	return binary.Read(bytes.NewReader(b), le, v)
}
