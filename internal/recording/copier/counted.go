package copier

import (
	"maps"

	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Counted holds the counts of an adopted archive at its last copy. A copy with Increments and this Since has the counts
// between two copies. Each count is read once, for the copy and as the start of the next one. The zero value holds the
// trained counts. It is not safe for concurrent use.
type Counted struct {
	kept map[layout.Ref][]uint64 // words of the blocks that have changed, at the last kept copy
	next map[layout.Ref][]uint64 // words of the blocks that have changed, at the current copy
}

// Keep makes the last copy the start of the next one. Call it after the archive with the copy has been written.
func (k *Counted) Keep() {
	if k.kept == nil {
		k.kept = map[layout.Ref][]uint64{}
	}
	maps.Copy(k.kept, k.next)
	k.next = nil
}

// Begin starts a copy and returns k. If the last copy was not kept, its counts are counted again.
func (k *Counted) Begin() *Counted {
	k.next = map[layout.Ref][]uint64{}
	return k
}

func (k *Counted) countedBefore(p reader.Profile, n reader.Counter) uint64 {
	if k != nil {
		if block := k.kept[p.Ref()]; block != nil {
			return block[wordOf(p, n)]
		}
	}
	return n.Trained()
}

func (k *Counted) noteCount(p reader.Profile, n reader.Counter, count uint64) {
	if k == nil {
		return
	}
	block := k.next[p.Ref()]
	if block == nil {
		block = append(block, k.kept[p.Ref()]...)
		if block == nil {
			block = words.AppendWords(nil, p.Bytes())
		}
		k.next[p.Ref()] = block
	}
	block[wordOf(p, n)] = count
}

func wordOf(p reader.Profile, n reader.Counter) int64 { return (n.Offset() - p.Ref().Offset()) / 8 }
