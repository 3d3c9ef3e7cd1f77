package llvm

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// An encoding is how records lie in an indexed file of a version:
//
//	u64 FuncHash, u64 number of counters, counters
//	from version 11: u64 number of bitmap bytes, u64 for each of them
//	values: u32 size, u32 number of kinds with sites, for each of them
//	   u32 kind, u32 number of sites, u8 number of values of each site,
//	   zeros up to a multiple of 8, { u64 value, u64 count }
type encoding struct {
	version int
	values  []siteValue // of one site at a time
}

// kinds is how many value kinds the version has.
func (e *encoding) kinds() int {
	if e.version < sinceVTables {
		return layout.SubVTable
	}
	return valueKindsKnown
}

// size is what append appends.
func (e *encoding) size(r *record) int64 {
	n := 16 + int64(len(r.counts)) + e.valuesSize(r)
	if e.version >= sinceBitmaps {
		n += 8 + 8*int64(len(r.bitmap))
	}
	return n
}

func (e *encoding) valuesSize(r *record) int64 {
	n := int64(valueBlockHeader)
	for _, sites := range r.sites[:e.kinds()] {
		if len(sites) == 0 {
			continue
		}
		n += valueKindHeader + disk.AlignUp(int64(len(sites)), 8)
		for _, site := range sites {
			n += valueSize * int64(writtenValues(site))
		}
	}
	return n
}

func (e *encoding) append(b []byte, r *record) []byte {
	b = le.AppendUint64(b, r.hash)
	b = le.AppendUint64(b, uint64(len(r.counts)/disk.CellSize))
	b = append(b, r.counts...)
	if e.version >= sinceBitmaps {
		b = le.AppendUint64(b, uint64(len(r.bitmap)))
		for _, v := range r.bitmap {
			b = le.AppendUint64(b, uint64(v))
		}
	}
	return e.appendValues(b, r)
}

func (e *encoding) appendValues(b []byte, r *record) []byte {
	kinds := 0
	for _, sites := range r.sites[:e.kinds()] {
		if len(sites) > 0 {
			kinds++
		}
	}
	b = le.AppendUint32(b, uint32(e.valuesSize(r)))
	b = le.AppendUint32(b, uint32(kinds))
	for kind, sites := range r.sites[:e.kinds()] {
		if len(sites) > 0 {
			b = e.appendKind(b, kind, sites)
		}
	}
	return b
}

func (e *encoding) appendKind(b []byte, kind int, sites []disk.Entry) []byte {
	b = le.AppendUint32(b, uint32(kind))
	b = le.AppendUint32(b, uint32(len(sites)))
	for _, site := range sites {
		b = append(b, byte(writtenValues(site)))
	}
	for n := len(sites); n%8 != 0; n++ {
		b = append(b, 0)
	}
	for _, site := range sites {
		e.values = appendSiteValues(e.values[:0], site)
		for _, v := range e.values {
			b = le.AppendUint64(b, v.value)
			b = le.AppendUint64(b, v.count)
		}
	}
	return b
}
