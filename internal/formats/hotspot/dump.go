package hotspot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// The parsed text. Names of hidden classes and widths of entries need the whole text, so they are determined later.

type textDump struct {
	methods  []textMethod
	types    spellings
	total    uint64 // "Total MDO size"
	hasTotal bool
	hasGap   bool // a receiver entry has a nonprofiled_count
	plain    bool // a trap reason has its name in a VM without JVMCI
	dialect  Dialect
	// otherLines counts the lines before and after the method data.
	otherLines int
}

// A typeID is the index + 1 of a printed type in a dump, or 0.
type typeID uint32

type spellings struct {
	ids  map[string]typeID
	list []string // printed types by typeID - 1
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

type textMethod struct {
	place           parse.Place
	bare            bool // the text has no counters of methods
	access          uint32
	class           string // internal name in the VM
	name, signature string

	interpreted, invocations, backedges uint64
	decompiles, size                    uint32
	known                               int  // number of these counters that were read
	noDecompiles                        bool // the text has no decompile count

	parameters []textSlot
	entries    []textEntry
	sketch     []byte // sketch of the code, or nil
	code       uint64 // code id, or 0 if it is unknown
}

func (m *textMethod) label() string { return m.class + classEnd + m.name + m.signature }

// A textEntry is one profile entry. Its tag determines the used fields.
type textEntry struct {
	line   int
	offset int // printed offset from the start of the data
	tag    layout.Tag
	at     builder.At

	count, gap   uint64 // count is also the taken count
	notTaken     uint64
	displacement int64
	rows         []textRow
	returns      []builder.RetRow
	cases        []builder.SwitchCase
	types        textTypes
	traps        []textTrap // speculative traps at the same bci
}

type textRow struct {
	typ   typeID
	count uint64
}

type textWord struct {
	typ      typeID
	nullSeen bool
	unknown  bool
}

// A textSlot is the type of an argument or parameter in a stack slot.
type textSlot struct {
	stack uint64
	word  textWord
}

type textTypes struct {
	args   []textSlot
	result *textWord // nil if not profiled
}

// lengthCell returns the value of the length cell of an entry with these types.
func (t *textTypes) lengthCell() int {
	n := 2 * len(t.args)
	if t.result != nil {
		n++
	}
	return n
}

// A textTrap is a speculative trap, which names a method without its signature.
type textTrap struct {
	class, name string
	traps       layout.EntryTraps
}

// A Dialect is a VM's column layout.
type Dialect uint8

// Column layouts.
const (
	JDK17 Dialect = iota // long numbers touch the next column
	JDK25                // columns are always separated by a space
)

// dialectNames are the values of [PropertyDialect].
var dialectNames = [...]string{JDK17: "jdk17", JDK25: "jdk25"}

func (d Dialect) String() string { return dialectNames[d] }

func parseDialect(name string) (d Dialect, ok bool) {
	i := slices.Index(dialectNames[:], name)
	return Dialect(max(i, 0)), i >= 0
}

// Columns of the text, 0-based.
const (
	columnKind = 16 // entry kind in JDK 17, and names of type lists
	columnBody = 36 // counts
)

func (d Dialect) entryColumns() (bci, kind int) {
	if d == JDK17 {
		return 6, columnKind
	}
	return 7, columnKind + 1
}

// Properties of an archive imported from text, in disk.TableProperties.
const (
	PropertyDialect = "methoddata.dialect" // [Dialect], "jdk17" or "jdk25"
	// PropertyReasons is "plain" for a VM without JVMCI, whose names of trap reasons are longer.
	PropertyReasons = "methoddata.reasons"
	PropertyTotal   = "methoddata.total" // "Total MDO size", unless the sizes add up to it
	// PropertyInterpreted is "own" if the archive counts interpreted invocations separately. VMs from JDK 17 on print the
	// count of all invocations instead.
	PropertyInterpreted = "methoddata.interpreted"
)

// OwnInterpreted is the value of [PropertyInterpreted].
const OwnInterpreted = "own"

const plainReasons = "plain"

// The text lacks the number of rows per entry, but it has offsets. The distance to the next entry is the size of an
// entry.

// defaultRows is HotSpot's default for TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxShapeRows is the maximum number of rows in an archive's settings.
const maxShapeRows = 64

// markExtraEntries sets the section of traps without a data entry, which HotSpot stores after all data entries.
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

type rowVote map[int]int

// voteRows counts the rows of an entry with cells = fixed + each*rows.
func (v rowVote) voteRows(cells, fixed, each int) {
	if n := cells - fixed; n >= 0 && n%each == 0 && n/each <= maxShapeRows {
		v[n/each]++
	}
}

// mostFrequent returns the most frequent number of rows, but at least atLeast.
func (v rowVote) mostFrequent(atLeast int) int {
	if len(v) == 0 {
		return max(defaultRows, atLeast)
	}
	return max(atLeast, slices.MaxFunc(slices.Sorted(maps.Keys(v)), func(a, b int) int { return cmp.Compare(v[a], v[b]) }))
}

// inferShape infers the settings of the VM from the offsets of its entries.
func (d *textDump) inferShape(r *codec.Report) (s disk.Shape) {
	if d.hasGap || d.hidesGap() {
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
			cells := m.cellsOf(i)
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
	if _, hasReceivers := r.Totals[ledger.TypeCounts]; hasReceivers && len(types) == 0 {
		r.Lost.Add(parse.LossWidths, 1)
	}
	s.TypeRows, s.BciRows = types.mostFrequent(typeRows), returns.mostFrequent(bciRows)
	return s
}

// cellsOf returns the number of cells of an entry before another one.
func (m *textMethod) cellsOf(i int) int {
	return (m.entries[i+1].offset - m.entries[i].offset - disk.EntryHeaderSize) / disk.CellSize
}

// hidesGap reports whether receiver entries have a cell that the text does not print. Rows have two cells each.
func (d *textDump) hidesGap() bool {
	votes := 0
	for _, m := range d.methods {
		for i, e := range m.entries {
			if i+1 == len(m.entries) || m.entries[i+1].at.In != disk.SectionData ||
				e.tag != layout.TagReceiverType && e.tag != layout.TagVirtualCall {
				continue
			}
			if m.cellsOf(i)%2 == 0 {
				votes++
			} else {
				votes--
			}
		}
	}
	return votes > 0
}

func (e *textEntry) sizeInVM(s disk.Shape) int {
	length := e.types.lengthCell()
	if e.tag == layout.TagMultiBranch {
		length = 2 * len(e.cases)
	}
	return disk.EntryHeaderSize + s.Cells(e.tag, length)*disk.CellSize
}

// checkOffsets compares the printed offsets of data entries with those computed from the shape, and returns the end of
// the data. A gap counts once. Entries must be in bytecode order.
func (m *textMethod) checkOffsets(s disk.Shape, r *codec.Report) (end int) {
	bci := -1
	for i := range m.entries {
		e := &m.entries[i]
		if e.at.In != disk.SectionData {
			continue
		}
		if e.offset != end || int(e.at.Bci) <= bci {
			r.Lost.AddLoss(codec.Loss{What: LossOffset, Count: 1, Line: e.line})
		}
		bci = int(e.at.Bci)
		end = e.offset + e.sizeInVM(s)
	}
	return end
}
