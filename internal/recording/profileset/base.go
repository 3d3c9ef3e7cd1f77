package profileset

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

func (b *Set) ExpectBase(base layout.BaseArchive) {
	words := disk.BaseRowOf(base)
	b.Table(disk.TableBase, 0).Row(append(words[:], uint64(b.Symbol(base.Producer)))...)
}

func (b *Set) baseOf(row []uint64) layout.BaseArchive {
	return disk.BaseOfRow([disk.BaseWords]uint64(row), b.Text(intern.SymbolRef(row[disk.BaseWords])))
}

// checkBase returns an error if the archive would be a layer on several bases. Equal rows must be united before. The
// caller holds mu.
func (b *Set) checkBase() error {
	t := b.Tables[disk.TableBase]
	if t == nil || t.Rows() < 2 {
		return nil
	}
	return fmt.Errorf("%w: a layer on %s, and on %s", ErrMismatch, b.baseOf(t.Cells).ID(),
		b.baseOf(t.Cells[len(t.Columns):]).ID())
}
