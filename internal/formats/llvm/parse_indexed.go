package llvm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/formats/parse"
)

// An indexedScan reads an indexed file sequentially. It checks the offsets in the file but does not follow them.
type indexedScan struct {
	*scan
	f       function
	version int
	variant Variant
	// Offsets of the parts after the buckets, or 0.
	table, memProf, binaryIDs, traces, vtables int64
	buckets                                    bucketChecksum
	items                                      uint64
	parse.FirstError
}

// A bucketChecksum is a checksum of bucket offsets, which compares the buckets with their table.
type bucketChecksum struct{ buckets, offsets uint64 }

func (s *scan) readIndexedProfile() error {
	x := &indexedScan{scan: s}
	for _, part := range []func(){x.readHeader, x.skipSummaries, x.beginProfile, func() { x.Fail(x.readBuckets()) },
		x.checkBucketTable, x.readSections} {
		part()
		if x.Err != nil {
			return x.Err
		}
	}
	return x.drainInput()
}

// readWords returns n words, which are 0 with an error.
func (x *indexedScan) readWords(n int, what string) []uint64 {
	b, ok := x.readBytes(8 * n)
	if !ok {
		x.Fail(x.cutError(what))
		return make([]uint64, n)
	}
	return words.AppendWords(nil, b)
}

func (x *indexedScan) readHeader() {
	words := x.readWords(2, "the header")
	x.version, x.variant = int(uint32(words[1])), Variant(words[1]>>VariantShift)
	if x.version < IndexedOldest || x.version > IndexedNewest {
		x.Fail(x.newError(ErrVersion, 8, fmt.Sprintf("indexed version %d, known are %d to %d: "+
			"write it with an older llvm-profdata merge", x.version, IndexedOldest, IndexedNewest)))
		return
	}
	x.locateSections(x.readWords(headerWords-2+len(headerSections(x.version)), "the header"))
	if x.variant&VariantMemProf == 0 {
		x.memProf = 0
	}
}

// beginProfile begins the file after its summaries, where the first function or the table follows.
func (x *indexedScan) beginProfile() {
	x.Fail(x.beginModule(heading{kind: KindIndexed, version: x.version, producer: x.version,
		variant: x.variant &^ VariantMemProf, anyDomain: x.memProf != 0 && x.table-x.offset < disk.Unit}))
}

// locateSections decodes the offsets of all parts from the words after the version.
func (x *indexedScan) locateSections(words []uint64) {
	if words[1] != 0 {
		x.Fail(x.malformedError(24, "a hash of kind %d, only MD5 is known", words[1]))
	}
	for i, to := range []*int64{&x.table, &x.memProf, &x.binaryIDs, &x.traces, &x.vtables} {
		if i+2 >= len(words) {
			break
		}
		if words[i+2] > maxSection {
			x.Fail(x.malformedError(int64(32+8*i), "an offset of 0x%x", words[i+2]))
		}
		*to = int64(words[i+2])
	}
	if x.variant&VariantTemporal == 0 {
		x.traces = 0
	}
}

// skipSummaries skips the summaries, which follow from the counters.
func (x *indexedScan) skipSummaries() {
	number := 0
	if x.version >= sinceSummary {
		number++
		if x.variant&VariantContextSensitive != 0 {
			number++
		}
	}
	for range number {
		at := x.offset
		sizes := x.readWords(2, "the summary")
		if sizes[0] > maxSection || sizes[1] > maxSection {
			x.Fail(x.malformedError(at, "a summary of %d fields and %d cutoffs", sizes[0], sizes[1]))
			return
		}
		if !x.skipBytes(8 * (sizes[0] + 3*sizes[1])) {
			x.Fail(x.cutError("the summary"))
		}
	}
}

func (x *indexedScan) checkBucketTable() {
	at := x.offset
	sizes := x.readWords(2, "the table of buckets")
	if sizes[1] != x.items || sizes[0] < x.buckets.buckets {
		x.Fail(x.malformedError(at, "a table of %d buckets and %d functions, there are %d and %d", sizes[0], sizes[1],
			x.buckets.buckets, x.items))
		return
	}
	var sum bucketChecksum
	for left := sizes[0]; left > 0; {
		n := min(left, bufferSize/8)
		b, ok := x.readBytes(int(8 * n))
		if !ok {
			x.Fail(x.cutError("the table of buckets"))
			return
		}
		for ; len(b) > 0; b = b[8:] {
			offset := binary.LittleEndian.Uint64(b)
			sum.offsets += offset
			sum.buckets += (offset | -offset) >> 63 // adds 1 unless offset is 0, without a branch
		}
		left -= n
	}
	if sum != x.buckets {
		x.Fail(x.malformedError(at, "the table of buckets has other offsets than the buckets"))
	}
}

func (x *indexedScan) readSections() {
	type section struct {
		at   int64
		read func()
	}
	memProf := func() { x.Fail(x.readMemProf(x.sectionAfter(x.memProf))) }
	all := []section{{x.binaryIDs, x.readBinaryIDs}, {x.vtables, x.readVTables}, {x.traces, x.readTraces},
		{x.memProf, memProf}}
	slices.SortFunc(all, func(a, b section) int { return cmp.Compare(a.at, b.at) })
	for _, s := range all {
		switch {
		case s.at == 0 || x.Err != nil:
		case s.at < x.offset:
			x.Fail(x.malformedError(x.offset, "a section that begins at byte %d already", s.at))
		case !x.skipBytes(uint64(s.at - x.offset)):
			x.Fail(x.cutError("the sections"))
		default:
			s.read()
		}
	}
}

// sectionAfter returns the offset of the section after the one at offset at, or 0 for the last.
func (x *indexedScan) sectionAfter(at int64) (next int64) {
	for _, other := range []int64{x.binaryIDs, x.traces, x.vtables} {
		if other > at && (next == 0 || other < next) {
			next = other
		}
	}
	return next
}

func (x *indexedScan) readSizedSection(what string) []byte {
	at := x.offset
	size := x.readWords(1, what)[0]
	if size > maxSection {
		x.Fail(x.malformedError(at, "%s of %d bytes", what, size))
		return nil
	}
	b, ok := x.readSection(size)
	if !ok {
		x.Fail(x.cutError(what))
	}
	return b
}

func (x *indexedScan) readBinaryIDs() {
	at := x.offset
	ids, err := splitBinaryIDs(x.readSizedSection("the binary ids"), binary.LittleEndian)
	if err != nil {
		x.Fail(x.malformedError(at, "%v", err))
	}
	if x.Err == nil {
		x.addBinaryIDs(ids)
	}
}

func (x *indexedScan) readVTables() {
	at := x.offset
	names, err := SplitNames(x.readSizedSection("the names of vtables"))
	if err == nil {
		err = checkNameLengths(names)
	}
	if err != nil {
		x.Fail(x.malformedError(at, "the names of vtables: %v", err))
	}
	if x.Err != nil {
		return
	}
	for _, name := range names {
		x.addVTable(name, 0, 0)
	}
	if len(names) > 0 {
		x.b.Internal().AddProperty(disk.PropertyVTableNames, "kept")
	}
}

func (x *indexedScan) readTraces() {
	at := x.offset
	sizes := x.readWords(2, "the temporal traces")
	for range sizes[0] {
		head := x.readWords(2, "a temporal trace")
		if head[1] > maxSection {
			x.Fail(x.malformedError(at, "a temporal trace of %d functions", head[1]))
			return
		}
		b, ok := x.readSection(8 * head[1])
		if !ok {
			x.Fail(x.cutError("a temporal trace"))
		}
		if x.Err != nil {
			return
		}
		x.addTrace(head[0], words.AppendWords(nil, b))
	}
	x.addStreamSize(sizes[1])
}

// itemHeader is the size of { u64 hash, u64 key length, u64 data length }.
const itemHeader = 24

func (x *indexedScan) readBuckets() error {
	if x.offset > x.table {
		return x.malformedError(32, "the table of buckets at byte %d, within what comes before it", x.table)
	}
	for x.table-x.offset >= 2 {
		at := x.offset
		b, err := x.takeBytes(2, "the functions")
		if err != nil {
			return err
		}
		items := binary.LittleEndian.Uint16(b)
		if items == 0 {
			break // padding
		}
		x.buckets.buckets++
		x.buckets.offsets += uint64(at)
		for range items {
			if err := x.readItem(); err != nil {
				return err
			}
		}
	}
	if padding := x.table - x.offset; padding < 0 || padding >= disk.Unit {
		return x.malformedError(x.offset, "the functions end, and their table is at byte %d", x.table)
	}
	if err := x.releaseBuffer(); err != nil {
		return err
	}
	if !x.skipBytes(uint64(x.table - x.offset)) {
		return x.cutError("the functions")
	}
	return nil
}

// takeBytes consumes n bytes. Before it refills the buffer, it adds the batched functions, whose memory is in the
// buffer.
func (x *indexedScan) takeBytes(n int, within string) ([]byte, error) {
	if x.Buffered() < n {
		if err := x.releaseBuffer(); err != nil {
			return nil, err
		}
	}
	b, ok := x.readBytes(n)
	if !ok {
		return nil, x.cutError(within)
	}
	return b, nil
}

func (x *indexedScan) readItem() error {
	at := x.offset
	b, err := x.takeBytes(itemHeader, "the functions")
	if err != nil {
		return err
	}
	key := binary.LittleEndian.Uint64(b[8:])
	data := binary.LittleEndian.Uint64(b[16:])
	left := uint64(max(0, x.table-x.offset))
	if key > disk.MaxName || data > left || key+data > left {
		return x.malformedError(at, "a name of %d bytes and a function of %d, where the table comes in %d", key, data, left)
	}
	b, err = x.takeBytes(int(key+data), "a function")
	if err != nil {
		return err
	}
	x.items++
	x.f.name = b[:key]
	if hash, cells, ok := x.plainRecord(b[key:]); ok {
		x.f.clearContent()
		x.f.hash = hash
		if x.f.checkLimits() == nil {
			return x.addPlainFunction(x.f.name, hash, cells)
		}
	}
	return x.readRecords(b[key:], at)
}

// plainRecord returns the hash and the counters of a record that has counters only.
func (x *indexedScan) plainRecord(b []byte) (hash uint64, cells []byte, ok bool) {
	tail := valueBlockHeader
	if x.version >= sinceBitmaps {
		tail += disk.CellSize
	}
	if x.version < sinceValues || len(b) < 16+tail {
		return 0, nil, false
	}
	cells = b[16 : len(b)-tail]
	number := binary.LittleEndian.Uint64(b[8:])
	end := b[len(b)-tail:]
	if len(cells)%disk.CellSize != 0 || number != uint64(len(cells)/disk.CellSize) ||
		binary.LittleEndian.Uint64(end[tail-valueBlockHeader:]) != valueBlockHeader {
		return 0, nil, false
	}
	if tail > valueBlockHeader && binary.LittleEndian.Uint64(end) != 0 {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint64(b), cells, true
}

func (x *indexedScan) readRecords(b []byte, at int64) (err error) {
	if len(b) == 0 {
		return x.malformedError(at, "%.80q has no counters", x.f.name)
	}
	for before, first := uint64(0), true; len(b) > 0; first = false {
		x.f.clearContent()
		b, err = x.readRecord(b)
		if err != nil {
			return x.malformedError(at, "%.80q: %v", x.f.name, err)
		}
		// Hashes are unordered. The format permits records with the same hash, which are merged.
		if !first && x.f.hash <= before {
			if err := x.beginRun(); err != nil {
				return err
			}
		}
		before = x.f.hash
		x.countFunction(&x.f)
		if err := x.addFunctionAt(&x.f, at); err != nil {
			return err
		}
	}
	return nil
}

// readRecord decodes the record at the start of b. The error has no offset.
func (x *indexedScan) readRecord(b []byte) (rest []byte, err error) {
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
	x.f.counts = words.AppendWords(x.f.counts, b[:8*number])
	b = b[8*number:]
	if x.version >= sinceBitmaps {
		b, err = x.f.indexedBitmap(b)
		if err != nil {
			return nil, err
		}
	}
	if x.version >= sinceValues {
		return x.f.indexedValues(b)
	}
	if x.version < sinceNumCounts && len(b) > 0 {
		return nil, fmt.Errorf("%d bytes after the counters", len(b))
	}
	return b, nil
}

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
	return b[size:], f.valueBlock(b[:size], binary.LittleEndian)
}
