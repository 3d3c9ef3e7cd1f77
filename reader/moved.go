package reader

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Mark says that the counts of a profile point were not counted there: they were counted
// in another version of the code.
type Mark struct {
	// Derived is whether they follow from counts of other points; else the point itself was counted.
	Derived    bool    `json:"derived"`
	Confidence float64 `json:"confidence"` // from 0 to 1
}

// String returns what lists of points show: moved(0.97) or derived(0.99).
func (m Mark) String() string {
	if m.Derived {
		return fmt.Sprintf("derived(%.2f)", m.Confidence)
	}
	return fmt.Sprintf("moved(%.2f)", m.Confidence)
}

// Marks are the marks of an archive; nil if it has none.
type Marks map[markKey]Mark

type markKey struct {
	method layout.Ref
	code   uint64
	point  int32
}

// Columns of disk.TableMoved.
const (
	movedMethod = iota
	movedCode
	movedPoint
	movedDerived
	movedConfidence
)

// Marks reads disk.TableMoved.
func (s *Store) Marks() (Marks, error) {
	t, err := s.TableOrEmpty(disk.TableMoved)
	if err != nil || t.Rows == 0 {
		return nil, err
	}
	marks := make(Marks, t.Rows)
	for row := range t.Rows {
		k := markKey{layout.Ref(t.Cell(movedMethod, row)), t.Cell(movedCode, row), int32(t.Cell(movedPoint, row))}
		mark := Mark{t.Cell(movedDerived, row) != 0, float64(t.Cell(movedConfidence, row)) / float64(layout.WeightOne)}
		if other, ok := marks[k]; !ok || mark.Confidence < other.Confidence {
			marks[k] = mark
		}
	}
	return marks, nil
}

// At returns the mark of a profile's point, if it has one.
func (m Marks) At(p Profile, point int32) (mark Mark, ok bool) {
	if m == nil {
		return mark, false
	}
	method, err := p.Method()
	if err != nil {
		return mark, false
	}
	mark, ok = m[markKey{method.Ref(), p.Code(), point}]
	return mark, ok
}

// ByMethod returns the number of points with marks by method.
func (m Marks) ByMethod() map[layout.Ref]int {
	points := map[layout.Ref]int{}
	for k := range m {
		points[k.method]++
	}
	return points
}

// ByCode returns the number of points with marks of a profile.
func (m Marks) ByCode(p Profile) (points int) {
	if m == nil {
		return 0
	}
	for e := range p.Entries() {
		if _, ok := m.At(p, e.Point()); ok {
			points++
		}
	}
	return points
}
