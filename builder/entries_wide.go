package builder

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Value is a value seen at a site, and how often.
type Value struct{ Value, Count uint64 }

// A Successor is where a branch went, and how often. A merge may reorder the rows of an
// entry: they are told apart by point and index.
type Successor struct {
	Point int32
	Index uint32 // number of the way: of a branch, 0 if it is taken
	Count uint64
}

// A Callee is a called method, and how often it was called.
type Callee struct {
	Method MethodRef
	Count  uint64
}

// wide adds one of this format's entries. A domain refuses those that it does not have,
// with an error that matches ErrDomain.
func (p *Profile) wide(w profileset.Wide, rows int, fill func(e disk.Entry)) {
	p.recording.AddWide(w, rows, fill)
}

// Counters adds an array of counters.
func (p *Profile) Counters(point int32, counts ...uint64) {
	p.wide(profileset.Wide{Tag: layout.TagCounters, Point: point}, len(counts), func(e disk.Entry) {
		for i, c := range counts {
			e.SetCell(i, c)
		}
	})
}

// ValueSite adds the values seen at a site; kind is layout.SubIndirectCall and the like.
func (p *Profile) ValueSite(site int32, kind layout.Sub, values ...Value) {
	p.wide(profileset.Wide{Tag: layout.TagValueSite, Sub: kind, Point: site}, len(values), func(e disk.Entry) {
		for i, v := range values {
			e.SetCell(2*i, v.Value)
			e.SetCell(2*i+1, v.Count)
		}
	})
}

// Bitmap adds an array of bits, in whole bytes.
func (p *Profile) Bitmap(point int32, bits []byte) {
	p.wide(profileset.Wide{Tag: layout.TagBitmap, Point: point}, len(bits), func(e disk.Entry) {
		var word [8]byte
		for i := 0; i*8 < len(bits); i++ {
			clear(word[:])
			copy(word[:], bits[i*8:])
			e.SetCell(i, binary.LittleEndian.Uint64(word[:]))
		}
	})
}

// Successors adds where a branch went; sub is layout.SubConditional or disk.SubReturn.
func (p *Profile) Successors(point int32, sub layout.Sub, rows ...Successor) {
	p.wide(profileset.Wide{Tag: layout.TagSuccessors, Sub: sub, Point: point}, len(rows), func(e disk.Entry) {
		for i, r := range rows {
			e.SetCell(2*i, disk.PackSuccessor(r.Point, r.Index))
			e.SetCell(2*i+1, r.Count)
		}
	})
}

// Receivers are the fields of a type profile with any number of rows.
type Receivers struct {
	Point int32
	Sub   layout.Sub        // layout.SubVirtualCall or layout.SubTypeCheck
	Flags layout.EntryFlags // EntryNullSeen
	Other uint64            // count of types without a row; signed for a type check
	Traps uint64            // as in the header of HotSpot's entries
}

// Receivers adds a type profile. A row without a type is room for one to be recorded.
func (p *Profile) Receivers(r Receivers, rows ...Row) {
	head := profileset.Wide{Tag: layout.TagReceivers, Sub: r.Sub, Flags: r.Flags, Point: r.Point}
	p.wide(head, len(rows), func(e disk.Entry) {
		e.SetCell(0, r.Other)
		e.SetCell(1, r.Traps)
		for i, row := range rows {
			e.SetCell(disk.ReceiversFixed+2*i, p.recording.TypeCell(row.Type))
			e.SetCell(disk.ReceiversFixed+2*i+1, row.Count)
		}
	})
}

// Callees adds the methods that are called at a point.
func (p *Profile) Callees(point int32, rows ...Callee) {
	p.wide(profileset.Wide{Tag: layout.TagCallees, Point: point}, len(rows), func(e disk.Entry) {
		for i, r := range rows {
			e.SetCell(2*i, p.recording.MethodCell(r.Method))
			e.SetCell(2*i+1, r.Count)
		}
	})
}

// A Count is one counter.
type Count struct {
	Point int32
	Sub   layout.Sub        // the counted event: layout.SubCalls and the like
	Flags layout.EntryFlags // EntryInterpreted
	N     uint64
}

// Count adds one counter.
func (p *Profile) Count(c Count) {
	p.wide(profileset.Wide{Tag: layout.TagCount, Sub: c.Sub, Flags: c.Flags, Point: c.Point}, 0,
		func(e disk.Entry) { e.SetCell(0, c.N) })
}
