package llvm

import (
	"bufio"
	"io"

	"github.com/profarc/profarc/formats/codec"
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
	w.report.Lost = w.lost
	return &w.report, nil
}

const outBuffer = 1 << 18

// An indexedWriter writes an indexed file front to back.
type indexedWriter struct {
	store    *reader.Store
	options  WriteOptions
	encoding encoding
	report   WriteReport
	lost     codec.Losses

	out *bufio.Writer
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
	if err := w.buckets(p); err != nil {
		return err
	}
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

// table writes how many buckets and items there are, and where each bucket
// begins, 0 for an empty one. It begins on a multiple of 8.
func (w *indexedWriter) table(p *indexedPlan) {
	w.write(make([]byte, p.table-p.end))
	var words [tableHeaderSize]byte
	le.PutUint64(words[:], uint64(len(p.chains.heads)))
	le.PutUint64(words[8:], uint64(len(p.items)))
	w.write(words[:])
	at := p.payload
	for _, head := range p.chains.heads {
		offset := at
		if head == noItem {
			offset = 0
		}
		le.PutUint64(words[:], uint64(offset))
		w.write(words[:8])
		at += p.bucketSize(head)
	}
}
