package pages

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
)

// namePieces are distinct pieces of names, one after the other.
type namePieces struct {
	text    []byte
	ends    []int            // of each in text, behind its newline
	numbers map[string]int32 // while pieces are added

	frequencies [256]int // of the bytes in text
}

// number returns the number of a piece, which is added if it is new.
func (p *namePieces) number(piece string) int32 {
	if i, ok := p.numbers[piece]; ok {
		return i
	}
	if p.numbers == nil {
		p.numbers = map[string]int32{}
	}
	i := int32(len(p.ends))
	p.numbers[strings.Clone(piece)] = i // not the whole name
	p.text = append(append(p.text, piece...), '\n')
	p.ends = append(p.ends, len(p.text))
	for _, b := range []byte(piece) {
		p.frequencies[b]++
	}
	return i
}

// What a word has to do with a piece, as bits.
const (
	within uint8 = 1 << iota // the piece contains it
	across                   // the piece ends with the beginning of the word, or begins with its end
)

// containing marks the pieces that contain a word.
func (p *namePieces) containing(word string) []uint8 {
	marks := make([]uint8, len(p.ends))
	rarest := p.rarestByte(word)
	onAllProcessors(len(p.ends), func(from, to int) { p.markContaining(marks, word, rarest, from, to) })
	return marks
}

// rarestByte returns the index in a word of the byte that is rarest in the text.
func (p *namePieces) rarestByte(word string) int {
	rarest := 0
	for i := range len(word) {
		if p.frequencies[word[i]] < p.frequencies[word[rarest]] {
			rarest = i
		}
	}
	return rarest
}

// markContaining marks the pieces from one number to another that contain a word. It looks for the rarest byte of the
// word, since the first one may be in each name.
func (p *namePieces) markContaining(marks []uint8, word string, rarest, from, to int) {
	i, begin, end := from, 0, p.ends[to-1]
	if from > 0 {
		begin = p.ends[from-1]
	}
	for at := begin + rarest; at < end; at++ {
		found := bytes.IndexByte(p.text[at:end], word[rarest])
		if found < 0 {
			return
		}
		at += found
		if first := at - rarest; bytes.HasPrefix(p.text[first:end], []byte(word)) {
			for p.ends[i] <= first {
				i++
			}
			marks[i] = within
			at = p.ends[i] + rarest - 1
		}
	}
}

// onAllProcessors calls f for the numbers below n, each processor for a run of them.
func onAllProcessors(n int, f func(from, to int)) {
	each := n/runtime.GOMAXPROCS(0) + 1
	var all sync.WaitGroup
	for from := 0; from < n; from += each {
		all.Go(func() { f(from, min(from+each, n)) })
	}
	all.Wait()
}

// markAcross marks the pieces that have their part of a word at the edge.
func (p *namePieces) markAcross(marks []uint8, atEdge func(piece []byte) bool) {
	at := 0
	for i, end := range p.ends {
		if atEdge(p.text[at : end-1]) {
			marks[i] |= across
		}
		at = end
	}
}
