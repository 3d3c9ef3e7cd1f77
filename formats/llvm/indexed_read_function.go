package llvm

import (
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
)

// itemHeader is the size of { u64 hash, u64 key length, u64 data length }.
const itemHeader = 24

// functions reads the buckets, which fill everything up to the table.
func (x *indexedScan) functions() error {
	if x.offset() > x.table {
		return x.malformed(32, "the table of buckets at byte %d, within what stands before it", x.table)
	}
	for x.table-x.offset() >= 2 {
		at := x.offset()
		b, ok := x.next(2)
		if !ok {
			return x.cut("the functions")
		}
		items := binary.LittleEndian.Uint16(b)
		if items == 0 {
			break // padding
		}
		x.buckets.add(uint64(at))
		for range items {
			if err := x.item(); err != nil {
				return err
			}
		}
	}
	if padding := x.table - x.offset(); padding < 0 || padding >= disk.Unit {
		return x.malformed(x.offset(), "the functions end, and their table is at byte %d", x.table)
	}
	if !x.skip(uint64(x.table - x.offset())) {
		return x.cut("the functions")
	}
	return nil
}

// item reads all functions of one name.
func (x *indexedScan) item() error {
	at := x.offset()
	b, ok := x.next(itemHeader)
	if !ok {
		return x.cut("the functions")
	}
	key, data := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	left := uint64(max(0, x.table-x.offset()))
	if key > disk.MaxName || data > left || key+data > left {
		return x.malformed(at, "a name of %d bytes and a function of %d, where the table comes in %d", key, data, left)
	}
	if b, ok = x.next(int(key + data)); !ok {
		return x.cut("a function")
	}
	x.items++
	x.f.name = b[:key]
	return x.records(b[key:], at)
}

// records reads the functions that have the name, one for each hash.
func (x *indexedScan) records(b []byte, at int64) (err error) {
	if len(b) == 0 {
		return x.malformed(at, "%.80q has no counters", x.f.name)
	}
	for before, first := uint64(0), true; len(b) > 0; first = false {
		x.f.clear()
		if b, err = x.record(b); err != nil {
			return x.malformed(at, "%.80q: %v", x.f.name, err)
		}
		// Hashes stand in any order; one that is there twice, which nothing
		// rules out, is merged with itself.
		if !first && x.f.hash <= before {
			if err := x.nextRun(); err != nil {
				return err
			}
		}
		before = x.f.hash
		if err := x.take(&x.f, at); err != nil {
			return err
		}
	}
	return nil
}

// record reads one function from the front of b. The error says what is wrong.
func (x *indexedScan) record(b []byte) (rest []byte, err error) {
	if len(b) < 16 && x.version >= sinceNumCounts || len(b) < 8 {
		return nil, fmt.Errorf("a record of %d bytes", len(b))
	}
	x.f.hash = binary.LittleEndian.Uint64(b)
	b = b[8:]
	number := uint64(len(b) / 8)
	if x.version >= sinceNumCounts {
		number = binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	if number > uint64(len(b)/8) {
		return nil, fmt.Errorf("%d counters in %d bytes", number, len(b))
	}
	x.f.counts = words.Append(x.f.counts, b[:8*number])
	b = b[8*number:]
	if x.version >= sinceBitmaps {
		if b, err = x.f.indexedBitmap(b); err != nil {
			return nil, err
		}
	}
	if x.version >= sinceValues {
		return x.f.indexedValues(b)
	}
	if x.version < sinceNumCounts && len(b) > 0 {
		return nil, fmt.Errorf("%d bytes behind the counters", len(b))
	}
	return b, nil
}

// indexedBitmap takes a bitmap, of which each byte stands in a word of its own.
func (f *function) indexedBitmap(b []byte) (rest []byte, err error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("no room for the size of its bitmap")
	}
	number := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if number > uint64(len(b)/8) {
		return nil, fmt.Errorf("a bitmap of %d bytes in %d", number, len(b)/8)
	}
	for i := range number {
		f.bitmap = append(f.bitmap, b[8*i])
	}
	return b[8*number:], nil
}

func (f *function) indexedValues(b []byte) (rest []byte, err error) {
	if len(b) < valueBlockHeader {
		return nil, fmt.Errorf("no room for its values")
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if size < valueBlockHeader || size%disk.Unit != 0 || size > uint64(len(b)) {
		return nil, fmt.Errorf("values of %d bytes in %d", size, len(b))
	}
	return b[size:], f.valueBlock(b[:size], false)
}
