package fit

import (
	"github.com/profarc/profarc/internal/disk"
)

// receivers clears the rows of types that the new code cannot meet at a call: its
// receivers are of the class that holds the called method.
func (m *mover) receivers(raw disk.Entry, j int) error {
	holder := m.now.Points[j].Holder
	if m.code == nil || holder == "" {
		return nil
	}
	for cell, kind := range m.shape.Pointers(raw) {
		if kind != disk.CellType || raw.Cell(cell) == 0 {
			continue
		}
		meets, err := m.meets(raw.Cell(cell), holder)
		if err != nil {
			return err
		}
		if !meets {
			m.lose(LostReceivers, float64(raw.Cell(cell+1)))
			raw.SetCell(cell, 0)
			raw.SetCell(cell+1, 0)
		}
	}
	return nil
}

// meets reports whether a type may be met where a class is expected. What is not
// known may be.
func (m *mover) meets(pointer uint64, holder string) (bool, error) {
	t, err := m.s.TypeAt(disk.RefOf(int64(pointer - m.s.Header().Base)))
	if err != nil {
		return false, err
	}
	name, err := t.Name()
	if err != nil {
		return false, err
	}
	is, known := m.code.Assignable(name.String(), holder)
	return is || !known, nil
}

// lose notes counts that have no place at a point that has.
func (m *mover) lose(why Loss, counts float64) {
	if counts > 0 {
		m.report.Lost[why] = m.report.Lost[why].and(counts)
		m.counts.CountsDropped += counts
	}
}
