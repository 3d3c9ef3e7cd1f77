package reader

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// TypeList is the type profile of values: arguments and the return value of a
// call, or the parameters of a method.
type TypeList struct {
	e     Entry
	first int // cell of the first (slot, type) pair
}

// A TypeWord is the type profile of one value.
type TypeWord struct {
	Type     Type // Valid() is false if there is none
	NullSeen bool
	Unknown  bool // several types were seen
}

// Types is the argument, return or parameter types of a CallType,
// VirtualCallType or ParametersType entry.
func (e Entry) Types() (t TypeList, ok bool) {
	switch e.kind.tag {
	case layout.TagCallType, layout.TagVirtualCallType, layout.TagParametersType:
		t = TypeList{e, e.s.shape.TypeList(e.kind.tag)}
		return t, t.first <= e.Cells()
	}
	return TypeList{}, false
}

func (t TypeList) cells() int { return t.e.Cells() - t.first }

// Args is the number of arguments or parameters.
func (t TypeList) Args() int { return t.cells() / 2 }

// Arg returns the stack slot and the type profile of argument i. It panics if
// there is none.
func (t TypeList) Arg(i int) (slot uint64, w TypeWord) {
	if i < 0 || i >= t.Args() {
		panic("reader: no such argument")
	}
	cell := t.first + 2*i
	return t.e.Cell(cell).Trained(), t.word(cell + 1)
}

// Return is the type profile of the return value; ok is false if the entry has
// none.
func (t TypeList) Return() (w TypeWord, ok bool) {
	if t.cells()%2 == 0 {
		return TypeWord{}, false
	}
	return t.word(t.first + t.cells() - 1), true
}

func (t TypeList) word(cell int) TypeWord { return t.e.TypeCell(cell) }

// TypeCell returns what a cell that holds a type or a type word says. It panics
// if there is no such cell.
func (e Entry) TypeCell(cell int) TypeWord {
	v := e.Cell(cell).Load()
	of, _ := e.pointsTo(v &^ disk.TypeTags)
	return TypeWord{of, v&disk.TypeNullSeen != 0, v&disk.TypeUnknown != 0}
}
