package copier

import (
	"maps"

	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Counted is what had been counted in an adopted archive when it was copied last. Copies with Increments and
// this Since have what was counted between one copy and the next: each count is read once, for the copy and
// as the beginning of the next one. The zero value is the trained counts. It is for one goroutine at a time.
type Counted struct {
	kept map[layout.Ref][]uint64 // words of the blocks that have changed
	next map[layout.Ref][]uint64 // the same at the copy that was not kept yet
}

// Keep makes the last copy the one that the next is counted from: the archive with it has been written.
func (k *Counted) Keep() {
	if k.kept == nil {
		k.kept = map[layout.Ref][]uint64{}
	}
	maps.Copy(k.kept, k.next)
	k.next = nil
}

// Begin begins a copy, and returns k. What the last one counted, unless it was kept, is counted again.
func (k *Counted) Begin() *Counted {
	k.next = map[layout.Ref][]uint64{}
	return k
}

// countedBefore returns the count of a counter at the last kept copy.
func (k *Counted) countedBefore(p reader.Profile, n reader.Counter) uint64 {
	if k != nil {
		if block := k.kept[p.Ref()]; block != nil {
			return block[wordOf(p, n)]
		}
	}
	return n.Trained()
}

// noteCount notes what a counter of a profile has counted in this copy.
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

// wordOf returns the number of a counter's word in the block of its profile.
func wordOf(p reader.Profile, n reader.Counter) int64 { return (n.Offset() - p.Ref().Offset()) / 8 }
