package builder

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Value counts one value of a value site.
type Value struct{ Value, Count uint64 }

// A Successor counts one way of a branch. Point and Index identify it; a merge may change the order of the rows.
type Successor struct {
	Point int32  // target; 0 if not known
	Index uint32 // number of the way; of a conditional branch, 0 if taken and 1 if not
	Count uint64
}

// A Callee counts the calls of one method.
type Callee struct {
	Method MethodRef
	Count  uint64
}

// wide adds an entry that is not HotSpot's. Done fails if the domain does not have it.
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

// ValueSite adds the values of a value site; kind is layout.SubIndirectCall or another of that group.
func (p *Profile) ValueSite(site int32, kind layout.Sub, values ...Value) {
	p.wide(profileset.Wide{Tag: layout.TagValueSite, Sub: kind, Point: site}, len(values), func(e disk.Entry) {
		for i, v := range values {
			e.SetCell(2*i, v.Value)
			e.SetCell(2*i+1, v.Count)
		}
	})
}

// Bitmap adds an array of bits, eight in each byte.
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

// Successors adds where a branch went; sub is layout.SubConditional or the sub of returns (docs/format.md).
func (p *Profile) Successors(point int32, sub layout.Sub, rows ...Successor) {
	p.wide(profileset.Wide{Tag: layout.TagSuccessors, Sub: sub, Point: point}, len(rows), func(e disk.Entry) {
		for i, r := range rows {
			e.SetCell(2*i, disk.PackSuccessor(r.Point, r.Index))
			e.SetCell(2*i+1, r.Count)
		}
	})
}

// Receivers has the fields of a type profile, except its rows.
type Receivers struct {
	Point int32
	Sub   layout.Sub        // layout.SubVirtualCall or layout.SubTypeCheck
	Flags layout.EntryFlags // layout.EntryNullSeen, or 0
	Other uint64            // count of values whose type has no row; signed for a type check
	Traps uint64            // trap bits as in the header of HotSpot's entries; 0 for none
}

// Receivers adds a type profile with any number of rows, which may be free.
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

// Callees adds the methods called at a point.
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
	Sub   layout.Sub        // the counted event, such as layout.SubCalls
	Flags layout.EntryFlags // layout.EntryInterpreted, or 0
	N     uint64
}

// Count adds one counter.
func (p *Profile) Count(c Count) {
	p.wide(profileset.Wide{Tag: layout.TagCount, Sub: c.Sub, Flags: c.Flags, Point: c.Point}, 0,
		func(e disk.Entry) { e.SetCell(0, c.N) })
}
