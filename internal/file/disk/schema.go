package disk

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/layout"
)

// The schema table in this file is the only description of the cells of entries. For each tag it lists groups of
// cells, how often a group repeats, and the kind of each cell. Sizes, checks, pointer slots, counts, copying, merging
// and printing derive from it.

// A CellKind is the meaning of a cell. It determines how the cell is relocated, merged and printed. Producers can
// declare the first kinds, too.
type CellKind = layout.CellKind

// The kinds of cells. A producer can declare the first ones.
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

	// CellDisplacement is the distance in bytes, an i64, from the entry to the entry at a branch target.
	CellDisplacement CellKind = iota + 64
	// CellTypeWord is a pointer to a type record with tags in its low bits.
	CellTypeWord
	// CellLength is the number of cells that follow it in the entry.
	CellLength
	// CellSlot is the stack slot of an argument.
	CellSlot
	// CellBci is a bytecode index, all ones in a free row.
	CellBci
	// CellSuccessor has the point and the index of a successor.
	CellSuccessor
	// CellTraps is a traps word, as in the header of HotSpot's entries.
	CellTraps
	// CellFlags is an i64 with a set of bits.
	CellFlags
	// CellOpaque is a word of unknown meaning from another process, never a pointer.
	CellOpaque
)

// IsPointer reports whether cells of the kind are pointers, which rw's relocation bitmap marks.
func IsPointer(k CellKind) bool { return k == CellType || k == CellTypeWord || k == CellMethod }

// IsKey reports whether cells of the kind identify the counted thing. Entries and rows with equal keys are merged.
func IsKey(k CellKind) bool {
	switch k {
	case CellType, CellTypeWord, CellMethod, CellSlot, CellBci, CellValue, CellSuccessor:
		return true
	}
	return false
}

type CellSpec = layout.CellShape

// BitNames formats the bits of a CellBits as names separated by |, with unnamed bits as one hexadecimal number, such as
// "int|string|0x4". No bits are "0".
func BitNames(c CellSpec, v uint64) string {
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

type Repeat uint8

// The sources of the number of rows.
const (
	Once     Repeat = iota // one row
	PerGap                 // Shape.Gap
	PerType                // Shape.TypeRows
	PerBci                 // Shape.BciRows
	PerCell                // preceding CellLength: rows fill its cells except for single cells
	IfOdd                  // preceding CellLength: one row if it is odd
	PerRow                 // row count in the header of a wide entry
	PerEight               // row count in the header of a wide entry, divided by eight and rounded up
)

type CellGroup struct {
	Name   string // name of the list of rows in the JSON dump; empty if the cells have their own keys
	Repeat Repeat
	Cells  []CellSpec

	sets   [4]uint8 // per cellSet: one bit for each cell in it
	length bool     // whether the last cell is a CellLength
	others int64    // number of cells between the CellLength and the rows of a PerCell group
}

func (g *CellGroup) HasPointers() bool { return g.sets[pointerCells] != 0 }

// A cellSet selects the cells that a walk over an entry visits.
type cellSet uint8

const (
	allCells cellSet = iota
	countCells
	pointerCells
	identityCells // keys outside rows
)

type Schema struct {
	// Name is the producer's name of the entries; empty for this format's own.
	Name   string
	Groups []CellGroup
	// Subs are the names of the values of the sub field of a wide entry, empty for undefined values.
	Subs []string
	// Flags are the names of the bits of the flags field.
	Flags []string
	// SignedSubs are the sub values for which the first count, a single cell, is signed. A HotSpot entry has sub 0;
	// HotSpot decrements the count of failing type checks.
	SignedSubs []layout.Sub
	// Units are the units of the counts by sub. Where Units is shorter, the unit is unit.
	Units []layout.CountUnit

	has         [4]bool   // per cellSet: whether a cell is in it
	kinds       [128]bool // kinds of its cells
	repeats     [8]bool   // Repeat values of its groups
	lengthGroup int       // number of groups up to and including the CellLength, or 0
	onlyCounts  bool      // every cell is an unsigned count
	rowKey      CellKind  // first key kind in a row of a wide entry, or 0
	list        bool      // entries consist of rows of a key and a count
	declared    bool      // declared by a producer
	hasRows     bool      // declared with rows
	unit        layout.CountUnit
}

func init() {
	for _, s := range schemas {
		if s != nil {
			s.classify()
		}
	}
}

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

// OnlyCounts reports whether every cell is an unsigned count.
func (s *Schema) OnlyCounts() bool { return s.onlyCounts }

// RowKey returns the kind of the first key in a wide entry's rows; ok is false if rows are identified by position.
func (s *Schema) RowKey() (kind CellKind, ok bool) { return s.rowKey, s.rowKey != 0 }

// IsList reports whether the entries consist of rows of a key and a count.
func (s *Schema) IsList() bool               { return s.list }
func (s *Schema) HasKind(kind CellKind) bool { return s.kinds[kind] }
func (s *Schema) Repeats(r Repeat) bool      { return s.repeats[r] }
func (s *Schema) Declared() bool             { return s.declared }

func singleCells(cells ...CellSpec) CellGroup { return CellGroup{Cells: cells} }

func rowGroup(name string, repeat Repeat, cells ...CellSpec) CellGroup {
	return CellGroup{Name: name, Repeat: repeat, Cells: cells}
}

func cellSpec(name string, kind CellKind) CellSpec { return CellSpec{Name: name, Kind: kind} }

// Cells that several tags share.
var (
	count        = cellSpec("count", CellCount)
	length       = cellSpec("length", CellLength)
	displacement = cellSpec("displacement", CellDisplacement)
	nullSeen     = []string{"null-seen"}
	gap          = rowGroup("gap", PerGap, cellSpec("count", CellCount))
	typeRows     = rowGroup("rows", PerType, cellSpec("type", CellType), count)
	arguments    = rowGroup("args", PerCell, cellSpec("slot", CellSlot), cellSpec("type", CellTypeWord))
	returnType   = rowGroup("return", IfOdd, cellSpec("type", CellTypeWord))
)

// schemas is indexed by tag. Tags 1 to 13 are HotSpot's (src/hotspot/share/oops/methodData.hpp, the same in JDK 17 to
// 25).
var schemas = [256]*Schema{
	layout.TagBit:     {Flags: nullSeen},
	layout.TagCounter: {Groups: []CellGroup{singleCells(count)}},
	layout.TagJump:    {Groups: []CellGroup{singleCells(cellSpec("taken", CellCount), displacement)}},
	layout.TagReceiverType: {Flags: nullSeen, SignedSubs: []layout.Sub{0}, Groups: []CellGroup{
		singleCells(count), gap, typeRows}},
	layout.TagVirtualCall: {Groups: []CellGroup{singleCells(count), gap, typeRows}},
	layout.TagRet: {Groups: []CellGroup{singleCells(count),
		rowGroup("rows", PerBci, cellSpec("bci", CellBci), count, displacement)}},
	layout.TagBranch: {Groups: []CellGroup{
		singleCells(cellSpec("taken", CellCount), displacement, cellSpec("not_taken", CellCount))}},
	layout.TagMultiBranch: {Groups: []CellGroup{singleCells(length),
		rowGroup("default", Once, count, displacement),
		rowGroup("cases", PerCell, count, displacement)}},
	layout.TagArgInfo: {Groups: []CellGroup{singleCells(length),
		rowGroup("modified", PerCell, cellSpec("modified", CellFlags))}},
	layout.TagCallType: {Groups: []CellGroup{singleCells(count, length), arguments, returnType}},
	layout.TagVirtualCallType: {Groups: []CellGroup{singleCells(count), gap, typeRows, singleCells(length), arguments,
		returnType}},
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
		Subs: countSubs(),
		Units: []layout.CountUnit{layout.SubBytecodes: UnitBytecodes, layout.SubCycles: UnitCycles,
			layout.SubNativeCalls: UnitNativeCalls, layout.SubNewArrays: UnitArrays,
			layout.SubSamples: UnitPointSamples, layout.SubNanoseconds: UnitNanoseconds},
		Groups: []CellGroup{singleCells(count)}},
	TagUndecoded: {Flags: []string{2: "one-of-several"},
		Groups: []CellGroup{rowGroup("words", PerRow, cellSpec("word", CellOpaque))}},
}

func countSubs() []string {
	subs := []string{layout.SubCalls: "calls", layout.SubBytecodes: "bytecodes", layout.SubCycles: "cycles",
		layout.SubNativeCalls: "native-calls", layout.SubNewArrays: "new-arrays", layout.SubSamples: "samples",
		SubUnprofiled: "unprofiled", layout.SubNanoseconds: "nanoseconds", layout.SubIterations: "iterations",
		SubTotal:                                "total",
		layout.SubDeopts + layout.MaxDeoptCause: ""}
	for cause := range layout.MaxDeoptCause + 1 {
		subs[int(layout.SubDeopts)+cause] = fmt.Sprintf("deopts-%d", cause)
	}
	return subs
}

// DefineSchema adds a row to the schema table and returns a function that removes it. Tests use it to show that a new
// tag needs only its row. No archive may be in use until remove is called.
func DefineSchema(tag layout.Tag, groups ...CellGroup) (remove func()) {
	before := schemas[tag]
	schemas[tag] = &Schema{Groups: groups}
	schemas[tag].classify()
	return func() { schemas[tag] = before }
}
