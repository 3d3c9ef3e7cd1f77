package hotspot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The parsed text. Names of hidden classes and widths of entries are determined later,
// since both need the whole text.

// A textDump is everything that one VM printed.
type textDump struct {
	methods []textMethod
	types   spellings
	total   uint64 // "Total MDO size"
	hasGap  bool   // some receiver entry has a nonprofiled_count
	plain   bool   // some trap reason has its name in a VM without JVMCI
	dialect Dialect
}

// A typeID is the index of a type in a dump's printed types; 0 is none.
type typeID uint32

// spellings interns types in their printed form.
type spellings struct {
	ids  map[string]typeID
	list []string // by typeID-1
}

func (s *spellings) internSpelling(text []byte) typeID {
	if id, ok := s.ids[string(text)]; ok {
		return id
	}
	if s.ids == nil {
		s.ids = map[string]typeID{}
	}
	spelling := string(text)
	s.list = append(s.list, spelling)
	id := typeID(len(s.list))
	s.ids[spelling] = id
	return id
}

// A textMethod is one method with its counters and entries.
type textMethod struct {
	line            int
	access          uint32
	class           string // internal name in the VM
	name, signature string

	interpreted, invocations, backedges uint64
	decompiles, size                    uint32

	parameters []textSlot
	entries    []textEntry
	sketch     []byte // of its code; nil if there is none
}

// A textEntry is one profile entry. Its tag decides which fields are used.
type textEntry struct {
	line   int
	offset int // printed offset from the start of the data
	tag    layout.Tag
	at     builder.At

	count, gap   uint64 // or taken
	notTaken     uint64
	displacement int64
	rows         []textRow
	returns      []builder.RetRow
	cases        []builder.SwitchCase
	types        textTypes
	traps        []textTrap // speculative traps at the same bci
}

// A textRow is a receiver row.
type textRow struct {
	typ   typeID
	count uint64
}

// A textWord is the type of one value.
type textWord struct {
	typ      typeID
	nullSeen bool
	unknown  bool
}

// A textSlot is the type of an argument or parameter.
type textSlot struct {
	stack uint64
	word  textWord
}

// textTypes are the types of a call.
type textTypes struct {
	args   []textSlot
	result *textWord // nil if the VM does not profile it
}

// lengthCell returns the value of the length cell of an entry with those types.
func (t *textTypes) lengthCell() int {
	n := 2 * len(t.args)
	if t.result != nil {
		n++
	}
	return n
}

func (t *textTypes) isEmpty() bool { return len(t.args) == 0 && t.result == nil }

// A textTrap is a speculative trap: a method without its signature, and the trap state.
type textTrap struct {
	class, name string
	traps       layout.EntryTraps
}

// A Dialect is the arrangement of columns in a VM's text.
type Dialect uint8

// The dialects.
const (
	JDK17 Dialect = iota // columns run together if a number is long
	JDK25                // there is always a space between columns
)

// dialectNames are the values of [PropertyDialect].
var dialectNames = [...]string{JDK17: "jdk17", JDK25: "jdk25"}

func (d Dialect) String() string { return dialectNames[d] }

// parseDialect returns the inverse of String.
func parseDialect(name string) (d Dialect, ok bool) {
	i := slices.Index(dialectNames[:], name)
	return Dialect(max(i, 0)), i >= 0
}

// Columns of the text, from 0.
const (
	columnKind = 16 // of the entry's kind in JDK 17, and of the names of type lists
	columnBody = 36 // of counts
)

// entryColumns returns the columns at which "bci:" and the kind begin.
func (d Dialect) entryColumns() (bci, kind int) {
	if d == JDK17 {
		return 6, columnKind
	}
	return 7, columnKind + 1
}

// Properties of an archive that came from a text, in disk.TableProperties.
const (
	PropertyDialect = "methoddata.dialect" // the [Dialect]: "jdk17" or "jdk25"
	// "plain" if the VM was built without JVMCI, whose names of trap reasons are longer
	PropertyReasons = "methoddata.reasons"
	PropertyTotal   = "methoddata.total" // "Total MDO size", if it is not the sum of the sizes
	// PropertyInterpreted is "own" if the invocations by the interpreter have a count of their own. VMs from
	// JDK 17 on do not print that count, but all invocations in its place.
	PropertyInterpreted = "methoddata.interpreted"
)

// OwnInterpreted is the value of [PropertyInterpreted].
const OwnInterpreted = "own"

const plainReasons = "plain"

// The text does not show how many rows its entries have. But it shows their offsets, so
// that the distance to the next entry is the size of an entry.

// defaultRows is HotSpot's default of TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxShapeRows is the most rows that an archive's settings can have.
const maxShapeRows = 64

// markExtraEntries sets the section of traps without a data entry: HotSpot keeps them after all data entries.
func (m *textMethod) markExtraEntries() {
	last := -1
	for _, e := range m.entries {
		if e.tag != layout.TagBit {
			last = max(last, e.offset)
		}
	}
	for i := range m.entries {
		if e := &m.entries[i]; e.tag == layout.TagBit && e.offset > last {
			e.at.In = disk.SectionExtra
		}
	}
}

// A rowVote counts how often a number of rows was seen.
type rowVote map[int]int

// voteRows counts the rows of an entry with cells = fixed + each*rows.
func (v rowVote) voteRows(cells, fixed, each int) {
	if n := cells - fixed; n >= 0 && n%each == 0 && n/each <= maxShapeRows {
		v[n/each]++
	}
}

// mostFrequent returns the most frequent number of rows, or atLeast if that is higher.
func (v rowVote) mostFrequent(atLeast int) int {
	if len(v) == 0 {
		return max(defaultRows, atLeast)
	}
	return max(atLeast, slices.MaxFunc(slices.Sorted(maps.Keys(v)), func(a, b int) int { return cmp.Compare(v[a], v[b]) }))
}

// inferShape infers the settings of the VM from the offsets of its entries.
func (d *textDump) inferShape() (s disk.Shape) {
	if d.hasGap {
		s.Gap = 1
	}
	types := rowVote{}
	returns := rowVote{}
	var typeRows, bciRows int // printed
	for _, m := range d.methods {
		for i, e := range m.entries {
			typeRows = max(typeRows, len(e.rows))
			bciRows = max(bciRows, len(e.returns))
			if i+1 == len(m.entries) || m.entries[i+1].at.In != disk.SectionData {
				continue
			}
			cells := (m.entries[i+1].offset - e.offset - disk.EntryHeaderSize) / disk.CellSize
			switch e.tag {
			case layout.TagReceiverType, layout.TagVirtualCall:
				types.voteRows(cells, 1+s.Gap, 2)
			case layout.TagVirtualCallType:
				types.voteRows(cells, 2+s.Gap+e.types.lengthCell(), 2)
			case layout.TagRet:
				returns.voteRows(cells, 1, 3)
			}
		}
	}
	s.TypeRows, s.BciRows = types.mostFrequent(typeRows), returns.mostFrequent(bciRows)
	return s
}

// sizeInVM returns the size in bytes of an entry in a VM of that shape.
func (e *textEntry) sizeInVM(s disk.Shape) int {
	length := e.types.lengthCell()
	if e.tag == layout.TagMultiBranch {
		length = 2 * len(e.cases)
	}
	return disk.EntryHeaderSize + s.Cells(e.tag, length)*disk.CellSize
}

// checkOffsets compares the printed offsets of the data entries with those that follow from the shape, and
// returns the end of the data. One gap counts once. Entries must be in the order of their bytecodes.
func (m *textMethod) checkOffsets(s disk.Shape, r *TextReport) (end int) {
	bci := -1
	for i := range m.entries {
		e := &m.entries[i]
		if e.at.In != disk.SectionData {
			continue
		}
		if e.offset != end || int(e.at.Bci) <= bci {
			r.Lost.AddAt(LossOffset, e.line)
		}
		bci = int(e.at.Bci)
		end = e.offset + e.sizeInVM(s)
	}
	return end
}
