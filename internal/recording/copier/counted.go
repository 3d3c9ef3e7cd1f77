package copier

import (
	"maps"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// Counted holds the words of an adopted archive at its last copy. A copy with Increments and this Since has the counts
// between two copies. Each count is read once, for the copy and as the start of the next one. The zero value is the
// start of the run. It is not safe for concurrent use.
type Counted struct {
	kept disk.LivePages // pages that have changed, at the last kept copy
	next disk.LivePages // pages that have changed since, at the current copy
}

// Keep makes the last copy the start of the next one. Call it after the archive with the copy has been written. If a
// copy is not kept, its counts are counted again.
func (k *Counted) Keep() {
	if k.kept.Words == nil {
		k.kept = k.next
	} else {
		maps.Copy(k.kept.Words, k.next.Words)
	}
	k.next = disk.LivePages{}
}

// begin reads the words for a copy.
func (k *Counted) begin(s *reader.Store) (err error) {
	k.next, err = s.ChangedWords(k.kept)
	return err
}

// increment returns the difference of a word between the last kept copy and the current one.
func (k *Counted) increment(n reader.Counter) uint64 {
	now, changed := k.next.Word(n.Offset())
	if !changed {
		return 0
	}
	before, ok := k.kept.Word(n.Offset())
	if !ok {
		before = n.Trained()
	}
	return now - before
}
