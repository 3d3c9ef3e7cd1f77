package archivewriter

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/prefetch"
	"github.com/profarc/profarc/internal/words"
)

// Names and blocks are written in the order of names, and lie in that of their
// arrival. While a group is being written, the next is on its way into the
// caches.
const (
	fetchGroup = 16
	fetchLines = 4 // of each; what comes behind them the processor fetches unasked
)

func (p *plan) fetchNames(i int) {
	fetchAhead(i, len(p.records), func(k int) []byte { return p.b.Symbols.Texts.At(p.records[k].name) })
}

func (p *plan) fetchSymbols(i int) {
	fetchAhead(i, len(p.symbolRefs), func(k int) []byte {
		s := p.symbolRefs[k]
		if len(p.lists.at(s)) > 0 {
			return nil
		}
		return p.b.Symbols.Texts.At(p.b.Symbols.Place(s))
	})
}

func (p *plan) fetchBlocks(i int) {
	fetchAhead(i, len(p.profiles), func(k int) []byte { return p.b.Blocks.At(p.profiles[k].block) })
}

// fetchAhead asks for the memory of the group behind that which begins with i, if
// one does; bytes is the memory of one of n.
func fetchAhead(i, n int, bytes func(k int) []byte) {
	if i%fetchGroup != 0 {
		return
	}
	var lines [fetchGroup * fetchLines]uintptr
	asked := lines[:0]
	for k := i + fetchGroup; k < min(i+2*fetchGroup, n); k++ {
		b := bytes(k)
		from := words.Address(b)
		to := from + uintptr(min(len(b), fetchLines*disk.LineSize))
		for at := from; at < to; at += disk.LineSize - at%disk.LineSize {
			asked = append(asked, at)
		}
	}
	prefetch.Lines(asked)
}
