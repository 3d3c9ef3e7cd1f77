package text

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Wide entries.

// plainHeader counts a loss if a wide entry has flags, or a sub where it has no
// use for it.
func (w *writer) plainHeader(e disk.Entry, sub bool) {
	if e.Flags() != 0 || e.Sub() != 0 && !sub {
		w.report.Lost.Add(LossMeaningless, 1)
	}
}

func (w *writer) counters(e disk.Entry) {
	w.plainHeader(e, false)
	w.cells(e, 0)
}

func (w *writer) sub(e disk.Entry, words wordList) {
	w.text(" ")
	w.listed(words, uint64(e.Sub()))
}

func (w *writer) valueSite(e disk.Entry) {
	w.plainHeader(e, true)
	w.sub(e, valueSubs)
	for i := range e.Rows() {
		w.text(" ")
		if e.Sub() == layout.SubMemOpSize {
			w.number(e.Cell(2 * i))
		} else {
			w.functionID(e.Cell(2 * i))
		}
		w.key("=", e.Cell(2*i+1))
	}
}

func (w *writer) bitmap(e disk.Entry) {
	w.plainHeader(e, false)
	if n := e.Rows(); n > 0 {
		w.text(" ")
		w.bytes(e[disk.WideHeaderSize : disk.WideHeaderSize+n])
	}
}

func (w *writer) successors(e disk.Entry) {
	w.plainHeader(e, true)
	w.sub(e, successorSubs)
	for i := range e.Rows() {
		point, index := disk.UnpackSuccessor(e.Cell(2 * i))
		w.text(" ")
		w.signed(int64(point))
		w.key(":", uint64(index))
		w.key("=", e.Cell(2*i+1))
	}
}

func (w *writer) receivers(e disk.Entry) {
	w.sub(e, receiverSubs)
	w.seen(e, e.Cell(1))
	w.key(" other=", e.Cell(0))
	w.rows(e, disk.ReceiversFixed, e.Rows())
}

func (w *writer) callees(e disk.Entry) {
	w.plainHeader(e, false)
	for i := range e.Rows() {
		w.text(" ")
		w.methodOf(e.Cell(2 * i))
		w.rowCount(e.Cell(2*i) == 0, e.Cell(2*i+1))
	}
}

func (w *writer) count(e disk.Entry) {
	w.sub(e, countSubs)
	w.seen(e, 0)
	w.key(" ", e.Cell(0))
}
