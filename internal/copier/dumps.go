package copier

import (
	"encoding/binary"
	"errors"

	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Dumps returns the dumps that an archive was made from.
func Dumps(s *reader.Store) ([]profileset.Dump, error) {
	h := s.Header()
	if h.Flags&layout.FlagMerged == 0 {
		return []profileset.Dump{{ID: h.DumpID, Time: h.DumpTime, Weight: layout.WeightOne}}, nil
	}
	t, err := s.Table(layout.TableDumps)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dumps []profileset.Dump
	for r := range t.Rows {
		d := profileset.Dump{Time: int64(t.Cell(2, r)), Weight: layout.Weight(t.Cell(3, r))}
		binary.LittleEndian.PutUint64(d.ID[:], t.Cell(0, r))
		binary.LittleEndian.PutUint64(d.ID[8:], t.Cell(1, r))
		dumps = append(dumps, d)
	}
	return dumps, nil
}
