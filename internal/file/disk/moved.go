package disk

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// A Mark is set on a profile point whose counts come from another version of the code.
type Mark struct {
	// Derived is true if the counts follow from those of other points. Otherwise the point itself was counted.
	Derived    bool    `json:"derived"`
	Confidence float64 `json:"confidence"` // from 0 to 1
}

// String returns "moved(0.97)" or "derived(0.99)", for lists of points.
func (m Mark) String() string {
	if m.Derived {
		return fmt.Sprintf("derived(%.2f)", m.Confidence)
	}
	return fmt.Sprintf("moved(%.2f)", m.Confidence)
}

// Marks are the marks of an archive; nil if it has none.
type Marks map[MarkedPoint]Mark

// A MarkedPoint identifies a profile point.
type MarkedPoint struct {
	Method layout.Ref
	Code   uint64
	Point  int32
}

// Columns of TableMoved.
const (
	movedMethod = iota
	movedCode
	movedPoint
	movedDerived
	movedConfidence
)

// ParseMarks decodes TableMoved from its cells. Of several marks of a point it keeps the least confident one.
func ParseMarks(rows int, cell func(column, row int) uint64) Marks {
	if rows == 0 {
		return nil
	}
	marks := make(Marks, rows)
	for row := range rows {
		p := MarkedPoint{layout.Ref(cell(movedMethod, row)), cell(movedCode, row), int32(cell(movedPoint, row))}
		mark := Mark{cell(movedDerived, row) != 0, float64(cell(movedConfidence, row)) / float64(layout.WeightOne)}
		if other, ok := marks[p]; !ok || mark.Confidence < other.Confidence {
			marks[p] = mark
		}
	}
	return marks
}

// At returns the mark of a point of the profile b.
func (m Marks) At(b Block, point int32) (mark Mark, ok bool) {
	if m == nil {
		return mark, false
	}
	mark, ok = m[MarkedPoint{b.Method(), b.Code(), point}]
	return mark, ok
}
