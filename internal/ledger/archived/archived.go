// Package archived counts archives, and reads the accounts that they keep.
package archived

import (
	"cmp"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Totals returns the counts in an archive. It reads all profiles. The error is the archive's.
func Totals(s *reader.Store) (ledger.Totals, error) {
	totals, err := TableTotals(s)
	if err != nil {
		return nil, err
	}
	c := ledger.Counter{Domain: s.Header().Domain, Shape: (*mapped.Mapping)(s.Mapping()).Shape(), Totals: totals}
	for p, err := range s.Profiles() {
		if err != nil {
			return nil, disk.WithFileName(err, s.Mapping().Name())
		}
		c.AddBlock(disk.Block(p.Bytes()))
	}
	return totals, nil
}

// TableTotals returns the counts in the tables of an archive.
func TableTotals(s *reader.Store) (ledger.Totals, error) {
	totals := ledger.Totals{}
	for kind := range ledger.TableUnits {
		t, err := s.TableOrEmpty(kind)
		if err != nil {
			return nil, disk.WithFileName(err, s.Mapping().Name())
		}
		for row := range t.Rows {
			unit, column := CountedCell(&t, row)
			totals.Add(unit, t.Cell(column, row))
		}
	}
	return totals, nil
}

// CountedCell returns the unit of the count in a row, and its column. The unit is empty if the row has no count, or
// repeats the count of the row before.
func CountedCell(t *reader.Table, row int) (unit ledger.Unit, column int) {
	unit = ledger.TableUnits[t.Kind]
	repeats := t.Kind == disk.TableSamples && row > 0 && t.Cell(0, row) == t.Cell(0, row-1)
	if unit == "" || repeats {
		return "", 0
	}
	return unit, len(disk.TableColumns(t.Kind)) - 1
}

// Account returns the account of an archive. An archive without one has no inputs.
func Account(s *reader.Store) (ledger.Account, error) {
	inputs, errInputs := cellsOf(s, disk.TableInputs)
	losses, errLosses := cellsOf(s, disk.TableLosses)
	if err := cmp.Or(errInputs, errLosses); err != nil {
		return ledger.Account{}, err
	}
	a, err := ledger.Decode(inputs, losses, func(cell uint64) (string, error) {
		if cell == 0 {
			return "", nil
		}
		text, err := s.SymbolAt(layout.Ref(cell))
		return text.String(), err
	})
	if err != nil {
		return ledger.Account{}, disk.WithFileName(err, s.Mapping().Name())
	}
	a.Sort()
	return a, nil
}

// cellsOf returns the known columns of a table, row by row.
func cellsOf(s *reader.Store, kind disk.TableKind) (cells []uint64, err error) {
	t, err := s.TableOrEmpty(kind)
	if err != nil {
		return nil, disk.WithFileName(err, s.Mapping().Name())
	}
	for row := range t.Rows {
		for column := range disk.TableColumns(kind) {
			cells = append(cells, t.Cell(column, row))
		}
	}
	return cells, nil
}
