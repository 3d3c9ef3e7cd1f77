package copier

import (
	"fmt"
	"maps"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// Native code can have written anything into the cells of an adopted profile. The copy leaves out pointers to no type
// or method, and calls Hooks.Dropped. Threads can keep counting during the copy. Each cell is therefore read before its
// target is looked up, and the count of a row before its type. Otherwise a row that a thread is just claiming would be
// reported.

func (c *Copier) reportDropped(e reader.Entry, reason string, v uint64) error {
	if c.hooks.Dropped == nil {
		return nil
	}
	return c.hooks.Dropped(c.method, e.Point(), fmt.Sprintf(reason, v))
}

// Reasons for reportDropped.
const (
	noType    = "%#x in the place of a type leads to none"
	noMethod  = "%#x in the place of a method leads to none"
	noTypeFor = "a count of %d has no type"
)

// reportDeadCell reports a live cell that pointed to nothing and held v before the lookup. It ignores empty cells and
// cells that another thread is writing.
func (c *Copier) reportDeadCell(e reader.Entry, cell int, v uint64, reason string) error {
	if v == 0 || e.Cell(cell).Load() != v {
		return nil
	}
	return c.reportDropped(e, reason, v)
}

func (c *Copier) liveType(e reader.Entry, cell int) (uint64, error) {
	v := e.Cell(cell).Load()
	if w := e.TypeCell(cell); w.Type.Valid() {
		return cellOf(c.TypeRef(w.Type))
	}
	return 0, c.reportDeadCell(e, cell, v, noType)
}

func (c *Copier) liveTypeWord(e reader.Entry, cell int) (v uint64, err error) {
	held := e.Cell(cell).Load()
	w := e.TypeCell(cell)
	if w.NullSeen {
		v |= disk.TypeNullSeen
	}
	if w.Unknown {
		v |= disk.TypeUnknown
	}
	if !w.Type.Valid() {
		if held&^disk.TypeTags == 0 {
			return v, nil
		}
		return v, c.reportDeadCell(e, cell, held, noType)
	}
	ref, err := cellOf(c.TypeRef(w.Type))
	return ref | v, err
}

func (c *Copier) liveMethod(e reader.Entry, cell int) (uint64, error) {
	v := e.Cell(cell).Load()
	base := c.s.Header().Base
	if _, live := e.Cell(cell).Word(); live {
		a, _ := c.s.Adoption()
		base = a.Base
	}
	if at := v - base; at%disk.Unit == 0 && at < uint64(c.s.Header().FileSize) {
		if ref, ok := c.methods.findRef(disk.RefOf(int64(at))); ok {
			return cellOf(ref, nil)
		}
	}
	m, err := e.MethodCell(cell)
	if err != nil {
		return 0, err
	}
	if m.Valid() {
		return cellOf(c.MethodRef(m.Ref()))
	}
	return 0, c.reportDeadCell(e, cell, v, noMethod)
}

// receiverCell returns the cell for the type of a row. The row can have been claimed since the dump. raw already has
// the count of the row in the next cell.
func (c *Copier) receiverCell(raw disk.Entry, e reader.Entry, cell int, r reader.Receivers, row int) (uint64, error) {
	v := e.Cell(cell).Load()
	seen, ok := r.Row(row)
	switch count := raw.Cell(cell + 1); {
	case ok:
		return cellOf(c.TypeRef(seen.Type))
	case v != 0:
		return 0, c.reportDeadCell(e, cell, v, noType)
	case count != 0:
		return 0, c.reportDropped(e, noTypeFor, count)
	}
	return 0, nil
}

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
