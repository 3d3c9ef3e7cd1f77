package disk

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/layout"
)

// This file is the only place that knows what the cells of an entry are. For each tag it lists the cells in
// groups, how often a group repeats, and what a cell holds. Sizes, checks, pointer slots, counts, copying,
// merging and printing derive from it.

// A CellKind says what a cell holds, and with that how it is relocated, merged and
// printed. The first are those that a producer can declare, too.
type CellKind = layout.CellKind

// The kinds of cells that a producer can declare, and those that it cannot.
const (
	CellCount  = layout.CellCount
	CellMax    = layout.CellMax
	CellBits   = layout.CellBits
	CellFirst  = layout.CellFirst
	CellValue  = layout.CellValue
	CellType   = layout.CellType
	CellMethod = layout.CellMethod
	CellMin    = layout.CellMin
	CellLast   = layout.CellLast

	// CellDisplacement is the distance in bytes, an i64, from the start of the
	// entry to the start of the entry at the target of a branch.
	CellDisplacement CellKind = iota + 64
	// CellTypeWord is a pointer to a type record with tags in its low bits.
	CellTypeWord
	// CellLength is the number of cells that follow it in the entry.
	CellLength
	// CellSlot is the stack slot of an argument.
	CellSlot
	// CellBci is an index into the bytecodes, all ones in a free row.
	CellBci
	// CellSuccessor packs the point and the index of a successor.
	CellSuccessor
	// CellTraps is a traps word, as in the header of HotSpot's entries.
	CellTraps
	// CellFlags are bits, too, of a number that is an i64.
	CellFlags
	// CellOpaque is a word of another process, never a pointer: its meaning is unknown.
	CellOpaque
)

// IsPointer reports whether cells of the kind are pointer slots, which the relocation bitmap of rw marks.
func IsPointer(k CellKind) bool { return k == CellType || k == CellTypeWord || k == CellMethod }

// IsKey reports whether cells of the kind name the counted thing. Entries and rows
// are merged and compared only with those that have the same keys.
func IsKey(k CellKind) bool {
	switch k {
	case CellType, CellTypeWord, CellMethod, CellSlot, CellBci, CellValue, CellSuccessor:
		return true
	}
	return false
}

// A CellSpec is one cell of a group: its key in the JSON dump, and its kind.
type CellSpec struct {
	Name string
	Kind CellKind
	Bits []string // names for the bits of a CellBits, by number
}

// BitNames returns the names of the bits of a cell with | between them, those without a
// name as one hexadecimal number, and "0" if there are none: "int|string|0x4".
func (c CellSpec) BitNames(v uint64) string {
	var names []string
	for i, name := range c.Bits {
		if name != "" && v>>i&1 != 0 {
			names = append(names, name)
			v &^= 1 << i
		}
	}
	if v != 0 {
		names = append(names, fmt.Sprintf("%#x", v))
	}
	if len(names) == 0 {
		return "0"
	}
	return strings.Join(names, "|")
}

// A Repeat says what decides how often the cells of a group repeat.
type Repeat uint8

// What decides on the number of rows.
const (
	Once     Repeat = iota // the cells stand once
	PerGap                 // Shape.Gap
	PerType                // Shape.TypeRows
	PerBci                 // Shape.BciRows
	PerCell                // the CellLength before: the rows fill what cells that stand once leave of it
	IfOdd                  // the CellLength before: once if it is odd
	PerRow                 // the rows in the header of a wide entry
	PerEight               // one for every eight rows in the header of a wide entry
)

// A CellGroup is a run of cells that repeat together: a row.
type CellGroup struct {
	Name   string // of the list of rows in the JSON dump; empty for cells that have keys of their own
	Repeat Repeat
	Cells  []CellSpec

	sets   [4]uint8 // for each cellSet a bit for every cell that is in it
	length bool     // the last of Cells is a CellLength
	others int64    // of a PerCell group: the cells between the CellLength and the rows
}

// HasPointers reports whether a row of the group has a pointer slot.
func (g *CellGroup) HasPointers() bool { return g.sets[pointerCells] != 0 }

// A cellSet is what a walk over an entry is to see.
type cellSet uint8

const (
	allCells cellSet = iota
	countCells
	pointerCells
	identityCells // the keys that stand once
)

// A Schema describes the entries of one tag.
type Schema struct {
	// Name is what a producer calls the entries; empty for this format's own.
	Name   string
	Groups []CellGroup
	// Subs are the words for the values of the sub field of a wide entry, by
	// value; empty where a value has no meaning.
	Subs []string
	// Flags are the words for the bits of the flags field.
	Flags []string
	// SignedSubs are the values of sub for which the first count is signed; a HotSpot entry has sub 0. That
	// count stands once. HotSpot counts failing type checks down.
	SignedSubs []layout.Sub
	// Units are what the entry counts, by sub; unit where it has no entry.
	Units []layout.CountUnit

	has         [4]bool   // for each cellSet whether some cell is in it
	kinds       [128]bool // the kinds of its cells
	repeats     [8]bool   // how its groups repeat
	lengthGroup int       // the number of groups up to the CellLength, that one included; 0 if there is none
	onlyCounts  bool      // every cell is a count, and none is signed
	rowKey      CellKind  // the first key of a row of a wide entry; 0 if there is none
	list        bool      // the cells are rows of a key and a count
	declared    bool      // a producer's
	hasRows     bool      // of a producer's: rows have cells
	unit        layout.CountUnit
}

func init() {
	for _, s := range schemas {
		if s != nil {
			s.classify()
		}
	}
}

// classify derives from the kinds of cells what the walks over entries ask for.
func (s *Schema) classify() {
	between := int64(0)
	for i := range s.Groups {
		g := &s.Groups[i]
		s.repeats[g.Repeat] = true
		for j, c := range g.Cells {
			s.kinds[c.Kind] = true
			for set, in := range [...]bool{allCells: true, countCells: c.Kind == CellCount, pointerCells: IsPointer(c.Kind),
				identityCells: g.Repeat == Once && IsKey(c.Kind)} {
				if in {
					g.sets[set] |= 1 << j
					s.has[set] = true
				}
			}
		}
		g.length = g.Cells[len(g.Cells)-1].Kind == CellLength
		if g.length {
			s.lengthGroup = i + 1
			between = 0
		} else if g.Repeat == Once {
			between += int64(len(g.Cells))
		} else {
			g.others = between
		}
	}
	s.classifyRows()
}

// classifyRows derives what merges and comparisons ask for.
func (s *Schema) classifyRows() {
	s.onlyCounts = len(s.SignedSubs) == 0
	for i := range s.Groups {
		g := &s.Groups[i]
		for _, c := range g.Cells {
			s.onlyCounts = s.onlyCounts && c.Kind == CellCount
			if g.Repeat == PerRow && IsKey(c.Kind) && s.rowKey == 0 {
				s.rowKey = c.Kind
			}
		}
	}
	if len(s.Groups) == 1 && s.rowKey != 0 {
		cells := s.Groups[0].Cells
		s.list = len(cells) == 2 && cells[0].Kind == s.rowKey && cells[1].Kind == CellCount
	}
}

// OnlyCounts reports whether every cell is a count that has no sign.
func (s *Schema) OnlyCounts() bool { return s.onlyCounts }

// RowKey returns the kind of the first key of a wide entry's rows; ok is false
// if no cell of a row is a key, so that rows are told apart by their place.
func (s *Schema) RowKey() (kind CellKind, ok bool) { return s.rowKey, s.rowKey != 0 }

// IsList reports whether the entries are nothing but rows of a key and a count.
func (s *Schema) IsList() bool { return s.list }

// Has reports whether some cell is of a kind.
func (s *Schema) Has(kind CellKind) bool { return s.kinds[kind] }

// Repeats reports whether some group of cells repeats so.
func (s *Schema) Repeats(r Repeat) bool { return s.repeats[r] }

// Declared reports whether the entries are of a producer's shape.
func (s *Schema) Declared() bool { return s.declared }

// singleCells returns a group of cells that stand once.
func singleCells(cells ...CellSpec) CellGroup { return CellGroup{Cells: cells} }

// rowGroup returns a group that repeats.
func rowGroup(name string, repeat Repeat, cells ...CellSpec) CellGroup {
	return CellGroup{Name: name, Repeat: repeat, Cells: cells}
}

func cellSpec(name string, kind CellKind) CellSpec { return CellSpec{Name: name, Kind: kind} }

// Cells that several tags have.
var (
	count      = cellSpec("count", CellCount)
	length     = cellSpec("length", CellLength)
	nullSeen   = []string{"null-seen"}
	gap        = rowGroup("gap", PerGap, cellSpec("count", CellCount))
	typeRows   = rowGroup("rows", PerType, cellSpec("type", CellType), count)
	arguments  = rowGroup("args", PerCell, cellSpec("slot", CellSlot), cellSpec("type", CellTypeWord))
	returnType = rowGroup("return", IfOdd, cellSpec("type", CellTypeWord))
)

// schemas is the table of all entries. Tags 1 to 13 are HotSpot's
// (src/hotspot/share/oops/methodData.hpp, the same in JDK 17 to 25).
var schemas = [256]*Schema{
	layout.TagBit:     {Flags: nullSeen},
	layout.TagCounter: {Groups: []CellGroup{singleCells(count)}},
	layout.TagJump:    {Groups: []CellGroup{singleCells(cellSpec("taken", CellCount), cellSpec("displacement", CellDisplacement))}},
	layout.TagReceiverType: {Flags: nullSeen, SignedSubs: []layout.Sub{0}, Groups: []CellGroup{
		singleCells(count), gap, typeRows}},
	layout.TagVirtualCall: {Groups: []CellGroup{singleCells(count), gap, typeRows}},
	layout.TagRet: {Groups: []CellGroup{singleCells(count),
		rowGroup("rows", PerBci, cellSpec("bci", CellBci), count, cellSpec("displacement", CellDisplacement))}},
	layout.TagBranch: {Groups: []CellGroup{
		singleCells(cellSpec("taken", CellCount), cellSpec("displacement", CellDisplacement), cellSpec("not_taken", CellCount))}},
	layout.TagMultiBranch: {Groups: []CellGroup{singleCells(length),
		rowGroup("default", Once, count, cellSpec("displacement", CellDisplacement)),
		rowGroup("cases", PerCell, count, cellSpec("displacement", CellDisplacement))}},
	layout.TagArgInfo:         {Groups: []CellGroup{singleCells(length), rowGroup("modified", PerCell, cellSpec("modified", CellFlags))}},
	layout.TagCallType:        {Groups: []CellGroup{singleCells(count, length), arguments, returnType}},
	layout.TagVirtualCallType: {Groups: []CellGroup{singleCells(count), gap, typeRows, singleCells(length), arguments, returnType}},
	layout.TagParametersType:  {Groups: []CellGroup{singleCells(length), arguments}},
	layout.TagSpeculativeTrap: {Groups: []CellGroup{singleCells(cellSpec("method", CellMethod))}},

	layout.TagCounters: {Groups: []CellGroup{rowGroup("counts", PerRow, count)}},
	layout.TagValueSite: {Subs: []string{layout.SubIndirectCall: "indirect-call", layout.SubMemOpSize: "mem-op-size",
		layout.SubVTable: "vtable"},
		Groups: []CellGroup{rowGroup("values", PerRow, cellSpec("value", CellValue), count)}},
	layout.TagBitmap: {Groups: []CellGroup{rowGroup("bytes", PerEight, cellSpec("bits", CellBits))}},
	layout.TagSuccessors: {Subs: []string{layout.SubConditional: "conditional", SubReturn: "return"},
		Groups: []CellGroup{rowGroup("rows", PerRow, cellSpec("successor", CellSuccessor), count)}},
	layout.TagReceivers: {Flags: nullSeen, SignedSubs: []layout.Sub{layout.SubTypeCheck},
		Subs: []string{layout.SubVirtualCall: "virtual-call", layout.SubTypeCheck: "type-check"},
		Groups: []CellGroup{singleCells(cellSpec("other", CellCount), cellSpec("traps", CellTraps)),
			rowGroup("rows", PerRow, cellSpec("type", CellType), count)}},
	layout.TagCallees: {Groups: []CellGroup{rowGroup("rows", PerRow, cellSpec("method", CellMethod), count)}},
	layout.TagCount: {Flags: []string{1: "interpreted"},
		Subs: []string{layout.SubCalls: "calls", layout.SubBytecodes: "bytecodes", layout.SubCycles: "cycles",
			layout.SubNativeCalls: "native-calls",
			layout.SubNewArrays:   "new-arrays", layout.SubSamples: "samples", SubUnprofiled: "unprofiled",
			layout.SubNanoseconds: "nanoseconds"},
		Units: []layout.CountUnit{layout.SubBytecodes: UnitBytecodes, layout.SubCycles: UnitCycles,
			layout.SubNativeCalls: UnitNativeCalls, layout.SubNewArrays: UnitArrays,
			layout.SubSamples: UnitPointSamples, layout.SubNanoseconds: UnitNanoseconds},
		Groups: []CellGroup{singleCells(count)}},
	TagUndecoded: {Flags: []string{2: "one-of-several"},
		Groups: []CellGroup{rowGroup("words", PerRow, cellSpec("word", CellOpaque))}},
}
