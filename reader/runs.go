package reader

import (
	"cmp"
	"errors"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Runs says which runs the counts of an archive are of, as far as their
// producers told: that of its own dump, those of the dumps that it was merged
// from, those of archives that its producer had adopted. They come in the order
// of their times, then of their dumps. Runs with one class path share the slice.
func (s *Store) Runs() ([]layout.Provenance, error) {
	t, err := s.Table(layout.TableRuns)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts := sharedTexts{s: s, known: map[layout.Ref]string{}}
	paths, err := texts.classPaths()
	if err != nil {
		return nil, err
	}
	runs := make([]layout.Provenance, 0, t.Rows)
	for row := range t.Rows {
		r, err := texts.runRow(&t, row)
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

// sharedTexts are texts of symbols, each held once: rows of runs mostly agree in
// theirs, and those of a forged file may share one that is very long.
type sharedTexts struct {
	s     *Store
	known map[layout.Ref]string
}

func (x *sharedTexts) text(n layout.Ref) (string, error) {
	text, ok := x.known[n]
	if ok {
		return text, nil
	}
	text, err := x.s.text(n)
	x.known[n] = text
	return text, err
}

func (x *sharedTexts) runRow(t *Table, row int) (r disk.RunRow, err error) {
	for i := range r.Words {
		r.Words[i] = t.Cell(i, row)
	}
	for i := range r.Texts {
		if r.Texts[i], err = x.text(layout.Ref(t.Cell(disk.RunWords+i, row))); err != nil {
			return r, err
		}
	}
	return r, nil
}

// classPaths reads the class paths, by the numbers that runs refer to.
func (x *sharedTexts) classPaths() (map[uint64][]layout.ClassPathEntry, error) {
	t, err := x.s.Table(layout.TableClassPath)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
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
		path, err := x.text(layout.Ref(t.Cell(2, row)))
		if err != nil {
			return nil, err
		}
		paths[t.Cell(0, row)] = append(paths[t.Cell(0, row)], layout.ClassPathEntry{Path: path, Content: layout.Content{
			Kind: layout.ContentKind(t.Cell(3, row)), Size: t.Cell(4, row), Sum: t.Cell(5, row),
		}})
	}
	return paths, nil
}
