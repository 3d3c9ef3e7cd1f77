package llvm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// An indexedScan reads an indexed file from its first byte to its last: the
// offsets in it must agree with that, and are not followed.
type indexedScan struct {
	*scan
	f       function
	version int
	variant Variant
	// Offsets of what stands behind the buckets, 0 for none.
	table, memProf, binaryIDs, traces, vtables int64
	buckets                                    bucketSum
	items                                      uint64
}

// A bucketSum is what the table of buckets is held against.
type bucketSum struct{ buckets, offsets uint64 }

func (b *bucketSum) add(offset uint64) {
	b.buckets++
	b.offsets += offset
}

// indexed reads an indexed file.
func (s *scan) indexed() error {
	x := &indexedScan{scan: s}
	for _, part := range []func() error{x.header, x.summaries, x.functions, x.offsets, x.sections} {
		if err := part(); err != nil {
			return err
		}
	}
	return x.drain()
}

// u64s takes n words.
func (x *indexedScan) u64s(n int, what string) ([]uint64, error) {
	b, ok := x.next(8 * n)
	if !ok {
		return nil, x.cut(what)
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, nil
}

func (x *indexedScan) header() error {
	words, err := x.u64s(2, "the header")
	if err != nil {
		return err
	}
	x.version, x.variant = int(uint32(words[1])), Variant(words[1]>>variantShift)
	if x.version < IndexedOldest || x.version > IndexedNewest {
		return x.fault(ErrVersion, 8, fmt.Sprintf("indexed version %d, known are %d to %d: "+
			"write it with an older llvm-profdata merge", x.version, IndexedOldest, IndexedNewest))
	}
	fields := 3
	for _, since := range []int{sinceMemProf, sinceBinaryIDs, sinceTraces, sinceVTables} {
		if x.version >= since {
			fields++
		}
	}
	if words, err = x.u64s(fields, "the header"); err != nil {
		return err
	}
	if err := x.place(words); err != nil {
		return err
	}
	if x.variant&VariantMemProf != 0 {
		x.report.Lost.Add(LossMemProf, 1)
		x.variant &^= VariantMemProf
	}
	return x.begin(heading{kind: KindIndexed, version: x.version, made: x.version, variant: x.variant})
}

// place notes where everything is, from the words behind the version.
func (x *indexedScan) place(words []uint64) error {
	if words[1] != 0 {
		return x.malformed(24, "a hash of kind %d, only MD5 is known", words[1])
	}
	for i, to := range []*int64{&x.table, &x.memProf, &x.binaryIDs, &x.traces, &x.vtables} {
		if i+2 >= len(words) {
			break
		}
		if words[i+2] > maxSection {
			return x.malformed(int64(32+8*i), "an offset of 0x%x", words[i+2])
		}
		*to = int64(words[i+2])
	}
	if x.variant&VariantTemporal == 0 {
		x.traces = 0
	}
	return nil
}

// summaries skips the summaries: they follow from the counters.
func (x *indexedScan) summaries() error {
	number := 0
	if x.version >= sinceSummary {
		number++
		if x.variant&VariantContextSensitive != 0 {
			number++
		}
	}
	for range number {
		at := x.offset()
		sizes, err := x.u64s(2, "the summary")
		if err != nil {
			return err
		}
		if sizes[0] > maxSection || sizes[1] > maxSection {
			return x.malformed(at, "a summary of %d fields and %d cutoffs", sizes[0], sizes[1])
		}
		if !x.skip(8 * (sizes[0] + 3*sizes[1])) {
			return x.cut("the summary")
		}
	}
	return nil
}

// offsets holds the table of buckets against the buckets.
func (x *indexedScan) offsets() error {
	at := x.offset()
	sizes, err := x.u64s(2, "the table of buckets")
	if err != nil {
		return err
	}
	if sizes[1] != x.items || sizes[0] < x.buckets.buckets {
		return x.malformed(at, "a table of %d buckets and %d functions, there are %d and %d", sizes[0], sizes[1], x.buckets.buckets, x.items)
	}
	var sum bucketSum
	for left := sizes[0]; left > 0; {
		n := min(left, firstBuffer/8)
		b, ok := x.next(int(8 * n))
		if !ok {
			return x.cut("the table of buckets")
		}
		for ; len(b) > 0; b = b[8:] {
			offset := binary.LittleEndian.Uint64(b)
			sum.offsets += offset
			sum.buckets += (offset | -offset) >> 63 // 1 unless it is 0: no branch, which could not be foretold
		}
		left -= n
	}
	if sum != x.buckets {
		return x.malformed(at, "the table of buckets has other offsets than the buckets")
	}
	return nil
}

// sections reads what stands behind the table, in the order in which it does.
func (x *indexedScan) sections() error {
	type section struct {
		at   int64
		read func() error
	}
	all := []section{{x.binaryIDs, x.readBinaryIDs}, {x.vtables, x.readVTables}, {x.traces, x.readTraces}}
	slices.SortFunc(all, func(a, b section) int { return cmp.Compare(a.at, b.at) })
	for _, s := range all {
		if s.at == 0 {
			continue
		}
		if s.at < x.offset() {
			return x.malformed(x.offset(), "a section that begins at byte %d already", s.at)
		}
		if !x.skip(uint64(s.at - x.offset())) {
			return x.cut("the sections")
		}
		if err := s.read(); err != nil {
			return err
		}
	}
	return nil
}

// sized takes a section that begins with its size.
func (x *indexedScan) sized(what string) ([]byte, error) {
	at := x.offset()
	words, err := x.u64s(1, what)
	if err != nil {
		return nil, err
	}
	if words[0] > maxSection {
		return nil, x.malformed(at, "%s of %d bytes", what, words[0])
	}
	b, ok := x.section(words[0])
	if !ok {
		return nil, x.cut(what)
	}
	return b, nil
}

func (x *indexedScan) readBinaryIDs() error {
	at := x.offset()
	b, err := x.sized("the binary ids")
	if err != nil {
		return err
	}
	if err := x.takeBinaryIDs(b, false); err != nil {
		return x.malformed(at, "%v", err)
	}
	return nil
}

func (x *indexedScan) readVTables() error {
	at := x.offset()
	b, err := x.sized("the names of vtables")
	if err != nil {
		return err
	}
	names, err := splitNames(b)
	if err == nil {
		err = possibleNames(names)
	}
	if err != nil {
		return x.malformed(at, "the names of vtables: %v", err)
	}
	for _, name := range names {
		x.vtable(name, 0, 0)
	}
	return nil
}

func (x *indexedScan) readTraces() error {
	at := x.offset()
	words, err := x.u64s(2, "the temporal traces")
	if err != nil {
		return err
	}
	for range words[0] {
		head, err := x.u64s(2, "a temporal trace")
		if err != nil {
			return err
		}
		if head[1] > maxSection {
			return x.malformed(at, "a temporal trace of %d functions", head[1])
		}
		b, ok := x.section(8 * head[1])
		if !ok {
			return x.cut("a temporal trace")
		}
		functions := make([]uint64, head[1])
		for i := range functions {
			functions[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		x.trace(head[0], functions)
	}
	x.stream(words[1])
	return nil
}
