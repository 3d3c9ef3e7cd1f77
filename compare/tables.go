package compare

import (
	"maps"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Uncompared is a table of measurements, which no score is of.
type Uncompared struct {
	Table        layout.TableKind
	RowsA, RowsB int
}

// describing are tables that say what an archive is of and where it comes from:
// they measure nothing.
var describing = map[layout.TableKind]bool{
	layout.TableOrder: true, layout.TableOrderRuns: true, layout.TableProperties: true, layout.TableDumps: true, layout.TableBinaryIDs: true, layout.TableVTables: true,
	layout.TableRuns: true, layout.TableClassPath: true, layout.TableCode: true,
}

// passTables takes note of the tables that are not compared.
func (c *comparison) passTables() error {
	found := map[layout.TableKind]*Uncompared{}
	note := func(s *reader.Store, rows func(*Uncompared) *int) error {
		for t, err := range s.Tables() {
			if err != nil {
				return err
			}
			if describing[t.Kind] || t.Rows == 0 {
				continue
			}
			if found[t.Kind] == nil {
				found[t.Kind] = &Uncompared{Table: t.Kind}
			}
			*rows(found[t.Kind]) = t.Rows
		}
		return nil
	}
	if err := note(c.a, func(u *Uncompared) *int { return &u.RowsA }); err != nil {
		return err
	}
	if err := note(c.b, func(u *Uncompared) *int { return &u.RowsB }); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		c.report.NotCompared = append(c.report.NotCompared, *found[kind])
	}
	return nil
}
