package text

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var le = binary.LittleEndian

// section writes the entries of a section of a profile, which the reader has
// checked.
func (w *writer) section(p reader.Profile, section layout.BlockSection) {
	for rest := p.Block().Section(section); len(rest) > 0; {
		e, next, err := w.shape.Next(rest)
		if w.failed(err) {
			return
		}
		w.entryLine(section, e)
		rest = next
	}
}

func (w *writer) entryLine(section layout.BlockSection, e disk.Entry) {
	if e.Tag().Wide() && section != layout.SectionData {
		w.report.Lost.Add(LossMisplaced, 1)
		return
	}
	w.report.Entries++
	w.text("    ")
	if word := sectionWords.word(uint64(section)); word != "" {
		w.text(word)
		w.text(" ")
	}
	w.text("@")
	w.signed(int64(e.Point()))
	w.text(" ")
	w.text(tagWords[e.Tag()])
	if !e.Tag().Wide() {
		w.seen(e, uint64(e.Traps()))
	}
	forms[e.Tag()].write(w, e)
	w.end()
}

// seen writes the flags and traps of an entry in brackets, if it has any.
func (w *writer) seen(e disk.Entry, traps uint64) {
	if e.Flags() == 0 && traps == 0 {
		return
	}
	w.text(" [")
	start := len(w.b)
	if e.Flags() != 0 {
		w.seenFlags(e)
	}
	if reason := traps &^ trapRecompiled; reason == trapMany {
		w.next(start, "trap=many")
	} else if reason != 0 {
		w.next(start, "trap=")
		w.number(reason)
	}
	if traps&trapRecompiled != 0 {
		w.next(start, "recompiled")
	}
	w.text("]")
}

// seenFlags writes each flag as a word of its own.
func (w *writer) seenFlags(e disk.Entry) {
	start, rest := len(w.b), e.Flags()
	for i, word := range entryFlags(e.Tag()) {
		if word != "" && rest&(1<<i) != 0 {
			w.next(start, word)
			rest &^= 1 << i
		}
	}
	if rest != 0 {
		w.next(start, "")
		w.hex(uint64(rest))
	}
}

// next writes a word, behind a blank unless it is the first since start.
func (w *writer) next(start int, word string) {
	if len(w.b) > start {
		w.text(" ")
	}
	w.text(word)
}

// rows writes so many rows of types and counts, from a cell on.
func (w *writer) rows(e disk.Entry, first, n int) {
	for i := range n {
		w.text(" ")
		w.typeAt(e.Cell(first + 2*i))
		w.rowCount(e.Cell(first+2*i) == 0, e.Cell(first+2*i+1))
	}
}

// rowCount writes the count of a row, which an empty row mostly does not have.
func (w *writer) rowCount(empty bool, count uint64) {
	if !empty || count != 0 {
		w.key("=", count)
	}
}

// filled is the number of rows, of so many cells each from a cell on, up to the
// last that is not all zeros.
func filled(e disk.Entry, first, width, n int) int {
	for ; n > 0; n-- {
		for i := range width {
			if e.Cell(first+(n-1)*width+i) != 0 {
				return n
			}
		}
	}
	return 0
}
