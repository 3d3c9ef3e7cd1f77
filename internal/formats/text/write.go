package text

import (
	"cmp"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Write writes the whole archive. It writes the counts of the file and ignores later increments of adopted profiles.
// The error comes from out or from the first record that cannot be read. In case of an error the text lacks its last
// line. Memory does not grow with the profiles.
func Write(out io.Writer, s *reader.Store) (*Report, error) {
	h := s.Header()
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	w := &writer{out: out, s: s, h: h, shape: shape, types: make([]typeText, h.Counts.Types)}
	w.report.Domain = h.Domain
	w.header()
	w.allTypes()
	w.allMethods()
	w.allTables()
	w.literal("end")
	w.end()
	w.flush()
	runtime.KeepAlive(s)
	if w.err != nil {
		return nil, w.err
	}
	return &w.report, nil
}

// A writer writes one archive. After the first error its output is undefined.
type writer struct {
	out    io.Writer
	b      []byte // buffered output
	s      *reader.Store
	h      *layout.Header
	shape  disk.Shape
	report Report
	err    error
	schema *disk.Schema // schema of the current entry

	types   []typeText       // cache, indexed by ordinal
	name    []byte           // scratch
	nodes   []reader.Context // scratch of the method contexts
	implied []bool           // scratch of the method contexts
}

// flushSize is the size of the buffer in bytes.
const flushSize = 1 << 16

// failed records the first error, and reports whether there was one.
func (w *writer) failed(err error) bool {
	if w.err == nil {
		w.err = err
	}
	return w.err != nil
}

func (w *writer) end() {
	w.b = append(w.b, '\n')
	w.report.Lines++
	if len(w.b) >= flushSize {
		w.flush()
	}
}

func (w *writer) flush() {
	if w.err == nil {
		_, w.err = w.out.Write(w.b)
	}
	w.b = w.b[:0]
}

func (w *writer) allTypes() {
	first := true
	for t, err := range w.s.Types() {
		if w.failed(err) {
			return
		}
		if first {
			w.end()
			first = false
		}
		w.typeLine(t)
	}
}

func (w *writer) typeLine(t reader.Type) {
	flags, flagsErr := t.Flags()
	alias, aliasErr := t.Alias()
	if w.failed(cmp.Or(flagsErr, aliasErr)) {
		return
	}
	w.literal("type ")
	w.typeRef(t)
	if flags != 0 {
		w.literal(" flags=")
		w.bits(typeFlags, uint64(flags))
	}
	if alias.Len() > 0 {
		w.literal(" alias=")
		w.spell(alias)
	}
	w.end()
}

func (w *writer) header() {
	w.literal(firstLine)
	w.end()
	w.literal("domain ")
	w.literal(w.h.Domain.String())
	w.end()
	if w.h.Producer != "" {
		w.literal("producer ")
		w.b = appendName(w.b, []byte(w.h.Producer))
		w.end()
	}
	w.id("producer-id ", w.h.ProducerID, "")
	w.id("fingerprint ", w.h.Fingerprint, "")
	if !derivedID(w.h) {
		w.id("dump-id ", w.h.DumpID, "  # if you change anything, delete this line: the archive then gets an id of its own")
	}
	if w.h.DumpTime != 0 {
		w.literal("time ")
		w.b = time.Unix(0, w.h.DumpTime).UTC().AppendFormat(w.b, time.RFC3339Nano)
		w.end()
	}
	if w.h.Flags != 0 {
		w.literal("flags ")
		w.bits(archiveFlags, w.h.Flags)
		w.end()
	}
	for i, v := range disk.Settings(&w.h.Params) {
		if *v != 0 {
			w.literal("param ")
			w.listed(paramWords, uint64(i))
			w.key(" ", uint64(*v))
			w.end()
		}
	}
	w.shapes()
}

// id writes the line of an id unless it is zero.
func (w *writer) id(key string, id [16]byte, comment string) {
	if id == ([16]byte{}) {
		return
	}
	w.literal(key)
	w.bytes(id[:])
	w.literal(comment)
	w.end()
}

// derivedID reports whether the dump id is the one that package builder derives from the content. The text omits
// such an id, because an edited text has another content.
func derivedID(h *layout.Header) bool {
	without := *h
	without.DumpID = [16]byte{}
	header := disk.AppendHeader(nil, &without)
	var id [16]byte
	le.PutUint64(id[:], disk.Sum(append(header, 0)))
	le.PutUint64(id[8:], disk.Sum(append(header, 1)))
	return id == h.DumpID
}

func (w *writer) literal(s string) { w.b = append(w.b, s...) }

func (w *writer) printNumber(v uint64) { w.b = strconv.AppendUint(w.b, v, 10) }

func (w *writer) signed(v int64) { w.b = strconv.AppendInt(w.b, v, 10) }

func (w *writer) hex(v uint64) {
	w.literal("0x")
	w.b = strconv.AppendUint(w.b, v, 16)
}

// digits writes 16 hexadecimal digits.
func (w *writer) digits(v uint64) {
	for shift := 60; shift >= 0; shift -= 4 {
		w.b = append(w.b, hexDigits[v>>shift&15])
	}
}

// bytes writes two hexadecimal digits for each byte.
func (w *writer) bytes(b []byte) {
	for _, c := range b {
		w.b = append(w.b, hexDigits[c>>4], hexDigits[c&15])
	}
}

// key writes a key and a number.
func (w *writer) key(key string, v uint64) {
	w.literal(key)
	w.printNumber(v)
}

func (w *writer) spell(n reader.Name) {
	w.name = n.AppendTo(w.name[:0])
	w.b = appendName(w.b, w.name)
}

// listed writes the word for n, or n if the list has no word for it.
func (w *writer) listed(list wordList, n uint64) {
	if word := list.word(n); word != "" {
		w.literal(word)
	} else {
		w.printNumber(n)
	}
}

// bits writes the words of bits with commas between them. The last item is the union of the bits without a word.
func (w *writer) bits(words wordList, bits uint64) {
	comma := ""
	for i, word := range words {
		if word != "" && bits&(1<<i) != 0 {
			w.literal(comma)
			w.literal(word)
			comma = ","
			bits &^= 1 << i
		}
	}
	if bits != 0 {
		w.literal(comma)
		w.hex(bits)
	}
}
