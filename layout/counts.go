package layout

import "math/bits"

// Counts calls yield with every cell of an entry that is a count, in order. It
// stops when yield gives false, and reports whether it got through. Of some
// entries they are signed: see SignedCounts.
func (s Shape) Counts(e Entry, yield func(cell int) bool) bool {
	switch e.Tag() {
	case TagCounter, TagJump, TagCallType, TagCount:
		return yield(0)
	case TagBranch:
		return yield(0) && yield(2)
	case TagReceiverType, TagVirtualCall, TagVirtualCallType:
		return s.receiverCounts(yield)
	case TagRet:
		return yield(0) && stride(2, 3, s.BciRows, yield)
	case TagMultiBranch:
		return stride(1, 2, (e.Cells()-1)/2, yield)
	case TagCounters:
		return stride(0, 1, e.Rows(), yield)
	case TagValueSite, TagSuccessors, TagCallees:
		return stride(1, 2, e.Rows(), yield)
	case TagReceivers:
		return yield(0) && stride(ReceiversFixed+1, 2, e.Rows(), yield)
	}
	return true
}

// SignedCounts reports whether the first count of the entry may be below zero:
// the VM counts failing type checks down.
func (e Entry) SignedCounts() bool {
	return e.Tag() == TagReceiverType || e.Tag() == TagReceivers && e.Sub() == SubTypeCheck
}

func (s Shape) receiverCounts(yield func(int) bool) bool {
	return stride(0, 1, 1+s.Gap, yield) && stride(s.ReceiverRow(0)+1, 2, s.TypeRows, yield)
}

// stride yields n cells from first on, step apart.
func stride(first, step, n int, yield func(int) bool) bool {
	for i := range n {
		if !yield(first + i*step) {
			return false
		}
	}
	return true
}

// SaturatingAdd is a + b, the highest number if that does not fit.
func SaturatingAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}
