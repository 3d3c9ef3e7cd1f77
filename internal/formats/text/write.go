package text

import (
	"cmp"
	"encoding/hex"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Export writes the whole archive. It writes the counts of the file and ignores later increments of adopted profiles.
// The error comes from out or from the first record that cannot be read. In case of an error the text lacks its last
// line. Memory does not grow with the profiles.
func (*Exporter) Export(out io.Writer, s *reader.Store) (*codec.Report, error) {
	h := s.Header()
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	w := &writer{out: out, s: s, h: h, shape: shape, types: make([]typeText, h.Counts.Types)}
	w.counts = ledger.Counter{Domain: h.Domain, Shape: shape, Totals: ledger.Totals{}}
	w.writeHeader()
	w.writeTypes()
	w.writeMethods()
	w.writeTables()
	w.writeLiteral("end")
	w.endLine()
	w.flushBuffer()
	runtime.KeepAlive(s)
	if w.Err != nil {
		return nil, w.Err
	}
	w.report.Totals = w.counts.Totals
	tables, err := archived.TableTotals(s)
	w.counts.Totals.AddAll(tables)
	return &w.report, err
}

// A writer writes one archive. After the first error its output is undefined.
type writer struct {
	out    io.Writer
	b      []byte // buffered output
	s      *reader.Store
	h      *layout.Header
	shape  disk.Shape
	report codec.Report
	counts ledger.Counter // counts of the written profiles
	parse.FirstError
	schema *disk.Schema // schema of the current entry

	types   []typeText       // cache, indexed by ordinal
	name    []byte           // scratch
	nodes   []reader.Context // scratch of the method contexts
	implied []bool           // scratch: whether nodes are the inner contexts of others
}

// flushSize is the size of the buffer in bytes.
const flushSize = 1 << 16

func (w *writer) endLine() {
	w.b = append(w.b, '\n')
	if len(w.b) >= flushSize {
		w.flushBuffer()
	}
}

func (w *writer) flushBuffer() {
	if w.Err == nil {
		_, w.Err = w.out.Write(w.b)
	}
	w.b = w.b[:0]
}

func (w *writer) writeTypes() {
	first := true
	for t := range poll.Values(w.s.Types(), &w.Err) {
		if first {
			w.endLine()
			first = false
		}
		w.writeTypeLine(t)
	}
}

func (w *writer) writeTypeLine(t reader.Type) {
	flags, flagsErr := t.Flags()
	alias, aliasErr := t.Alias()
	if w.Fail(cmp.Or(flagsErr, aliasErr)) {
		return
	}
	w.writeLiteral("type ")
	w.writeTypeRef(t)
	if flags != 0 {
		w.writeLiteral(" flags=")
		w.writeBits(typeFlags, uint64(flags), ",")
	}
	if alias.Len() > 0 {
		w.writeLiteral(" alias=")
		w.writeName(alias)
	}
	w.endLine()
}

func (w *writer) writeHeader() {
	w.writeLiteral(firstLine)
	w.endLine()
	w.writeLiteral("domain ")
	w.writeLiteral(w.h.Domain.String())
	w.endLine()
	if w.h.Producer != "" {
		w.writeLiteral("producer ")
		w.b = appendName(w.b, []byte(w.h.Producer))
		w.endLine()
	}
	w.writeIDLine("producer-id ", w.h.ProducerID, "")
	w.writeIDLine("fingerprint ", w.h.Fingerprint, "")
	if !isDerivedID(w.h) {
		w.writeIDLine("dump-id ", w.h.DumpID, "  # if you change anything, delete this line: the archive then gets an id of its own")
	}
	if w.h.DumpTime != 0 {
		w.writeLiteral("time ")
		w.b = time.Unix(0, w.h.DumpTime).UTC().AppendFormat(w.b, time.RFC3339Nano)
		w.endLine()
	}
	if w.h.Flags != 0 {
		w.writeLiteral("flags ")
		w.writeBits(archiveFlags, w.h.Flags, ",")
		w.endLine()
	}
	for i, v := range disk.Settings(&w.h.Params) {
		if *v != 0 {
			w.writeLiteral("param ")
			w.writeListedWord(paramWords, uint64(i))
			w.writeKeyNumber(" ", uint64(*v))
			w.endLine()
		}
	}
	w.writeShapes()
}

// writeIDLine writes the line of an id unless it is zero.
func (w *writer) writeIDLine(key string, id [16]byte, comment string) {
	if id == ([16]byte{}) {
		return
	}
	w.writeLiteral(key)
	w.writeHexBytes(id[:])
	w.writeLiteral(comment)
	w.endLine()
}

// isDerivedID reports whether the dump id is the one that package builder derives from the content. The text omits
// such an id, because an edited text has another content.
func isDerivedID(h *layout.Header) bool {
	without := *h
	without.DumpID = [16]byte{}
	header := disk.AppendHeader(nil, &without)
	var id [16]byte
	le.PutUint64(id[:], disk.Checksum(append(header, 0)))
	le.PutUint64(id[8:], disk.Checksum(append(header, 1)))
	return id == h.DumpID
}

func (w *writer) writeLiteral(s string) { w.b = append(w.b, s...) }

func (w *writer) writeUint(v uint64) { w.b = strconv.AppendUint(w.b, v, 10) }

func (w *writer) writeInt(v int64) { w.b = strconv.AppendInt(w.b, v, 10) }

func (w *writer) writeHex(v uint64) {
	w.writeLiteral("0x")
	w.b = strconv.AppendUint(w.b, v, 16)
}

// writeHexBytes writes two hexadecimal digits for each byte.
func (w *writer) writeHexBytes(b []byte) { w.b = hex.AppendEncode(w.b, b) }

func (w *writer) writeKeyNumber(key string, v uint64) {
	w.writeLiteral(key)
	w.writeUint(v)
}

func (w *writer) writeName(n reader.Name) {
	w.name = n.AppendTo(w.name[:0])
	w.b = appendName(w.b, w.name)
}

func (w *writer) writeListedWord(list wordList, n uint64) {
	if word := list.wordFor(n); word != "" {
		w.writeLiteral(word)
	} else {
		w.writeUint(n)
	}
}

// writeBits writes the words of bits with separators between them. The last item is the union of the bits without a
// word.
func (w *writer) writeBits(words wordList, bits uint64, separator string) {
	before := ""
	for i, word := range words {
		if word != "" && bits&(1<<i) != 0 {
			w.writeLiteral(before)
			w.writeLiteral(word)
			before = separator
			bits &^= 1 << i
		}
	}
	if bits != 0 {
		w.writeLiteral(before)
		w.writeHex(bits)
	}
}
