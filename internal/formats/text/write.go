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

// Write writes the whole archive. Numbers come from the file, not from what adopted profiles have counted
// since. The error is of the first record that cannot be read, or of out; what was written before it is then
// not complete: it lacks its last line.
//
// Memory does not grow with the profiles.
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

// A writer writes one archive. It keeps the first error and then writes nothing more of use.
type writer struct {
	out    io.Writer
	b      []byte // not yet written
	s      *reader.Store
	h      *layout.Header
	shape  disk.Shape
	report Report
	err    error
	schema *disk.Schema // of the entry that is being written

	types   []typeText       // by ordinal, as far as they were written
	name    []byte           // scratch
	nodes   []reader.Context // scratch of contexts
	implied []bool
}

// flushSize is how much is gathered before it is written.
const flushSize = 1 << 16

// failed keeps err if it is the first, and reports whether there is any.
func (w *writer) failed(err error) bool {
	if w.err == nil {
		w.err = err
	}
	return w.err != nil
}

// end ends a line.
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

// blankLine separates the parts of the text.
func (w *writer) blankLine() { w.end() }

func (w *writer) allTypes() {
	first := true
	for t, err := range w.s.Types() {
		if w.failed(err) {
			return
		}
		if first {
			w.blankLine()
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

// id writes one of the archive's identities, if it has it.
func (w *writer) id(key string, id [16]byte, comment string) {
	if id == ([16]byte{}) {
		return
	}
	w.literal(key)
	w.bytes(id[:])
	w.literal(comment)
	w.end()
}

// derivedID reports whether the dump id of an archive is the one that package builder derives from all else
// that the archive holds. The text does not say that one: of a text that was changed it would be another's.
func derivedID(h *layout.Header) bool {
	without := *h
	without.DumpID = [16]byte{}
	header := disk.AppendHeader(nil, &without)
	var id [16]byte
	le.PutUint64(id[:], disk.Sum(append(header, 0)))
	le.PutUint64(id[8:], disk.Sum(append(header, 1)))
	return id == h.DumpID
}

// The pieces that lines are made of.

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

// key writes a number after the text of its key.
func (w *writer) key(key string, v uint64) {
	w.literal(key)
	w.printNumber(v)
}

// spell writes a name.
func (w *writer) spell(n reader.Name) {
	w.name = n.AppendTo(w.name[:0])
	w.b = appendName(w.b, w.name)
}

// listed writes the word of a number, or the number.
func (w *writer) listed(list wordList, n uint64) {
	if word := list.word(n); word != "" {
		w.literal(word)
	} else {
		w.printNumber(n)
	}
}

// bits writes the words of bits, and those that have none as one number, with commas between them.
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
