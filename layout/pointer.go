package layout

// A PointerKind says what a pointer cell leads to.
type PointerKind uint8

// The kinds of pointer cells.
const (
	PointerType     PointerKind = iota // a type record
	PointerTypeWord                    // a type record with tags in the low bits
	PointerMethod                      // a method record
)

// Pointers calls yield with every pointer cell of an entry, null or not, in
// order. It stops when yield gives false, and reports whether it got through.
func (s Shape) Pointers(e Entry, yield func(cell int, kind PointerKind) bool) bool {
	switch tag := e.Tag(); tag {
	case TagReceiverType, TagVirtualCall:
		return s.receiverPointers(yield)
	case TagVirtualCallType:
		return s.receiverPointers(yield) && s.typeListPointers(e, yield)
	case TagCallType, TagParametersType:
		return s.typeListPointers(e, yield)
	case TagSpeculativeTrap:
		return yield(0, PointerMethod)
	case TagReceivers:
		return rowPointers(e, ReceiversFixed, PointerType, yield)
	case TagCallees:
		return rowPointers(e, 0, PointerMethod, yield)
	}
	return true
}

func (s Shape) receiverPointers(yield func(int, PointerKind) bool) bool {
	for i := range s.TypeRows {
		if !yield(s.ReceiverRow(i), PointerType) {
			return false
		}
	}
	return true
}

// typeListPointers goes through the types of (slot, type) pairs, and the
// return type, which stands alone behind them where the length is odd.
func (s Shape) typeListPointers(e Entry, yield func(int, PointerKind) bool) bool {
	first := s.TypeList(e.Tag())
	n := e.Cells() - first
	for i := range n / 2 {
		if !yield(first+2*i+1, PointerTypeWord) {
			return false
		}
	}
	return n%2 == 0 || yield(first+n-1, PointerTypeWord)
}

func rowPointers(e Entry, first int, kind PointerKind, yield func(int, PointerKind) bool) bool {
	for i := range e.Rows() {
		if !yield(first+2*i, kind) {
			return false
		}
	}
	return true
}
