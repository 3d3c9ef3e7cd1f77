package analyze

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Point is what a profile recorded at one of its points.
type Point struct {
	Point int32  `json:"point"` // the bci in domains of Java; a number of LLVM's otherwise
	Kind  string `json:"kind"`  // the name of the entry's tag, as in "Branch"
	Sub   string `json:"sub,omitempty"`
	Site  Site   `json:"-"` // "" if compilers guess nothing there
	// Count is the sum of the outcomes, without type checks that failed. Executed says
	// that it is how often the bytecode was executed.
	Count    uint64    `json:"count"`
	Executed bool      `json:"executed"`
	Outcomes []Outcome `json:"outcomes"`
	Traps    string    `json:"traps,omitempty"` // why compiled code was left here, as the VM names it
	NullSeen bool      `json:"null_seen,omitempty"`
	// Mark says that the counts were counted in other code; nil if not.
	Mark  *reader.Mark `json:"moved,omitempty"`
	Extra bool         `json:"extra,omitempty"` // a trap at a bytecode, which may have another point
	// Types are the types of a call's arguments and result.
	Types []ValueType `json:"types,omitempty"`

	Title    string `json:"-"` // Kind, with Sub where the outcomes do not name it
	About    string `json:"-"` // what such points are, in a few words; "" of a producer's
	SubWords string `json:"-"` // Sub in words; "kind 7" if 7 has no meaning, "" if such points have no Sub
	RowNoun  string `json:"-"` // what the outcomes are, if they are all rows of one kind: "successors"
	// Bytecode says at which bytecodes such points stand: "call", "check", "call or check", "jump",
	// "branch", "switch" or "ret"; "" if at any.
	Bytecode string `json:"-"`
	// Group says which points record the same in whatever form: points of one group, Sub and
	// number are of one thing. It is "" of points that have no counts, or are known by their schema alone.
	Group string `json:"-"`
	// CountsRest says that it also counts what has no row: of Others, Untyped and Failed, one
	// outcome at most, and none if that is 0.
	CountsRest bool `json:"-"`
	// Looked is Count without the objects that HotSpot did not look at.
	Looked      uint64 `json:"-"`
	Interpreted bool   `json:"-"` // the producer counted it in its interpreter
	BySchema    bool   `json:"-"` // no more is known of such points than their cells: see Cells
	Bits        []byte `json:"-"` // of a bitmap
	// OwnFlags are the flags of a producer's entry, whose meaning it alone knows.
	OwnFlags layout.EntryFlags `json:"-"`
	// Undecoded is HotSpot's tag of the entry from which on the VM's words were not decoded,
	// 0 if they were. OneOf says that they are the words of one of several runs.
	Undecoded layout.Tag `json:"-"`
	OneOf     bool       `json:"-"`
	// Guess says that compiled code was left because a guess about a method was wrong. The
	// method is the only outcome, if the VM recorded it.
	Guess bool `json:"-"`

	entry reader.Entry
	store *reader.Store
}

// A Kind says what an outcome is.
type Kind string

// The kinds of outcomes.
const (
	Taken    Kind = "taken"     // a branch or jump was taken; Target
	NotTaken Kind = "not taken" // a branch was not taken; Target
	Case     Kind = "case"      // a case of a switch; Index, Label, Target
	Default  Kind = "default"   // the default of a switch; Target
	To       Kind = "to"        // went on at Target
	OfType   Kind = "type"      // an object of Type
	Others   Kind = "others"    // objects of further types: all rows were taken
	Untyped  Kind = "untyped"   // objects whose types were not recorded
	Unlooked Kind = "unlooked"  // objects that HotSpot calls not profiled
	Failed   Kind = "failed"    // type checks that failed
	Call     Kind = "call"      // a call; of Method if it is not nil
	Value    Kind = "value"     // a value or function, by Text
	Events   Kind = "events"    // executions, or what Sub of the point says; Index of several
)

// An Outcome is one of the things that a point counts.
type Outcome struct {
	Kind  Kind    `json:"kind"`
	ID    uint64  `json:"-"` // the ordinal of Type, the value of Value, the cell of To and of Call, and Index+1 of Case
	Count uint64  `json:"count"`
	Share float64 `json:"share"` // of the point's count
	// Type and Loader belong to OfType: java/lang/String or [I, and "" for the boot loader.
	Type   string      `json:"type,omitempty"`
	Loader string      `json:"loader,omitempty"`
	Method *MethodName `json:"method,omitempty"`
	Target *int        `json:"target,omitempty"` // bci
	Index  int         `json:"index,omitempty"`  // of several, from 0
	Label  *int32      `json:"label,omitempty"`  // of the case, if the code is known
	Text   string      `json:"text,omitempty"`

	Row bool `json:"-"` // it is one of the rows of a list
	// Callee is the record of Method, or of the function that Text names. It may be invalid.
	Callee reader.Method `json:"-"`
	event  string        // what Events counts
}

// What returns the outcome in words, without its type, method or target.
func (o *Outcome) What() string {
	switch o.Kind {
	case Case:
		if o.Label != nil {
			return fmt.Sprintf("label %d", *o.Label)
		}
		return fmt.Sprintf("case index %d", o.Index)
	case Events:
		return cmp.Or(o.event, fmt.Sprintf("count %d", o.Index))
	case Value:
		return o.Text
	}
	return cmp.Or(outcomeWords[o.Kind], string(o.Kind))
}

// outcomeWords are the kinds of outcomes in words, where they are not the words in JSON.
var outcomeWords = map[Kind]string{
	To: "went on", Others: "other types", Untyped: "types that were not recorded", Unlooked: "not profiled",
	Failed: "checks that failed", Call: "calls", OfType: "no type",
}

// A ValueType is the type of an argument or of a result.
type ValueType struct {
	Slot     int    `json:"slot"`           // of the stack, -1 of a result
	Type     string `json:"type,omitempty"` // "" if there was none
	Loader   string `json:"loader,omitempty"`
	Several  bool   `json:"several,omitempty"` // of several types
	NullSeen bool   `json:"null_seen,omitempty"`
}

// A PointReader reads the points of the profiles of one archive. It needs no code, and takes the
// profiles of all domains. The zero PointReader is ready; names and marks that it reads once
// serve for all profiles.
type PointReader struct{ pointReader }

// Points returns the points of a profile, in its order: its data, and the traps at bytecodes.
func (r *PointReader) Points(q reader.Profile) (points []Point, err error) {
	points, err = r.Section(q, layout.SectionData)
	if err != nil {
		return nil, err
	}
	extra, err := r.Section(q, layout.SectionExtra)
	for i := range extra {
		if p := &extra[i]; p.Traps != "" || p.Guess {
			p.Extra = true
			points = append(points, *p)
		}
	}
	return points, err
}

// Section returns the entries of one section of a profile as points, in its order.
func (r *PointReader) Section(q reader.Profile, section layout.BlockSection) (points []Point, err error) {
	r.s = q.Store()
	if section == layout.SectionData && !r.marksRead {
		r.marks, err = r.s.Marks()
		r.marksRead = true
	}
	for e := range q.Section(section) {
		points = append(points, r.point(e))
		if mark, ok := r.marks.At(q, e.Point()); ok && section == layout.SectionData {
			points[len(points)-1].Mark = &mark
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return points, err
}

// A pointReader reads the points of a profile. It keeps the first error.
type pointReader struct {
	s         *reader.Store
	targets   entries.Targets
	reasons   *entries.TrapReasons // nil until needed
	marks     reader.Marks
	marksRead bool
	trained   bool // counts are the trained ones, and outcomes have no names
	err       error
}

// load returns a count.
func (r *pointReader) load(c reader.Counter) uint64 {
	if r.trained {
		return c.Trained()
	}
	return c.Load()
}

func (r *pointReader) trapReasons() *entries.TrapReasons {
	if r.reasons == nil {
		reasons, err := entries.TrapReasonsOf(r.s)
		r.fail(err)
		r.reasons = &reasons
	}
	return r.reasons
}

func (r *pointReader) fail(err error) { r.err = cmp.Or(r.err, err) }

// point reads an entry.
func (r *pointReader) point(e reader.Entry) Point {
	p := Point{Point: e.Point(), Site: siteOf(e), Outcomes: []Outcome{}, entry: e, store: r.s}
	p.describe(r.s, e)
	if e.Traps() != 0 {
		p.Traps = r.trapReasons().Text(e.Traps(), p.Bytecode == "branch" || p.Bytecode == "switch")
	}
	r.outcomes(&p, e)
	r.types(&p, e)
	for _, o := range p.Outcomes {
		if o.Kind != Failed {
			p.Count = disk.SaturatingAdd(p.Count, o.Count)
		}
		if o.Kind != Failed && o.Kind != Unlooked {
			p.Looked = disk.SaturatingAdd(p.Looked, o.Count)
		}
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.Kind != Failed && p.Count > 0 {
			o.Share = float64(o.Count) / float64(p.Count)
		}
	}
	return p
}

// outcomes adds what an entry counts.
func (r *pointReader) outcomes(p *Point, e reader.Entry) {
	kind := kindOf(e)
	p.Executed = kind.executed
	if kind.read != nil {
		kind.read(r, p, e)
	} else {
		r.counts(p)
	}
}

func (p *Point) add(all ...Outcome) { p.Outcomes = append(p.Outcomes, all...) }

// nothing adds nothing: such points count nothing.
func (r *pointReader) nothing(*Point, reader.Entry) {}

func (r *pointReader) branch(p *Point, e reader.Entry) {
	b, _ := e.Branch()
	p.add(Outcome{Kind: Taken, Count: r.load(b.Taken)}, Outcome{Kind: NotTaken, Count: r.load(b.NotTaken)})
}

func (r *pointReader) jump(p *Point, e reader.Entry) {
	p.add(Outcome{Kind: Taken, Count: r.load(e.Cell(0))})
}

func (r *pointReader) calls(p *Point, e reader.Entry) {
	p.add(Outcome{Kind: Call, Count: r.load(e.Cell(0))})
}

// receivers adds a type profile. That of a type check does not count every execution: it
// leaves out nulls, and some of the checks that failed.
func (r *pointReader) receivers(p *Point, e reader.Entry) {
	types, _ := e.Receivers()
	for row := range types.All() {
		name, loader := r.typeName(row.Type)
		p.add(Outcome{Kind: OfType, ID: uint64(row.Type.Ordinal()), Count: r.load(row.Count), Type: name, Loader: loader,
			Row: true})
	}
	p.CountsRest = true
	unlisted := types.Unlisted(r.load(types.Other()))
	p.addSome(Others, unlisted.Types)
	p.addSome(Untyped, unlisted.Untyped)
	if gap, ok := types.Gap(); ok {
		p.addSome(Unlooked, r.load(gap))
	}
	p.addSome(Failed, unlisted.Failed)
	p.Executed = !disk.Entry(e.Bytes()).SignedCount()
}

// addSome adds an outcome if it has a count.
func (p *Point) addSome(k Kind, n uint64) {
	if n > 0 {
		p.add(Outcome{Kind: k, Count: n})
	}
}

func (r *pointReader) cases(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	p.add(Outcome{Kind: Default, Count: r.load(rows.Head(0))})
	for i := range rows.Len() {
		p.add(Outcome{Kind: Case, ID: uint64(i) + 1, Index: i, Count: r.load(rows.Cell(i, 0)), Row: true})
	}
}

// returns adds where subroutines returned to. Free rows have no count.
func (r *pointReader) returns(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	p.CountsRest = true
	p.addSome(Others, r.load(rows.Head(0)))
	for i := range rows.Len() {
		cell := r.load(rows.Cell(i, 0))
		bci, _ := disk.UnpackSuccessor(cell)
		if n := r.load(rows.Cell(i, 1)); n > 0 {
			target := int(bci)
			p.add(Outcome{Kind: To, ID: cell, Target: &target, Count: n, Row: true})
		}
	}
}

func (r *pointReader) successors(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		cell := r.load(rows.Cell(i, 0))
		bci, index := disk.UnpackSuccessor(cell)
		target := int(bci)
		p.add(Outcome{Kind: To, ID: cell, Target: &target, Index: int(index), Count: r.load(rows.Cell(i, 1)), Row: true})
	}
}

func (r *pointReader) callees(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		o := Outcome{Kind: Call, ID: r.load(rows.Cell(i, 0)), Index: i, Count: r.load(rows.Cell(i, 1)), Row: true}
		m, err := rows.Method(i)
		r.fail(err)
		r.name(&o, m)
		p.add(o)
	}
}

// name sets the method of an outcome, if it has one.
func (r *pointReader) name(o *Outcome, m reader.Method) {
	o.Callee = m
	if !m.Valid() || r.trained {
		return
	}
	name, err := NameOf(r.s, m)
	r.fail(err)
	o.Method = &name
}

func (r *pointReader) values(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		o := Outcome{Kind: Value, ID: r.load(rows.Cell(i, 0)), Index: i, Count: r.load(rows.Cell(i, 1)), Row: true}
		if !r.trained {
			r.nameValue(&o, e.Sub())
		}
		p.add(o)
	}
}

func (r *pointReader) nameValue(o *Outcome, sub layout.Sub) {
	if sub == layout.SubMemOpSize {
		o.Text = fmt.Sprintf("%d bytes", o.ID)
		return
	}
	var err error
	o.Text, o.Callee, err = r.targets.Find(r.s, sub, o.ID)
	r.fail(err)
}

func (r *pointReader) counters(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		p.add(Outcome{Kind: Events, Index: i, Count: r.load(rows.Cell(i, 0)), Row: true})
	}
}

func (r *pointReader) count(p *Point, e reader.Entry) {
	p.add(Outcome{Kind: Events, Count: r.load(e.Cell(0)), event: p.SubWords})
}

// bitmap counts the bits that are set.
func (r *pointReader) bitmap(p *Point, e reader.Entry) {
	p.Bits, _ = e.Bitmap()
	set := 0
	for _, v := range p.Bits {
		set += bits.OnesCount8(v)
	}
	p.add(Outcome{Kind: Value, Count: uint64(set), Text: fmt.Sprintf("%d of %d bits set", set, 8*len(p.Bits))})
}

// speculation adds the method that a guess was about.
func (r *pointReader) speculation(p *Point, e reader.Entry) {
	p.Guess = true
	o := Outcome{Kind: Value, Text: "speculative trap"}
	m, err := e.Trap()
	r.fail(err)
	if r.name(&o, m); o.Method != nil {
		p.add(o)
	}
}

// counts adds the counts of an entry as the schema of its tag lists them.
func (r *pointReader) counts(p *Point) {
	groups, err := p.Cells()
	r.fail(err)
	i := 0
	for _, g := range groups {
		for _, cells := range g.Rows {
			for _, c := range cells {
				if c.Count {
					p.add(Outcome{Kind: Events, Index: i, Count: c.Value, event: c.Full})
					i++
				}
			}
		}
	}
}

func (r *pointReader) typeName(t reader.Type) (name, loader string) {
	if !t.Valid() || r.trained {
		return "", ""
	}
	n, err := t.Name()
	r.fail(err)
	l, err := t.Loader()
	r.fail(err)
	return n.String(), l.String()
}

// types adds the types of arguments and of the result.
func (r *pointReader) types(p *Point, e reader.Entry) {
	list, ok := e.Types()
	if !ok {
		return
	}
	for i := range list.Args() {
		slot, word := list.Arg(i)
		p.Types = append(p.Types, r.valueType(int(slot), word))
	}
	if word, ok := list.Return(); ok {
		p.Types = append(p.Types, r.valueType(-1, word))
	}
}

func (r *pointReader) valueType(slot int, w reader.TypeWord) ValueType {
	name, loader := r.typeName(w.Type)
	return ValueType{slot, name, loader, w.Unknown, w.NullSeen}
}
