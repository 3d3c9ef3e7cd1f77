package text

import (
	"github.com/profarc/profarc/internal/disk"
)

// HotSpot's entries.

func (w *writer) bit(disk.Entry) {}

func (w *writer) counter(e disk.Entry) { w.key(" count=", e.Cell(0)) }

func (w *writer) jump(e disk.Entry) {
	w.key(" taken=", e.Cell(0))
	w.displacement(e.Cell(1))
}

func (w *writer) displacement(v uint64) {
	w.text(" displacement=")
	w.signed(int64(v))
}

func (w *writer) branch(e disk.Entry) {
	w.key(" taken=", e.Cell(0))
	w.key(" not-taken=", e.Cell(2))
	w.displacement(e.Cell(1))
}

func (w *writer) receiverType(e disk.Entry) {
	w.text(" count=")
	w.signed(int64(e.Cell(0)))
	w.receiverRows(e)
}

func (w *writer) virtualCall(e disk.Entry) {
	w.key(" count=", e.Cell(0))
	w.receiverRows(e)
}

// receiverRows writes what stands behind the count of a receiver entry: the
// gap, if it is not all zeros, and the rows up to the last that is not empty.
func (w *writer) receiverRows(e disk.Entry) {
	if filled(e, 1, 1, w.shape.Gap) > 0 {
		for i := range w.shape.Gap {
			w.key(",", e.Cell(1+i))
		}
	}
	first := w.shape.ReceiverRow(0)
	w.rows(e, first, filled(e, first, 2, w.shape.TypeRows))
}

func (w *writer) ret(e disk.Entry) {
	w.key(" count=", e.Cell(0))
	for i := range filled(e, 1, 3, w.shape.BciRows) {
		w.key(" ", e.Cell(1+3*i))
		w.key("=", e.Cell(2+3*i))
		w.text(",")
		w.signed(int64(e.Cell(3 + 3*i)))
	}
}

func (w *writer) multiBranch(e disk.Entry) {
	w.text(" default=")
	for i := 1; i < e.Cells(); i += 2 {
		if i > 1 {
			w.text(" ")
		}
		w.number(e.Cell(i))
		w.text(",")
		w.signed(int64(e.Cell(i + 1)))
	}
}

// argInfo has signed numbers: -1 is an argument of which anything may be modified.
func (w *writer) argInfo(e disk.Entry) {
	for i := 1; i < e.Cells(); i++ {
		w.text(" ")
		w.signed(int64(e.Cell(i)))
	}
}

// cells writes all cells from one on.
func (w *writer) cells(e disk.Entry, first int) {
	for i := first; i < e.Cells(); i++ {
		w.key(" ", e.Cell(i))
	}
}

func (w *writer) callType(e disk.Entry) {
	w.key(" count=", e.Cell(0))
	w.typeList(e)
}

func (w *writer) virtualCallType(e disk.Entry) {
	w.virtualCall(e)
	w.typeList(e)
}

func (w *writer) parametersType(e disk.Entry) { w.typeList(e) }

func (w *writer) typeList(e disk.Entry) {
	first := w.shape.TypeList(e.Tag())
	n := e.Cells() - first
	if n == 0 {
		return
	}
	w.text(" args")
	for i := range n / 2 {
		w.key(" ", e.Cell(first+2*i))
		w.text("=")
		w.typeWord(e.Cell(first + 2*i + 1))
	}
	if n%2 != 0 {
		w.text(" return=")
		w.typeWord(e.Cell(first + n - 1))
	}
}

func (w *writer) typeWord(v uint64) {
	w.typeAt(v &^ disk.TypeTags)
	if v&disk.TypeNullSeen != 0 {
		w.text("+null")
	}
	if v&disk.TypeUnknown != 0 {
		w.text("+unknown")
	}
}

func (w *writer) speculativeTrap(e disk.Entry) {
	w.text(" method=")
	w.methodOf(e.Cell(0))
}
