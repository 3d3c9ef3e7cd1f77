package dump

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (p *printer) entry(e reader.Entry) {
	raw := e.Raw()
	p.raw(`{"tag":"`)
	p.raw(e.Tag().String())
	p.raw(`"`)
	p.signed("point", int64(e.Point()))
	p.optional("flags", uint64(raw.Flags()))
	p.optional("traps", uint64(raw.Traps()))
	p.optional("sub", uint64(raw.Sub()))
	if e.Tag().Wide() {
		p.wide(e, raw)
	} else {
		p.hotspot(e, raw)
	}
	p.raw("}")
}

// hotspot prints the cells of an entry of HotSpot's tags.
func (p *printer) hotspot(e reader.Entry, raw layout.Entry) {
	switch e.Tag() {
	case layout.TagCounter:
		p.unsigned("count", raw.Cell(0))
	case layout.TagJump:
		p.unsigned("taken", raw.Cell(0))
		p.signed("displacement", int64(raw.Cell(1)))
	case layout.TagBranch:
		p.unsigned("taken", raw.Cell(0))
		p.signed("displacement", int64(raw.Cell(1)))
		p.unsigned("not_taken", raw.Cell(2))
	case layout.TagReceiverType:
		p.signed("count", int64(raw.Cell(0)))
		p.receivers(e, raw)
	case layout.TagVirtualCall:
		p.unsigned("count", raw.Cell(0))
		p.receivers(e, raw)
	case layout.TagVirtualCallType:
		p.unsigned("count", raw.Cell(0))
		p.receivers(e, raw)
		p.typeList(e)
	case layout.TagCallType:
		p.unsigned("count", raw.Cell(0))
		p.typeList(e)
	case layout.TagParametersType:
		p.typeList(e)
	case layout.TagRet:
		p.unsigned("count", raw.Cell(0))
		p.tuples("rows", raw, 1, row{'u', 'u', 'd'})
	case layout.TagMultiBranch:
		p.field("default")
		p.tuple(raw, 1, row{'u', 'd'})
		p.tuples("cases", raw, 3, row{'u', 'd'})
	case layout.TagArgInfo:
		p.signedCells("modified", raw, 1)
	case layout.TagSpeculativeTrap:
		m, err := e.Trap()
		if !p.failed(err) {
			p.field("method")
			p.methodRef(m)
		}
	}
}

// receivers prints the cells and rows behind the count of a receiver entry.
func (p *printer) receivers(e reader.Entry, raw layout.Entry) {
	shape := p.s.Header().Params.Shape()
	p.field("gap")
	p.raw("[")
	for i := range shape.Gap {
		p.comma(i)
		p.number(raw.Cell(1 + i))
	}
	p.raw("]")
	p.typeRows(e, raw, shape.ReceiverRow(0))
}

// typeRows prints rows of types with their counts, empty ones included, that
// begin at a cell.
func (p *printer) typeRows(e reader.Entry, raw layout.Entry, first int) {
	r, _ := e.Receivers()
	p.field("rows")
	p.raw("[")
	for i := range r.Len() {
		row, _ := r.Row(i)
		p.comma(i)
		p.raw(`{"type":`)
		p.typeRef(row.Type)
		p.unsigned("count", raw.Cell(first+2*i+1))
		p.raw("}")
	}
	p.raw("]")
}

func (p *printer) typeList(e reader.Entry) {
	types, _ := e.Types()
	p.field("args")
	p.raw("[")
	for i := range types.Args() {
		slot, word := types.Arg(i)
		p.comma(i)
		p.raw(`{"slot":`)
		p.number(slot)
		p.field("type")
		p.typeWord(word)
		p.raw("}")
	}
	p.raw("]")
	if word, ok := types.Return(); ok {
		p.field("return")
		p.typeWord(word)
	}
}

func (p *printer) typeWord(w reader.TypeWord) {
	p.raw(`{"type":`)
	p.typeRef(w.Type)
	if w.NullSeen {
		p.raw(`,"null_seen":true`)
	}
	if w.Unknown {
		p.raw(`,"unknown":true`)
	}
	p.raw("}")
}

// wide prints the cells of an entry of this format's tags.
func (p *printer) wide(e reader.Entry, raw layout.Entry) {
	switch e.Tag() {
	case layout.TagCounters:
		p.cells("counts", raw, 0)
	case layout.TagValueSite:
		p.tuples("values", raw, 0, row{'u', 'u'})
	case layout.TagBitmap:
		b, _ := e.Bitmap()
		p.bytes("bytes", b)
	case layout.TagSuccessors:
		p.tuples("rows", raw, 0, row{'p', 'u'})
	case layout.TagReceivers:
		p.unsigned("other", raw.Cell(0))
		p.unsigned("traps", raw.Cell(1))
		p.typeRows(e, raw, layout.ReceiversFixed)
	case layout.TagCallees:
		p.callees(e, raw)
	case layout.TagCount:
		p.unsigned("count", raw.Cell(0))
	}
}

func (p *printer) callees(e reader.Entry, raw layout.Entry) {
	rows, _ := e.Rows()
	p.field("rows")
	p.raw("[")
	for i := range rows.Len() {
		m, err := rows.Method(i)
		if p.failed(err) {
			return
		}
		p.comma(i)
		p.raw(`{"method":`)
		p.methodRef(m)
		p.unsigned("count", raw.Cell(2*i+1))
		p.raw("}")
	}
	p.raw("]")
}

// cells prints all cells from one on as a list of numbers.
func (p *printer) cells(key string, raw layout.Entry, first int) {
	p.eachCell(key, raw, first, p.number)
}

// signedCells prints all cells from one on as signed numbers.
func (p *printer) signedCells(key string, raw layout.Entry, first int) {
	p.eachCell(key, raw, first, func(v uint64) { p.signedNumber(int64(v)) })
}

func (p *printer) eachCell(key string, raw layout.Entry, first int, print func(uint64)) {
	p.field(key)
	p.raw("[")
	for i := first; i < raw.Cells(); i++ {
		p.comma(i - first)
		print(raw.Cell(i))
	}
	p.raw("]")
}

// A row says how the cells of a row are printed: u is a number, d a signed one,
// p a successor's point and index.
type row []byte

// tuples prints all cells from one on as a list of rows.
func (p *printer) tuples(key string, raw layout.Entry, first int, r row) {
	p.field(key)
	p.raw("[")
	for i := first; i+len(r) <= raw.Cells(); i += len(r) {
		p.comma(i - first)
		p.tuple(raw, i, r)
	}
	p.raw("]")
}

func (p *printer) tuple(raw layout.Entry, first int, r row) {
	p.raw("[")
	for i, kind := range r {
		p.comma(i)
		switch v := raw.Cell(first + i); kind {
		case 'd':
			p.signedNumber(int64(v))
		case 'p':
			point, index := layout.UnpackSuccessor(v)
			p.signedNumber(int64(point))
			p.raw(",")
			p.number(uint64(index))
		default:
			p.number(v)
		}
	}
	p.raw("]")
}
