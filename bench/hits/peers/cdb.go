package peers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// counterOf returns the counter at the start of a value.
func counterOf(value []byte) uint64 { return binary.LittleEndian.Uint64(value) }

// A cdb is a mapped constant database in D. J. Bernstein's format. It has 256 pairs of a table offset and a number of
// slots, records with key size, value size, key and value, and 256 tables of slots with a hash and a record offset.
type cdb struct{ file []byte }

const cdbTables = 256

func cdbHash(key []byte) uint32 {
	h := uint32(5381)
	for _, c := range key {
		h = h<<5 + h ^ uint32(c)
	}
	return h
}

type cdbSlot struct{ hash, at uint32 }

func fillCDB(path string, records []record) (store, error) {
	size := 8 * cdbTables
	for _, r := range records {
		size += 8 + len(r.key) + len(r.value) + 16
	}
	if size>>32 != 0 {
		return nil, errors.New("more than 4 GB")
	}
	if err := os.WriteFile(path, cdbBytes(records, size), 0o666); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	return &cdb{file}, err
}

func cdbBytes(records []record, size int) []byte {
	b := make([]byte, 8*cdbTables, size)
	le := binary.LittleEndian
	var tables [cdbTables][]cdbSlot
	for _, r := range records {
		h := cdbHash(r.key)
		tables[h%cdbTables] = append(tables[h%cdbTables], cdbSlot{h, uint32(len(b))})
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(r.key))), uint32(len(r.value)))
		b = append(append(b, r.key...), r.value...)
	}
	for i, slots := range tables {
		le.PutUint32(b[8*i:], uint32(len(b)))
		le.PutUint32(b[8*i+4:], uint32(2*len(slots)))
		for _, s := range placeSlots(slots) {
			b = le.AppendUint32(le.AppendUint32(b, s.hash), s.at)
		}
	}
	return b
}

// placeSlots returns a hash table of the slots that is half full.
func placeSlots(slots []cdbSlot) []cdbSlot {
	table := make([]cdbSlot, 2*len(slots))
	for _, s := range slots {
		at := int(s.hash>>8) % len(table)
		for table[at].at != 0 {
			at = (at + 1) % len(table)
		}
		table[at] = s
	}
	return table
}

func (s *cdb) count(key []byte) uint64 {
	h := cdbHash(key)
	le := binary.LittleEndian
	head := s.file[8*(h%cdbTables):]
	table := le.Uint32(head)
	n := le.Uint32(head[4:])
	if n == 0 {
		return 0
	}
	slot := h >> 8 % n
	for range n {
		entry := s.file[table+8*slot:]
		at := le.Uint32(entry[4:])
		if at == 0 {
			return 0
		}
		if le.Uint32(entry) == h {
			r := s.file[at:]
			if size := le.Uint32(r); int(size) == len(key) && bytes.Equal(r[8:8+size], key) {
				return counterOf(r[8+size:])
			}
		}
		if slot++; slot == n {
			slot = 0
		}
	}
	return 0
}

func (s *cdb) close() error { return unix.Munmap(s.file) }
