package reader

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Table is a table of the region ex.
type Table struct {
	Kind  disk.TableKind
	Flags uint32
	Rows  int
	cells disk.Table
	s     *Store
}

// Columns returns the number of columns.
func (t *Table) Columns() int { return t.cells.Columns() }

// Column returns the kind of the cells in column i.
func (t *Table) Column(i int) disk.ColumnKind { return t.cells.Column(i) }

// Cell returns a cell. Depending on its column it is a number or the [layout.Ref] of a record.
func (t *Table) Cell(column, row int) uint64 { return t.cells.Cell(column, row) }

// Text returns the string for a cell that refers to a symbol; "" for 0.
func (t *Table) Text(column, row int) (string, error) {
	return t.s.symbolText(layout.Ref(t.Cell(column, row)))
}

// Tables iterates over the tables in the order of their kinds. An error ends it. A table is valid while the store is
// reachable.
func (s *Store) Tables() iter.Seq2[Table, error] {
	return func(yield func(Table, error) bool) {
		places, err := s.readTableDirectory()
		if err != nil {
			yield(Table{}, err)
			return
		}
		for _, p := range places {
			t, err := s.readTable(p)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Table returns a table. The error matches ErrNotFound if the archive lacks it. The table is valid while the store is
// reachable.
func (s *Store) Table(kind disk.TableKind) (Table, error) {
	places, err := s.readTableDirectory()
	if err != nil {
		return Table{}, err
	}
	for _, p := range places {
		if p.Kind == kind {
			return s.readTable(p)
		}
	}
	return Table{}, ErrNotFound
}

// TableOrEmpty returns a table, without rows if the archive lacks it. A table of a known kind begins with its columns.
func (s *Store) TableOrEmpty(kind disk.TableKind) (Table, error) {
	t, err := s.Table(kind)
	if errors.Is(err, ErrNotFound) {
		return Table{Kind: kind}, nil
	}
	return t, err
}

func (s *Store) readTableDirectory() ([]disk.TablePlace, error) {
	if disk.RegionOf(s.h, disk.RegionEX).Size == 0 {
		return nil, s.checkOpen()
	}
	places, err := disk.ReadTablePlaces(s.h, s.m.Bytes)
	return places, disk.WithFileName(err, s.m.Name())
}

func (s *Store) readTable(p disk.TablePlace) (Table, error) {
	t, err := p.ReadTable(s.m.Bytes)
	return Table{Kind: t.Kind, Flags: t.Flags, Rows: t.Rows, cells: t, s: s}, disk.WithFileName(err, s.m.Name())
}

// Runs returns the runs in which the counts were recorded, as far as producers described them. They include the run of
// the archive's own dump, the runs of merged dumps, and the runs of archives that its producer had adopted. They are
// sorted by time, then by dump id. Runs with equal class paths share the slice.
func (s *Store) Runs() ([]layout.Provenance, error) {
	t, err := s.TableOrEmpty(disk.TableRuns)
	if err != nil || t.Rows == 0 {
		return nil, err
	}
	texts := sharedTexts{s: s, known: map[layout.Ref]string{}}
	paths, err := texts.readClassPaths()
	if err != nil {
		return nil, err
	}
	runs := make([]layout.Provenance, 0, t.Rows)
	for row := range t.Rows {
		r, err := texts.readRunRow(&t, row)
		if err != nil {
			return nil, err
		}
		run := r.Provenance()
		run.ClassPath = paths[r.Words[disk.RunClassPath]]
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(x, y layout.Provenance) int {
		return cmp.Or(x.Time.Compare(y.Time), slices.Compare(x.DumpID[:], y.DumpID[:]))
	})
	return runs, nil
}

// sharedTexts caches the strings of symbols. Most runs have equal ones, and a forged file's cells can share a huge one.
type sharedTexts struct {
	s     *Store
	known map[layout.Ref]string
}

func (x *sharedTexts) textOf(n layout.Ref) (string, error) {
	text, ok := x.known[n]
	if ok {
		return text, nil
	}
	text, err := x.s.symbolText(n)
	x.known[n] = text
	return text, err
}

func (x *sharedTexts) readRunRow(t *Table, row int) (r disk.RunRow, err error) {
	for i := range r.Words {
		r.Words[i] = t.Cell(i, row)
	}
	for i := range r.Texts {
		r.Texts[i], err = x.textOf(layout.Ref(t.Cell(disk.RunWords+i, row)))
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func (x *sharedTexts) readClassPaths() (map[uint64][]layout.ClassPathEntry, error) {
	t, err := x.s.TableOrEmpty(disk.TableClassPath)
	if err != nil {
		return nil, err
	}
	rows := make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(x, y int) int {
		return cmp.Or(cmp.Compare(t.Cell(0, x), t.Cell(0, y)), cmp.Compare(t.Cell(1, x), t.Cell(1, y)))
	})
	paths := map[uint64][]layout.ClassPathEntry{}
	for _, row := range rows {
		path, err := x.textOf(layout.Ref(t.Cell(2, row)))
		if err != nil {
			return nil, err
		}
		paths[t.Cell(0, row)] = append(paths[t.Cell(0, row)], layout.ClassPathEntry{Path: path, Content: layout.Content{
			Kind: layout.ContentKind(t.Cell(3, row)), Size: t.Cell(4, row), Sum: t.Cell(5, row)}})
	}
	return paths, nil
}
