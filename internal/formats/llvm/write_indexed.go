package llvm

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Export writes the profiles of an archive like llvm-profdata merge, with the same bytes as LLVM 17 and later.
// It writes trained counts.
func (e *IndexedExporter) Export(out io.Writer, s *reader.Store) (*codec.Report, error) {
	o := *e
	if err := checkDomain(s); err != nil {
		return nil, err
	}
	if o.Version == 0 {
		o.Version = defaultVersion(s)
	}
	if o.Version < WrittenOldest || o.Version > WrittenNewest {
		return nil, fmt.Errorf("%w: version %d of the indexed format cannot be written: use %d to %d", ErrVersion, o.Version,
			WrittenOldest, WrittenNewest)
	}
	w := &indexedWriter{
		store: s, options: o, encoding: encoding{version: o.Version},
		totals: ledger.Totals{}, out: bufio.NewWriterSize(out, outBuffer),
	}
	if err := s.Mapping().Guard(w.writeFile); err != nil {
		return nil, err
	}
	return &codec.Report{Totals: w.totals, Lost: w.lost}, nil
}

const outBuffer = 1 << 18

type indexedWriter struct {
	store    *reader.Store
	options  IndexedExporter
	encoding encoding
	lost     codec.Losses
	totals   ledger.Totals // written counts; nil if none are written

	out *bufio.Writer
}

// writeFile writes the whole file. Flush returns earlier errors of the output.
func (w *indexedWriter) writeFile() error {
	p, err := w.planFile()
	if err != nil {
		return err
	}
	w.writeBytes(w.encodeHeader(p))
	w.writeBytes(appendSummary(nil, p.summaries.normal.buildSummary()))
	if p.variant&VariantContextSensitive != 0 {
		w.writeBytes(appendSummary(nil, p.summaries.contextSensitive.buildSummary()))
	}
	if err := w.writeBuckets(p); err != nil {
		return err
	}
	w.writeBucketTable(p)
	for _, s := range p.sections {
		w.writeBytes(s.bytes)
	}
	return w.out.Flush()
}

func (w *indexedWriter) writeBytes(b []byte) { _, _ = w.out.Write(b) }

func (w *indexedWriter) encodeHeader(p *indexedPlan) []byte {
	version := w.encoding.version
	const unused, hashMD5 = 0, 0
	b := appendWords(nil, indexedMagic, uint64(version)|uint64(p.variant)<<VariantShift, unused, hashMD5, uint64(p.table))
	for _, since := range headerSections(version) {
		b = le.AppendUint64(b, uint64(p.sectionOffset(since)))
	}
	return b
}

// sectionOffset returns the offset of the section that a version introduced, or 0.
func (p *indexedPlan) sectionOffset(since int) int64 {
	at := p.tableEnd()
	for _, s := range p.sections {
		if s.since == since {
			return at
		}
		at += int64(len(s.bytes))
	}
	return 0
}

const summarySize = 16 + 8*summaryFields + 24*summaryCutoffs

func appendSummary(b []byte, s *Summary) []byte {
	b = appendWords(b, summaryFields, summaryCutoffs, s.Functions, s.Blocks, s.MaxFunctionCount, s.MaxBlockCount,
		s.MaxInternalCount, s.TotalCount)
	for _, c := range s.Cutoffs {
		b = appendWords(b, c.Share, c.MinCount, c.Blocks)
	}
	return b
}

func appendWords(b []byte, words ...uint64) []byte {
	for _, word := range words {
		b = le.AppendUint64(b, word)
	}
	return b
}

// writeBucketTable writes the numbers of buckets and items, and the offset of each bucket, which is 0 if empty. The
// table is aligned to 8.
func (w *indexedWriter) writeBucketTable(p *indexedPlan) {
	w.writeBytes(make([]byte, p.table-p.end))
	var words [tableHeaderSize]byte
	le.PutUint64(words[:], uint64(len(p.chains.heads)))
	le.PutUint64(words[8:], uint64(len(p.items)))
	w.writeBytes(words[:])
	at := p.payload
	for _, head := range p.chains.heads {
		offset := at
		if head == noItem {
			offset = 0
		}
		le.PutUint64(words[:], uint64(offset))
		w.writeBytes(words[:8])
		at += p.bucketSize(head)
	}
}

// Versions of the indexed format that this package writes.
const (
	WrittenOldest = 4 // first version with a summary; later layouts only add parts
	WrittenNewest = IndexedNewest

	// widestVersion is readable by every LLVM from 12 on.
	widestVersion = 7
	// usualVersion is the version of LLVM 19 to 21. Their front ends understand the hashes of LLVM 12 to 21.
	usualVersion = 12
)

// defaultVersion returns the producer's version. If that is unknown, the result depends on the domain. Profiles of IR
// mean the same in every version, so it is one that every LLVM reads. The hashes of a front end depend on the version.
func defaultVersion(s *reader.Store) int {
	v := producerVersion(s)
	switch {
	case v >= WrittenOldest && v <= WrittenNewest:
		return v
	case s.Header().Domain == layout.DomainLLVMIR:
		return widestVersion
	}
	return usualVersion
}

// writtenVariant returns the variant bits for a file of the given format version. Archives never need correlation with
// debug information.
func writtenVariant(s *reader.Store, version int, traces, memProf bool) Variant {
	v := variantOf(s) &^ (VariantMemProf | VariantCorrelated)
	if memProf && version >= sinceMemProf {
		v |= VariantMemProf
	}
	if traces {
		v |= VariantTemporal
	}
	if version < sinceTraces {
		v &^= VariantTemporal
	}
	if s.Header().Domain == layout.DomainLLVMIR && !(memProf && s.Header().Counts.Profiles == 0) {
		v |= VariantIR
	}
	return v
}

// headerWords is the number of 8-byte words in a header before the section offsets: magic, version, a zero, the kind
// of hash and the offset of the table.
const headerWords = 5

// headerSections returns the versions up to version that added a section. The header has an offset for each.
func headerSections(version int) (added []int) {
	for _, since := range []int{sinceMemProf, sinceBinaryIDs, sinceTraces, sinceVTables} {
		if version >= since {
			added = append(added, since)
		}
	}
	return added
}

// A section is a part of the file after the table of buckets.
type section struct {
	since int // first version with a header word for the offset
	bytes []byte
}

// encodeSections encodes the sections of the version in file order. It counts the other ones as lost.
func (w *indexedWriter) encodeSections(p *indexedPlan) []section {
	f := &p.facts
	var all []section
	switch {
	case f.heap == nil:
	case w.encoding.version >= sinceMemProf:
		w.lost.Add(LossStacks, f.heap.unsound)
		all = append(all, section{sinceMemProf, f.heap.encodeSection(p.tableEnd())})
	default:
		w.lost.Add(LossMemProfVersion, len(f.heap.records))
	}
	if w.encoding.version >= sinceBinaryIDs {
		all = append(all, section{sinceBinaryIDs, binaryIDSection(f.binaryIDs)})
	} else {
		w.lost.Add(LossBinaryIDs, len(f.binaryIDs))
	}
	kept := f.vtables
	if w.encoding.version < sinceVTables || !w.options.KeepVTableNames && !f.vtableNames {
		kept = nil
		w.lost.Add(LossVTableNames, len(f.vtables))
	}
	if w.encoding.version >= sinceVTables {
		all = append(all, section{sinceVTables, vtableSection(kept)})
	}
	if p.variant&VariantTemporal != 0 {
		all = append(all, section{sinceTraces, traceSection(f.traces, f.stream)})
	} else {
		w.lost.Add(LossTraces, len(f.traces))
	}
	return all
}

// binaryIDSection encodes the u64 size of the rest, then { u64 length, bytes, padding }.
func binaryIDSection(ids []string) []byte {
	b := make([]byte, 8)
	for _, id := range ids {
		b = padToWord(append(le.AppendUint64(b, uint64(len(id))), id...))
	}
	le.PutUint64(b, uint64(len(b)-8))
	return b
}

// vtableSection encodes the u64 size of the rest, then a chunk of names compressed by zlib. LLVM's zlib and Go's
// produce different bytes that decompress to the same names.
func vtableSection(names []string) []byte {
	b := make([]byte, 8)
	if len(names) > 0 {
		text := strings.Join(names, string(rune(nameSeparator)))
		packed := deflateNames(text)
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = binary.AppendUvarint(b, uint64(len(packed)))
		b = append(b, packed...)
	}
	le.PutUint64(b, uint64(len(b)-8))
	return padToWord(b)
}

func deflateNames(text string) []byte {
	var packed bytes.Buffer
	z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression) // fails only for an invalid level
	_, _ = z.Write([]byte(text))                               // cannot fail in memory
	_ = z.Close()
	return packed.Bytes()
}

// traceSection encodes u64 number of traces, u64 size of their stream, { u64 weight, u64 number of functions, u64 id
// of each }.
func traceSection(traces []trace, stream uint64) []byte {
	b := appendWords(nil, uint64(len(traces)), stream)
	for _, t := range traces {
		b = appendWords(b, t.weight, uint64(len(t.ids)))
		b = appendWords(b, t.ids...)
	}
	return b
}

func padToWord(b []byte) []byte {
	return append(b, make([]byte, paddingAfter(uint64(len(b))))...)
}

// A trace has the functions of one run in the order of their first calls.
type trace struct {
	weight uint64
	ids    []uint64
}

// runFacts has the content of an archive except for the profiles of functions.
type runFacts struct {
	binaryIDs []string // sorted and distinct
	vtables   []string // sorted and distinct names
	// vtableNames is set if an indexed file had names of vtables.
	vtableNames bool
	traces      []trace
	stream      uint64       // number of traces from which traces were sampled
	heap        *heapProfile // nil without memory profiles
}

func readRunFacts(s *reader.Store, version int) (f runFacts, err error) {
	var errs [5]error
	f.binaryIDs, errs[0] = symbolColumn(s, disk.TableBinaryIDs)
	f.vtables, errs[1] = symbolColumn(s, disk.TableVTables)
	f.traces, errs[2] = readTraces(s)
	f.heap, errs[3] = readHeap(s, version)
	properties, err := entries.Properties(s)
	errs[4] = err
	f.vtableNames = len(properties[disk.PropertyVTableNames]) > 0
	f.stream = streamSize(properties, uint64(len(f.traces)))
	return f, cmp.Or(errs[:]...)
}

// symbolColumn returns the distinct symbols of the first column, sorted.
func symbolColumn(s *reader.Store, kind disk.TableKind) ([]string, error) {
	t, err := s.TableOrEmpty(kind)
	if err != nil {
		return nil, err
	}
	var texts []string
	for row := range t.Rows {
		if t.Cell(0, row) == 0 {
			continue
		}
		text, err := t.Text(0, row)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return slices.Compact(texts), nil
}

func readTraces(s *reader.Store) (traces []trace, err error) {
	t, err := s.TableOrEmpty(disk.TableTraces)
	for row := range t.Rows {
		if row == 0 || t.Cell(0, row) != t.Cell(0, row-1) {
			traces = append(traces, trace{weight: t.Cell(1, row)})
		}
		of := &traces[len(traces)-1]
		of.ids = append(of.ids, t.Cell(2, row))
	}
	return traces, err
}

// streamSize returns the total number of traces from which the archive's traces were sampled. It is at least traces.
func streamSize(properties map[string][]string, traces uint64) (sum uint64) {
	for _, value := range properties[PropertyStreamSize] {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			sum += n
		}
	}
	return max(sum, traces)
}
