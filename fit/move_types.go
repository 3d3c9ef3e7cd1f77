package fit

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A VM records types of arguments and return values of some calls. Which, the
// digits of TypeProfileLevel say: of arguments the last, of return values the
// one before. 1 is for the calls of method handles, 2 for all.
const (
	typesOfHandles = 1
	typesOfAll     = 2
)

// maxTypedArguments is HotSpot's default of TypeProfileArgsLimit.
const maxTypedArguments = 2

// recordedTypes returns the cells of the types that the VM records at a call that
// it has not run yet: a stack slot and a type for each argument that is a
// reference, and a type for a return value that is one.
func recordedTypes(p Point, level uint32) (cells []uint64) {
	records := func(digit uint32) bool { return digit == typesOfAll || digit == typesOfHandles && p.Dynamic }
	arguments, reference := references(p.Signature)
	if records(level % 10) {
		for _, slot := range arguments[:min(len(arguments), maxTypedArguments)] {
			cells = append(cells, slot, 0)
		}
	}
	if records(level/10%10) && reference {
		cells = append(cells, 0)
	}
	return cells
}

// references returns the slots of the arguments of a descriptor that are
// references, and whether the return value is one.
func references(descriptor string) (slots []uint64, returned bool) {
	slot := uint64(0)
	for i := 1; i < len(descriptor); i++ {
		switch descriptor[i] {
		case ')':
			return slots, i+1 < len(descriptor) && (descriptor[i+1] == 'L' || descriptor[i+1] == '[')
		case 'J', 'D':
			slot++
		case 'L', '[':
			slots = append(slots, slot)
			i = endOfReference(descriptor, i)
		}
		slot++
	}
	return slots, false
}

// endOfReference is the last byte of the reference type at i.
func endOfReference(descriptor string, i int) int {
	for i < len(descriptor) && descriptor[i] == '[' {
		i++
	}
	if i < len(descriptor) && descriptor[i] == 'L' {
		for i < len(descriptor) && descriptor[i] != ';' {
			i++
		}
	}
	return i
}

// typed is an entry with such cells.
func (m *mover) typed(tag layout.Tag, p Point, types []uint64) disk.Entry {
	_, raw := disk.NewEntry(nil, tag, 0, uint16(p.Bci), 0, m.shape.Cells(tag, len(types)))
	first := m.shape.TypeList(tag)
	raw.SetCell(first-1, uint64(len(types)))
	for i, c := range types {
		raw.SetCell(first+i, c)
	}
	return raw
}
