package analyze

import (
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type pointKind struct {
	about    string // see Point.About
	bytecode string // see Point.Bytecode
	site     Site   // the guess of compilers for every sub; siteKindOf has the exceptions
	rows     string // see Point.RowNoun
	group    string // see Point.Group
	// read appends the outcomes to the point. If it is nil, the schema of the tag supplies them.
	read     func(*pointReader, *Point, reader.Entry)
	executed bool // see Point.Executed
}

// pointKinds is indexed by tag and holds all knowledge about single tags. A tag without a row is read by its schema.
var pointKinds = [256]pointKind{
	layout.TagBit: {about: "a bytecode that only notes traps and whether it saw null", site: SiteNull,
		read: (*pointReader).addNothing},
	layout.TagCounter: {group: "count", about: "a call whose target is known", bytecode: "call",
		read: (*pointReader).addCalls, executed: true},
	layout.TagJump: {group: "jump", about: "a jump that is always taken", bytecode: "jump",
		read: (*pointReader).addJump, executed: true},
	layout.TagReceiverType: {group: "types", about: "a type check, or a store into an array of objects",
		bytecode: "check", site: SiteChecked, read: (*pointReader).addReceivers},
	layout.TagVirtualCall: {group: "types", about: "a call whose target the receiver decides",
		bytecode: "call", site: SiteReceivers, read: (*pointReader).addReceivers},
	layout.TagRet: {group: "ret", about: "the return from a subroutine", bytecode: "ret",
		read: (*pointReader).addReturns, executed: true},
	layout.TagBranch: {group: "branch", about: "a conditional branch", bytecode: "branch", site: SiteBranch,
		read: (*pointReader).addBranch, executed: true},
	layout.TagMultiBranch: {group: "switch", about: "a switch", bytecode: "switch", site: SiteSwitch,
		read: (*pointReader).addCases, executed: true},
	layout.TagArgInfo: {about: "how arguments are changed"},
	layout.TagCallType: {group: "count", about: "a call whose target is known, with the types of arguments and result",
		bytecode: "call", read: (*pointReader).addCalls, executed: true},
	layout.TagVirtualCallType: {group: "types", bytecode: "call", site: SiteReceivers, read: (*pointReader).addReceivers,
		about: "a call whose target the receiver decides, with the types of arguments and result"},
	layout.TagParametersType: {about: "the types of the method's parameters", read: (*pointReader).addNothing},
	layout.TagSpeculativeTrap: {about: "compiled code was left here because a guess about a method was wrong",
		read: (*pointReader).addSpeculation},
	layout.TagCounters: {group: "counters", about: "counters of blocks", rows: "counters",
		read: (*pointReader).addCounters},
	layout.TagValueSite: {group: "values", about: "values seen at a site", read: (*pointReader).addValues},
	layout.TagBitmap:    {about: "combinations of conditions that were tested", read: (*pointReader).addBitmap},
	layout.TagSuccessors: {group: "successors", about: "where control went on", rows: "successors",
		read: (*pointReader).addSuccessors, executed: true},
	layout.TagReceivers: {group: "types", about: "types seen at a call or check",
		bytecode: "call or check", site: SiteReceivers, read: (*pointReader).addReceivers},
	layout.TagCallees: {group: "callees", about: "called methods", bytecode: "call", rows: "callees",
		read: (*pointReader).addCallees, executed: true},
	layout.TagCount:   {group: "count", about: "a count", read: (*pointReader).addCount},
	disk.TagUndecoded: {about: "words of the VM that were not known when it was dumped"},
}

func pointKindOf(e reader.Entry) *pointKind {
	tag := e.Tag()
	if _, ok := e.Branch(); ok {
		tag = layout.TagBranch
	}
	return &pointKinds[tag]
}

func siteKindOf(e reader.Entry) Site {
	switch tag, sub := e.Tag(), e.Sub(); {
	case tag == layout.TagReceivers && sub == layout.SubTypeCheck:
		return SiteChecked
	case tag == layout.TagSuccessors && sub == layout.SubConditional:
		return SiteBranch
	case tag == layout.TagValueSite && sub == layout.SubIndirectCall:
		return SiteTargets
	}
	return pointKindOf(e).site
}

func isCallSite(e reader.Entry) bool {
	return pointKindOf(e).bytecode == "call" || siteKindOf(e) == SiteTargets ||
		e.Tag() == layout.TagReceivers && e.Sub() == layout.SubVirtualCall
}

func sawNull(e reader.Entry) bool { return e.Flags()&layout.EntryNullSeen != 0 && !hasProducerFlags(e) }

// hasProducerFlags reports whether the flags of an entry differ in meaning from HotSpot's.
func hasProducerFlags(e reader.Entry) bool {
	return e.Tag() == layout.TagCount || disk.TagByProducer(e.Tag())
}

func (p *Point) describeKind(s *reader.Store, e reader.Entry) {
	kind := pointKindOf(e)
	p.Kind = (*mapped.Mapping)(s.Mapping()).Shape().TagName(e.Tag())
	p.About = kind.about
	p.Bytecode = kind.bytecode
	p.RowNoun = kind.rows
	p.Group = kind.group
	p.Title, p.BySchema, p.NullSeen = p.Kind, kind.read == nil, sawNull(e)
	p.describeSub(e)
	switch tag := e.Tag(); {
	case tag == layout.TagCount:
		p.Title, p.Interpreted = p.Kind, e.Flags()&disk.EntryInterpreted != 0
	case tag == disk.TagUndecoded:
		p.Undecoded, p.OneOf = disk.UndecodedTag(e.Bytes()), e.Flags()&disk.EntryOneOf != 0
	case disk.TagByProducer(tag):
		p.OwnFlags = e.Flags()
		if e.Sub() != 0 {
			p.SubWords = fmt.Sprintf("sub %d", e.Sub())
		}
	}
}

func (p *Point) describeSub(e reader.Entry) {
	schema, ok := disk.SchemaOf(e.Tag())
	if !ok || len(schema.Subs) == 0 {
		return
	}
	if int(e.Sub()) < len(schema.Subs) {
		p.Sub = schema.Subs[e.Sub()]
	}
	if p.Sub == "" {
		p.SubWords = fmt.Sprintf("kind %d", e.Sub())
		return
	}
	p.Title += ", " + p.Sub
	p.SubWords = strings.ReplaceAll(p.Sub, "-", " ")
	if p.Sub == "mem-op-size" {
		p.SubWords = "memory operation size"
	}
}

// A Site is the kind of guess that compilers make from the outcomes of a point.
type Site string

// The kinds of sites.
const (
	SiteReceivers Site = "receivers" // receiver types of a call
	SiteChecked   Site = "checked"   // types at a type check, which may also see null
	SiteTargets   Site = "targets"   // targets of an indirect call
	SiteBranch    Site = "branch"    // the two ways of a branch
	SiteSwitch    Site = "switch"    // the ways of a switch
	SiteNull      Site = "null"      // whether a type check saw null
)

// OthersText describes the outcomes of a site that have no row.
func (s Site) OthersText() string {
	switch s {
	case SiteReceivers, SiteChecked:
		return outcomeWords[Others]
	case SiteTargets:
		return "other targets"
	}
	return "other ways"
}

// Trained iterates over the entries of a profile's data section as points. Counts are the trained ones. Outcomes have
// IDs but no names, and points have no shares. Each point is valid until the next iteration.
func Trained(q reader.Profile) iter.Seq2[reader.Entry, *Point] {
	return func(yield func(reader.Entry, *Point) bool) {
		t := trainedReaders.Get().(*trainedReader)
		defer trainedReaders.Put(t)
		r := &t.pointReader
		p := &t.point
		r.s = q.Store()
		for e := range q.Entries() {
			kind := pointKindOf(e)
			*p = Point{Point: e.Point(), Site: siteKindOf(e), NullSeen: sawNull(e), Outcomes: p.Outcomes[:0],
				PointDetails: PointDetails{Group: kind.group, RowNoun: kind.rows, BySchema: kind.read == nil},
				entry:        e, store: r.s}
			if !p.BySchema {
				r.addOutcomes(p, e)
			}
			if !yield(e, p) {
				return
			}
		}
	}
}

type trainedReader struct {
	pointReader
	point Point
}

// trainedReaders keeps the memory of outcomes for the next profile.
var trainedReaders = sync.Pool{New: func() any { return &trainedReader{pointReader: pointReader{trained: true}} }}

// A CellGroup holds consecutive cells of a point's entry, as the schema of its tag groups them. Lengths and
// displacements are left out.
type CellGroup struct {
	Name string // name of the rows; "" if Once
	Once bool
	List bool // every row is a single number
	Rows [][]Cell
}

// A Cell is a type, a method, text or a number in an entry.
type Cell struct {
	Name   string
	Full   string // Name and the row's number, as in "slot 3"
	Count  bool   // Value counts an outcome
	Type   *ValueType
	Method *MethodName // with Method "" if the cell has no method
	Text   string
	Value  uint64
	// Modified marks a Value with one bit per word of an argument; a set bit means that the method modifies the word.
	Modified bool
}

// Cells returns the cells of the point's entry. It reads the archive, so the store must still be open.
func (p *Point) Cells() (groups []CellGroup, err error) {
	r := &pointReader{s: p.store}
	for rows := range (*mapped.Mapping)(p.store.Mapping()).Shape().Groups(p.entry.Bytes()) {
		if rows.Repeat == disk.PerGap && rows.N == 0 {
			continue
		}
		g := CellGroup{Name: rows.Name, Once: rows.Repeat == disk.Once, Rows: make([][]Cell, rows.N)}
		g.List = !g.Once && len(rows.Cells) == 1 && !rows.HasPointers()
		for row := range rows.N {
			for i, spec := range rows.Cells {
				if spec.Kind != disk.CellLength && spec.Kind != disk.CellDisplacement {
					c := r.readCell(p.entry, rows.Cell(row, i), spec)
					c.setFullName(g.Once, row)
					g.Rows[row] = append(g.Rows[row], c)
				}
			}
		}
		groups = append(groups, g)
	}
	return groups, r.err
}

func (c *Cell) setFullName(once bool, row int) {
	switch {
	case once:
		c.Full = c.Name
	case c.Modified:
		c.Full = fmt.Sprintf("argument %d", row)
	default:
		c.Full = fmt.Sprintf("%s %d", c.Name, row)
	}
}

func (r *pointReader) readCell(e reader.Entry, at int, spec disk.CellSpec) Cell {
	c := Cell{Name: spec.Name, Count: spec.Kind == disk.CellCount, Value: e.Cell(at).Load()}
	switch signed := at == 0 && disk.Entry(e.Bytes()).SignedCount(); {
	case spec.Kind == disk.CellType || spec.Kind == disk.CellTypeWord:
		word := e.TypeCell(at)
		if spec.Kind == disk.CellType {
			word = reader.TypeWord{Type: word.Type}
		}
		t := r.readValueType(0, word)
		c.Type = &t
	case spec.Kind == disk.CellMethod:
		m, err := e.MethodCell(at)
		r.keepError(err)
		o := Outcome{Method: &MethodName{}}
		r.setMethod(&o, m)
		c.Method = o.Method
	case len(spec.Bits) > 0:
		c.Text = disk.BitNames(spec, c.Value)
	case spec.Kind == disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(c.Value)
		c.Text = fmt.Sprintf("%d (%d)", point, index)
	case spec.Kind == disk.CellFlags || signed:
		c.Modified = !signed
		c.Text = fmt.Sprint(int64(c.Value))
	}
	return c
}
