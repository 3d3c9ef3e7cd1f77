package llvm

import (
	"bufio"
	"io"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WriteOptions say how a profile is written. The zero value is of use.
type WriteOptions struct {
	// Version of the indexed format, WrittenOldest to WrittenNewest. 0 is 7,
	// which every LLVM reads, for profiles that were instrumented on IR; for
	// those of a front end it is that of the LLVM that made them, because its
	// hashes mean something to that version alone.
	Version int
	// Sparse leaves functions out that never ran.
	Sparse bool
	// KeepVTableNames keeps the names of vtables, from version 12 on.
	KeepVTableNames bool
}

// WriteIndexed writes the profiles of an archive as llvm-profdata merge does:
// the same bytes as that of LLVM 17 and later. Counts are those that were
// trained.
func WriteIndexed(out io.Writer, s *reader.Store, o WriteOptions) (*WriteReport, error) {
	if err := checkDomain(s); err != nil {
		return nil, err
	}
	if o.Version == 0 {
		o.Version = defaultVersion(s)
	}
	if err := checkVersion(o.Version); err != nil {
		return nil, err
	}
	w := &indexedWriter{
		store: s, options: o, encoding: encoding{version: o.Version},
		report: WriteReport{Version: o.Version}, out: bufio.NewWriterSize(out, outBuffer),
	}
	if err := s.Mapping().Guard(w.all); err != nil {
		return nil, err
	}
	w.report.Lost = w.lost.sorted()
	return &w.report, nil
}

const outBuffer = 1 << 18

// An indexedWriter writes an indexed file front to back.
type indexedWriter struct {
	store    *reader.Store
	options  WriteOptions
	encoding encoding
	report   WriteReport
	lost     losses

	out  *bufio.Writer
	item []byte // the one that is being put together
}

// all writes the whole file. What goes wrong with writing, Flush tells in the
// end.
func (w *indexedWriter) all() error {
	p, err := w.plan()
	if err != nil {
		return err
	}
	w.write(w.header(p))
	w.write(appendSummary(nil, p.summaries.normal.summary()))
	if p.variant&VariantContextSensitive != 0 {
		w.write(appendSummary(nil, p.summaries.contextSensitive.summary()))
	}
	end, err := w.buckets(p)
	if err != nil {
		return err
	}
	w.write(make([]byte, p.table-end))
	w.table(p)
	for _, s := range p.sections {
		w.write(s.bytes)
	}
	return w.out.Flush()
}

func (w *indexedWriter) write(b []byte) { _, _ = w.out.Write(b) }

// header is the header; MemProf, from version 8 on, has the offset 0: there is
// none.
func (w *indexedWriter) header(p *indexedPlan) []byte {
	version := w.encoding.version
	b := le.AppendUint64(nil, indexedMagic)
	b = le.AppendUint64(b, uint64(version)|uint64(p.variant)<<variantShift)
	b = append(b, make([]byte, 16)...) // unused; hash type 0: MD5
	b = le.AppendUint64(b, uint64(p.table))
	for _, since := range []int{sinceMemProf, sinceBinaryIDs, sinceTraces, sinceVTables} {
		if version >= since {
			b = le.AppendUint64(b, uint64(p.sectionOffset(since)))
		}
	}
	return b
}

// sectionOffset is where the section lies that came with a version, 0 if there
// is none.
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

// summarySize is what appendSummary appends.
const summarySize = 16 + 8*summaryFields + 24*summaryCutoffs

func appendSummary(b []byte, s *Summary) []byte {
	for _, v := range []uint64{summaryFields, summaryCutoffs,
		s.Functions, s.Blocks, s.MaxFunctionCount, s.MaxBlockCount, s.MaxInternalCount, s.TotalCount} {
		b = le.AppendUint64(b, v)
	}
	for _, c := range s.Cutoffs {
		b = le.AppendUint64(b, c.Share)
		b = le.AppendUint64(b, c.MinCount)
		b = le.AppendUint64(b, c.Blocks)
	}
	return b
}

// buckets writes the buckets that are not empty, and gives where they end.
func (w *indexedWriter) buckets(p *indexedPlan) (end int64, err error) {
	walk := newRecordWalk(w.store, nil)
	end = p.payload
	for _, head := range p.chains.heads {
		if head == noItem {
			continue
		}
		n, err := p.bucketItems(head)
		if err != nil {
			return 0, err
		}
		w.write(le.AppendUint16(w.item[:0], uint16(n)))
		end += bucketHeaderSize
		for item := head; item != noItem; item = p.chains.next[item] {
			if err := w.writeItem(walk, p, item); err != nil {
				return 0, err
			}
			end += p.items[item].size()
		}
	}
	return end, nil
}

// writeItem writes a name with its records.
func (w *indexedWriter) writeItem(walk *recordWalk, p *indexedPlan, item int32) error {
	planned := &p.items[item]
	m, err := w.store.MethodAt(planned.method)
	if err != nil {
		return err
	}
	name, err := m.Name()
	if err != nil {
		return err
	}
	records, err := walk.of(m)
	if err != nil {
		return err
	}
	sortAsDenseMap(records)
	b := le.AppendUint64(w.item[:0], p.hashes[item])
	b = le.AppendUint64(b, uint64(planned.name))
	b = le.AppendUint64(b, uint64(planned.data))
	b = name.AppendTo(b)
	for i := range records {
		b = w.encoding.append(b, &records[i])
	}
	w.item = b
	if int64(len(b)) != planned.size() {
		return layout.Corrupt(layout.RegionRW, planned.method.Offset(), "the profile of a function changed while it was written")
	}
	w.write(b)
	return nil
}

// table writes how many buckets and items there are, and where each bucket
// begins, 0 for an empty one.
func (w *indexedWriter) table(p *indexedPlan) {
	b := le.AppendUint64(w.item[:0], uint64(len(p.chains.heads)))
	w.write(le.AppendUint64(b, uint64(len(p.items))))
	at := p.payload
	for _, head := range p.chains.heads {
		if head == noItem {
			w.write(le.AppendUint64(w.item[:0], 0))
			continue
		}
		w.write(le.AppendUint64(w.item[:0], uint64(at)))
		at += bucketHeaderSize
		for item := head; item != noItem; item = p.chains.next[item] {
			at += p.items[item].size()
		}
	}
}
