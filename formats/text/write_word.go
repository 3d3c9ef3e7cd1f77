package text

import (
	"strconv"

	"github.com/profarc/profarc/reader"
)

// The pieces that lines are made of.

func (w *writer) text(s string) { w.b = append(w.b, s...) }

func (w *writer) number(v uint64) { w.b = strconv.AppendUint(w.b, v, 10) }

func (w *writer) signed(v int64) { w.b = strconv.AppendInt(w.b, v, 10) }

func (w *writer) hex(v uint64) {
	w.text("0x")
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

// key writes a number behind the text of its key.
func (w *writer) key(key string, v uint64) {
	w.text(key)
	w.number(v)
}

// numbers writes numbers with a blank in front of each.
func numbers[T uint8 | uint64](w *writer, values ...T) {
	for _, v := range values {
		w.text(" ")
		w.number(uint64(v))
	}
}

// spell writes a name alone.
func (w *writer) spell(n reader.Name) {
	w.name = n.AppendTo(w.name[:0])
	w.b = appendName(w.b, w.name)
}

// listed writes the word of a number, or the number.
func (w *writer) listed(list wordList, n uint64) {
	if word := list.word(n); word != "" {
		w.text(word)
	} else {
		w.number(n)
	}
}

// bits writes the words of bits, and those that have none as one number, with
// commas between them.
func (w *writer) bits(words wordList, bits uint64) {
	comma := ""
	for i, word := range words {
		if word != "" && bits&(1<<i) != 0 {
			w.text(comma)
			w.text(word)
			comma = ","
			bits &^= 1 << i
		}
	}
	if bits != 0 {
		w.text(comma)
		w.hex(bits)
	}
}
