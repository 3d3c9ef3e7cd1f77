package replay

import (
	"bytes"
	"errors"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What a replay file says beside its profiles (constant pools, static fields,
// the compilation) no profile holds. An archive that is made of a replay file
// keeps it as text, in the table of foreign keys: the file without its
// ciMethodData lines.

// environmentKey is the key of that text.
const environmentKey = "hotspot.replay"

// keepEnvironment puts the text into the archive.
func (b *build) keepEnvironment() {
	var text bytes.Buffer
	without := *b.recording
	without.data = nil
	_ = without.print(&text) // a buffer takes everything
	t := b.Table(layout.TableForeign, 0, layout.ColumnSymbol, layout.ColumnSymbol)
	t.Row(uint64(b.Symbol(environmentKey)), uint64(b.Symbol(text.String())))
}

// environment gives the environment of an archive that is the wanted one, or
// else the first that it has; ok is false if it has none.
func environment(s *reader.Store, wanted func(*recording) bool) (r *recording, ok bool, err error) {
	t, err := s.Table(layout.TableForeign)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, false, nil
	}
	if err == nil && (t.Columns() != 2 || t.Column(0) != layout.ColumnSymbol || t.Column(1) != layout.ColumnSymbol) {
		err = disk.Corrupt(layout.RegionEX, -1, "the table of foreign keys does not have two columns of symbols")
	}
	for i := 0; err == nil && i < t.Rows; i++ {
		var key, text reader.Name
		if key, err = s.SymbolAt(layout.Ref(t.Cell(0, i))); err != nil || !key.Equal(environmentKey) {
			continue
		}
		if text, err = s.SymbolAt(layout.Ref(t.Cell(1, i))); err != nil {
			break
		}
		found, err := parseFile(strings.NewReader(text.String()), s.Mapping().Name()+": "+environmentKey)
		if err != nil {
			return nil, false, err
		}
		if wanted(found) {
			return found, true, nil
		}
		if r == nil {
			r = found
		}
	}
	return r, r != nil, err
}
