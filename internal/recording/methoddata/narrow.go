package methoddata

import (
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

type narrower struct {
	Merger
	domain layout.Domain
	To     disk.Shape
	rows   int
	only   bool // only the cells before the rows change
	Done   Narrowed
	parts  Parts
}

// Narrowed counts the changes by a narrower.
type Narrowed struct {
	Entries int // entries that lost rows
	Rows    int // dropped rows
	Joined  int // wide entries that became HotSpot's entries again
}

// NewNarrower returns a narrower from one shape to another that keeps at most rows receiver rows per entry.
func NewNarrower(domain layout.Domain, from, to disk.Shape, rows int, refs refOrder) *narrower {
	return &narrower{Merger: Merger{Shape: from, Refs: refs}, domain: domain, To: to, rows: rows}
}

// NewReshaper returns a narrower from one shape to another with the same rows. If only the first one has a cell for
// nonprofiled_count, its count is added to the receivers without a row, as HotSpot does since it lacks the cell.
func NewReshaper(from, to disk.Shape) *narrower {
	return &narrower{Merger: Merger{Shape: from}, domain: layout.DomainHotSpot, To: to, rows: from.TypeRows, only: true}
}

// Block returns a block in the new shape. The bytes are valid until the next call.
func (w *narrower) Block(from disk.Block) []byte {
	w.parts.reset()
	w.fields(from, nil, &w.parts)
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		w.out = &w.parts.Sections[s]
		for rest := w.entries(from.Section(s)); len(rest) > 0; {
			var at []disk.Entry
			at, rest = cutPoint(rest)
			if w.only {
				w.reshapePoint(at)
			} else {
				w.point(at)
			}
		}
	}
	w.parts.Encode()
	return w.parts.Block
}

// maxBci is the highest bci of HotSpot's entries.
const maxBci = 1<<16 - 1

// point narrows the entries of one profile point. Entries that HotSpot cannot have stay wide.
func (w *narrower) point(at []disk.Entry) {
	point := at[0].Point()
	hotspot := w.domain == layout.DomainHotSpot && point >= 0 && point <= maxBci
	var widened, returns disk.Entry
	for _, e := range at {
		switch {
		case e.Tag() == layout.TagReceivers:
			widened = e
		case IsWidened(e):
			returns = e
		}
	}
	for _, e := range at {
		switch {
		case !hotspot && e.Tag() == layout.TagReceivers:
			w.trim(e)
		case !hotspot:
			w.keepEntry(e)
		case isReceivers(e):
			w.receiversOf(e, at)
		case isRet(e):
			w.retOf(e, returns)
		case widened != nil && (isTypesAlone(e) || isUnprofiled(e)), IsWidened(e):
			// receiversOf and retOf add their contents
		default:
			w.keepEntry(e)
		}
	}
}

// reshapePoint changes the cells before the receiver rows of the entries of one profile point.
func (w *narrower) reshapePoint(at []disk.Entry) {
	unprofiled := uint64(0)
	for _, e := range at {
		if isUnprofiled(e) && w.To.Gap == 0 {
			unprofiled = e.Cell(0)
		}
	}
	for _, e := range at {
		switch {
		case e.Tag() == layout.TagReceivers:
			wide := w.keepEntry(e)
			wide.SetCell(0, w.plus(e, unprofiled))
		case isReceivers(e):
			w.receiversOf(e, at)
		case isUnprofiled(e) && w.To.Gap == 0:
			// counted in the Receivers entry
		default:
			w.keepEntry(e)
		}
	}
}

// isTypesAlone reports whether an entry holds the types of the arguments of a call whose receivers are in a wide entry.
func isTypesAlone(e disk.Entry) bool { return e.Tag() == layout.TagCallType && e.Cell(0) == 0 }

func isUnprofiled(e disk.Entry) bool {
	return e.Tag() == layout.TagCount && e.Sub() == disk.SubUnprofiled
}

func (w *narrower) cut(rows []countedRow) (kept []countedRow, rest uint64) {
	if len(rows) <= w.rows {
		return rows, 0
	}
	w.sortRows(disk.CellType, rows)
	for _, r := range rows[w.rows:] {
		rest = disk.SaturatingAdd(rest, r.count)
	}
	w.lost(len(rows) - w.rows)
	return rows[:w.rows], rest
}

func (w *narrower) lost(rows int) {
	if rows > 0 {
		w.Done.Entries++
		w.Done.Rows += rows
	}
}

func (w *narrower) trim(e disk.Entry) {
	if e.Rows() <= w.rows {
		w.keepEntry(e)
		return
	}
	rows, rest := w.cut(w.receiverRows(e))
	wide := w.listRows(e.Tag(), e.Flags(), e.Sub(), e.Point(), listPlan{disk.ReceiversFixed, w.rows}, rows)
	wide.SetCell(0, w.plus(e, rest))
	wide.SetCell(1, e.Cell(1))
}

func (w *narrower) plus(e disk.Entry, rest uint64) uint64 {
	if e.SignedCount() {
		return uint64(saturateSigned(int64(e.Cell(0)), int64(min(rest, math.MaxInt64))))
	}
	return disk.SaturatingAdd(e.Cell(0), rest)
}

// receiversOf adds the HotSpot entry for the type profile e. at has all entries of its profile point.
func (w *narrower) receiversOf(e disk.Entry, at []disk.Entry) {
	tag := e.Tag()
	traps := e.Traps()
	gap := uint64(0)
	var types []uint64
	if tag == layout.TagReceivers {
		traps = layout.EntryTraps(e.Cell(1))
		tag, types, gap = w.joined(e, at)
		w.Done.Joined++
	} else {
		gap = w.Shape.Unprofiled(e)
	}
	if e.Tag() == layout.TagVirtualCallType {
		types = cellsFrom(e, w.Shape.TypeList(tag))
	}
	rows, rest := w.cut(w.receiverRows(e))
	if w.To.Gap == 0 {
		rest = disk.SaturatingAdd(rest, gap)
	}
	narrow := w.hotspot(tag, e, traps, len(types))
	narrow.SetCell(0, w.plus(e, rest))
	if w.To.Gap > 0 {
		narrow.SetCell(1, gap)
	}
	setRows(narrow, w.To.ReceiverRow(0), rows)
	if tag == layout.TagVirtualCallType {
		SetTypeList(w.To, narrow, types)
	}
}

// joined returns the tag, the types of arguments and the count in the gap of the HotSpot entry that was split into e
// and other entries of at.
func (w *narrower) joined(e disk.Entry, at []disk.Entry) (tag layout.Tag, types []uint64, unprofiled uint64) {
	tag = layout.TagReceiverType
	if e.Sub() == layout.SubVirtualCall {
		tag = layout.TagVirtualCall
	}
	for _, part := range at {
		switch {
		case isTypesAlone(part) && e.Sub() == layout.SubVirtualCall:
			tag = layout.TagVirtualCallType
			types = cellsFrom(part, w.Shape.TypeList(layout.TagCallType))
		case isUnprofiled(part):
			unprofiled = part.Cell(0)
		}
	}
	return tag, types, unprofiled
}

func cellsFrom(e disk.Entry, first int) (cells []uint64) {
	for i := first; i < e.Cells(); i++ {
		cells = append(cells, e.Cell(i))
	}
	return cells
}

func (w *narrower) hotspot(tag layout.Tag, e disk.Entry, traps layout.EntryTraps, length int) disk.Entry {
	start := len(w.out.Bytes)
	var narrow disk.Entry
	w.out.Bytes, narrow = disk.NewEntry(w.out.Bytes, tag, e.Flags(), uint16(e.Point()), traps, w.To.Cells(tag, length))
	w.out.Add(start)
	return narrow
}

func (w *narrower) retOf(e, returns disk.Entry) {
	if returns == nil {
		w.keepEntry(e)
		return
	}
	rows := rowsOf(returns, 0)
	w.sortRows(disk.CellValue, rows)
	narrow := w.keepEntry(e)
	n := min(len(rows), w.Shape.BciRows)
	w.setRetRows(narrow, rows[:n])
	for _, r := range rows[n:] {
		narrow.SetCell(0, disk.SaturatingAdd(narrow.Cell(0), r.count))
	}
	w.lost(len(rows) - n)
	w.Done.Joined++
}
