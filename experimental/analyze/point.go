package analyze

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Point is one entry of a profile. It has the outcomes that the producer counted at a bytecode or site.
type Point struct {
	Point int32  `json:"point"` // bytecode index for Java, else the number that the producer gave the point
	Kind  string `json:"kind"`  // name of the entry's tag, such as "Branch"
	Sub   string `json:"sub,omitempty"`
	Site  Site   `json:"-"` // "" if compilers make no guess from this point
	// Count adds up the outcomes other than Failed. If Executed is set, it equals the number of times the bytecode ran.
	Count    uint64    `json:"count"`
	Executed bool      `json:"executed"`
	Outcomes []Outcome `json:"outcomes"`
	Traps    string    `json:"traps,omitempty"` // reasons for which compiled code was left here, in the VM's spelling
	NullSeen bool      `json:"null_seen,omitempty"`
	// Mark is not nil if the counts come from other code and were moved here.
	Mark *disk.Mark `json:"moved,omitempty"`
	// Extra marks the record of a trap that may be at the bytecode of another point.
	Extra bool `json:"extra,omitempty"`
	// Types lists the types of a call's arguments and result.
	Types []ValueType `json:"types,omitempty"`
	// PointDetails are for programs that print points.
	PointDetails `json:"-"`

	entry reader.Entry
	store *reader.Store
}

// PointDetails describe a point in words, with facts that the JSON leaves out and evaluations do not need.
type PointDetails struct {
	Title    string // Kind, followed by Sub if the outcomes do not name it
	About    string // description of this kind of point in a few words; "" for a producer's own tag
	SubWords string // Sub in words; "kind 7" for an undefined number; "" if the tag has no subs
	RowNoun  string // plural noun for the outcomes if all are rows of one kind, such as "successors"; else ""
	// Bytecode is the kind of bytecode at the point: "call", "check", "call or check", "jump", "branch", "switch" or
	// "ret"; "" if the tag does not tell.
	Bytecode string
	// Group is equal for tags that record the same in different forms, as "types" does for receiver types. Entries with
	// the same group, Sub and point number count the same thing. It is "" if the point has no counts or only a schema.
	Group string
	// CountsRest reports whether the entry also counts objects or returns without a row. At most one of the outcomes
	// Others, Untyped and Failed then exists, and none if that count is 0.
	CountsRest  bool
	looked      float64           // sum of all outcomes but Failed and Unlooked
	Interpreted bool              // the producer's interpreter counted it
	BySchema    bool              // only the schema of the tag is known, see [Point.Cells]
	Guess       bool              // deoptimized after a wrong guess about the method in the only outcome
	Bits        []byte            // the bitmap of a Bitmap entry
	OwnFlags    layout.EntryFlags // flags of an entry with a producer's own tag
	// Undecoded is the HotSpot tag of the first entry that could not be decoded, 0 if all could. OneOf reports whether
	// the words after it come from a single one of several merged runs.
	Undecoded layout.Tag
	OneOf     bool
}

// A Kind is a kind of outcome.
type Kind string

// The kinds of outcomes. Each comment ends with the fields of [Outcome] that are set.
const (
	Taken    Kind = "taken"     // a branch or jump was taken; Target
	NotTaken Kind = "not taken" // a branch was not taken; Target
	Case     Kind = "case"      // a case of a switch; Index, Label, Target
	Default  Kind = "default"   // the default of a switch; Target
	To       Kind = "to"        // control continued at Target
	OfType   Kind = "type"      // an object of a type; Type, Loader
	Others   Kind = "others"    // objects of further types, when all rows were in use
	Untyped  Kind = "untyped"   // objects without a recorded type
	Unlooked Kind = "unlooked"  // objects that HotSpot calls not profiled
	Failed   Kind = "failed"    // type checks that failed
	Call     Kind = "call"      // a call; Method if the callee is known
	Value    Kind = "value"     // a value or function; Text
	Events   Kind = "events"    // executions, or the events that the point's Sub names; Index if there are several
)

// An Outcome is one counted event of a point.
type Outcome struct {
	Kind  Kind    `json:"kind"`
	ID    uint64  `json:"-"` // ordinal of Type, value of Value, cell of To and Call, or Index+1 of Case
	Count uint64  `json:"count"`
	Share float64 `json:"share"` // Count divided by the Count of the point
	// Type and Loader are set for OfType. Type is java/lang/String or [I, and Loader is "" for the boot loader.
	Type   string      `json:"type,omitempty"`
	Loader string      `json:"loader,omitempty"`
	Method *MethodName `json:"method,omitempty"`
	Target *int        `json:"target,omitempty"` // bytecode index
	Index  int         `json:"index,omitempty"`  // index among outcomes of this kind, from 0
	Label  *int32      `json:"label,omitempty"`  // label of the case; nil if the code is unknown
	Text   string      `json:"text,omitempty"`

	Row bool `json:"-"` // the outcome is a row of a list
	// Callee is the record of Method, or of the function that Text names. It is invalid if the archive has no such record.
	Callee reader.Method `json:"-"`
	event  string        // noun of the counted events
}

// What describes an outcome without a type or method in words, such as "taken" or "other types". If the outcome has a
// Type, Method or Text, print that instead.
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

var outcomeWords = map[Kind]string{
	To: "went on", Others: "other types", Untyped: "types that were not recorded", Unlooked: "not profiled",
	Failed: "checks that failed", Call: "calls", OfType: "no type",
}

// A ValueType is the recorded type of an argument or result.
type ValueType struct {
	Slot     int    `json:"slot"`           // slot on the operand stack, -1 for the result
	Type     string `json:"type,omitempty"` // "" if no type was recorded
	Loader   string `json:"loader,omitempty"`
	Several  bool   `json:"several,omitempty"` // several types were seen
	NullSeen bool   `json:"null_seen,omitempty"`
}

// A PointReader reads the points of profiles of one archive, of any domain. The zero value is ready for use. It caches
// names and marks from profile to profile.
type PointReader struct{ pointReader }

// Points returns the points of a profile in its order, followed by the traps at bytecodes.
func (r *PointReader) Points(q reader.Profile) (points []Point, err error) {
	points, err = r.Section(q, disk.SectionData)
	if err != nil {
		return nil, err
	}
	extra, err := r.Section(q, disk.SectionExtra)
	for i := range extra {
		if p := &extra[i]; p.Traps != "" || p.Guess {
			p.Extra = true
			points = append(points, *p)
		}
	}
	return points, err
}

// Section returns the entries of one section of a profile as points, in its order.
func (r *PointReader) Section(q reader.Profile, section disk.BlockSection) (points []Point, err error) {
	r.s = q.Store()
	if section == disk.SectionData && !r.marksRead {
		moved, failure := r.s.TableOrEmpty(disk.TableMoved)
		r.marks = disk.ParseMarks(moved.Rows, moved.Cell)
		r.marksRead = true
		err = failure
	}
	for e := range q.Section(section) {
		points = append(points, r.readPoint(e))
		if mark, ok := r.marks.At(q.Bytes(), e.Point()); ok && section == disk.SectionData {
			points[len(points)-1].Mark = &mark
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return points, err
}

type pointReader struct {
	s         *reader.Store
	targets   entries.Targets
	reasons   *entries.TrapReasons // read on first use
	marks     disk.Marks
	marksRead bool
	trained   bool // read trained counts, and leave out names
	err       error
}

func (r *pointReader) loadCounter(c reader.Counter) uint64 {
	if r.trained {
		return c.Trained()
	}
	return c.Load()
}

func (r *pointReader) trapReasons() *entries.TrapReasons {
	if r.reasons == nil {
		reasons, err := entries.TrapReasonsOf(r.s)
		r.keepError(err)
		r.reasons = &reasons
	}
	return r.reasons
}

func (r *pointReader) keepError(err error) { r.err = cmp.Or(r.err, err) }

func (r *pointReader) readPoint(e reader.Entry) Point {
	p := Point{Point: e.Point(), Site: siteKindOf(e), Outcomes: []Outcome{}, entry: e, store: r.s}
	p.describeKind(r.s, e)
	if e.Traps() != 0 {
		p.Traps = r.trapReasons().Text(e.Traps(), p.Bytecode == "branch" || p.Bytecode == "switch")
	}
	r.addOutcomes(&p, e)
	r.addValueTypes(&p, e)
	whole := 0.0 // does not saturate, as Count does
	for _, o := range p.Outcomes {
		if o.Kind == Failed {
			continue
		}
		p.Count = disk.SaturatingAdd(p.Count, o.Count)
		whole += float64(o.Count)
		if o.Kind != Unlooked {
			p.looked += float64(o.Count)
		}
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.Kind != Failed && p.Count > 0 {
			o.Share = float64(o.Count) / whole
		}
	}
	return p
}

// LookedShare returns the share of an outcome in all executions without the Unlooked outcome.
func (p *Point) LookedShare(o *Outcome) float64 {
	if p.looked == 0 {
		return 0
	}
	return float64(o.Count) / p.looked
}

func (r *pointReader) addOutcomes(p *Point, e reader.Entry) {
	kind := pointKindOf(e)
	p.Executed = kind.executed
	if kind.read != nil {
		kind.read(r, p, e)
	} else {
		r.addSchemaCounts(p)
	}
}

func (p *Point) addOutcome(all ...Outcome) { p.Outcomes = append(p.Outcomes, all...) }

func (r *pointReader) addNothing(*Point, reader.Entry) {}

func (r *pointReader) addBranch(p *Point, e reader.Entry) {
	b, _ := e.Branch()
	p.addOutcome(Outcome{Kind: Taken, Count: r.loadCounter(b.Taken)},
		Outcome{Kind: NotTaken, Count: r.loadCounter(b.NotTaken)})
}

func (r *pointReader) addJump(p *Point, e reader.Entry) {
	p.addOutcome(Outcome{Kind: Taken, Count: r.loadCounter(e.Cell(0))})
}

func (r *pointReader) addCalls(p *Point, e reader.Entry) {
	p.addOutcome(Outcome{Kind: Call, Count: r.loadCounter(e.Cell(0))})
}

// addReceivers adds a type profile. The profile of a type check omits nulls and some failed checks.
func (r *pointReader) addReceivers(p *Point, e reader.Entry) {
	types, _ := e.Receivers()
	for row := range types.All() {
		name, loader := r.typeAndLoader(row.Type)
		p.addOutcome(
			Outcome{Kind: OfType, ID: uint64(row.Type.Ordinal()), Count: r.loadCounter(row.Count), Type: name, Loader: loader,
				Row: true},
		)
	}
	p.CountsRest = true
	kind, unlisted := r.unlisted(e, types)
	if kind != Failed {
		p.addIfCounted(kind, unlisted)
	}
	if gap, ok := types.Gap(); ok {
		p.addIfCounted(Unlooked, r.loadCounter(gap))
	}
	if kind == Failed {
		p.addIfCounted(Failed, unlisted)
	}
	p.Executed = !disk.Entry(e.Bytes()).SignedCount()
}

// unlisted returns the count of receivers that found no row, and what it counts. If a row is free, they are
// Untyped: HotSpot records no type for calls whose target it knows, or if TypeProfileWidth is 0. If the VM counts
// failed type checks down, a negative count is the number of failed checks, or less if all rows are taken.
// The rows of a wide entry do not tell how many the VM had.
func (r *pointReader) unlisted(e reader.Entry, types reader.Receivers) (kind Kind, n uint64) {
	n = r.loadCounter(types.Other())
	if disk.Entry(e.Bytes()).SignedCount() && int64(n) < 0 {
		return Failed, -n
	}
	taken := 0
	for range types.All() {
		taken++
	}
	if taken >= max(1, (*mapped.Mapping)(r.s.Mapping()).Shape().TypeRows) {
		return Others, n
	}
	return Untyped, n
}

func (p *Point) addIfCounted(k Kind, n uint64) {
	if n > 0 {
		p.addOutcome(Outcome{Kind: k, Count: n})
	}
}

func (r *pointReader) addCases(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	p.addOutcome(Outcome{Kind: Default, Count: r.loadCounter(rows.Head(0))})
	for i := range rows.Len() {
		p.addOutcome(Outcome{Kind: Case, ID: uint64(i) + 1, Index: i, Count: r.loadCounter(rows.Cell(i, 0)), Row: true})
	}
}

func (r *pointReader) addReturns(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	p.CountsRest = true
	p.addIfCounted(Others, r.loadCounter(rows.Head(0)))
	for i := range rows.Len() {
		cell := r.loadCounter(rows.Cell(i, 0))
		bci, _ := disk.UnpackSuccessor(cell)
		if n := r.loadCounter(rows.Cell(i, 1)); n > 0 {
			target := int(bci)
			p.addOutcome(Outcome{Kind: To, ID: cell, Target: &target, Count: n, Row: true})
		}
	}
}

func (r *pointReader) addSuccessors(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		cell := r.loadCounter(rows.Cell(i, 0))
		bci, index := disk.UnpackSuccessor(cell)
		target := int(bci)
		p.addOutcome(
			Outcome{Kind: To, ID: cell, Target: &target, Index: int(index), Count: r.loadCounter(rows.Cell(i, 1)), Row: true},
		)
	}
}

func (r *pointReader) addCallees(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		o := Outcome{Kind: Call, ID: r.loadCounter(rows.Cell(i, 0)), Index: i, Count: r.loadCounter(rows.Cell(i, 1)),
			Row: true}
		m, err := rows.Method(i)
		r.keepError(err)
		r.setMethod(&o, m)
		p.addOutcome(o)
	}
}

func (r *pointReader) setMethod(o *Outcome, m reader.Method) {
	o.Callee = m
	if !m.Valid() || r.trained {
		return
	}
	name, err := NameOf(r.s, m)
	r.keepError(err)
	o.Method = &name
}

func (r *pointReader) addValues(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		o := Outcome{Kind: Value, ID: r.loadCounter(rows.Cell(i, 0)), Index: i, Count: r.loadCounter(rows.Cell(i, 1)),
			Row: true}
		if !r.trained {
			r.setTarget(&o, e.Sub())
		}
		p.addOutcome(o)
	}
}

func (r *pointReader) setTarget(o *Outcome, sub layout.Sub) {
	if sub == layout.SubMemOpSize {
		o.Text = fmt.Sprintf("%d bytes", o.ID)
		return
	}
	var err error
	o.Text, o.Callee, err = r.targets.Find(r.s, sub, o.ID)
	r.keepError(err)
}

func (r *pointReader) addCounters(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	p.Outcomes = slices.Grow(p.Outcomes, rows.Len())
	for i := range rows.Len() {
		p.addOutcome(Outcome{Kind: Events, Index: i, Count: r.loadCounter(rows.Cell(i, 0)), Row: true})
	}
}

func (r *pointReader) addCount(p *Point, e reader.Entry) {
	p.addOutcome(Outcome{Kind: Events, Count: r.loadCounter(e.Cell(0)), event: p.SubWords})
}

func (r *pointReader) addBitmap(p *Point, e reader.Entry) {
	p.Bits, _ = e.Bitmap()
	set := 0
	for _, v := range p.Bits {
		set += bits.OnesCount8(v)
	}
	p.addOutcome(Outcome{Kind: Value, Count: uint64(set), Text: fmt.Sprintf("%d of %d bits set", set, 8*len(p.Bits))})
}

func (r *pointReader) addSpeculation(p *Point, e reader.Entry) {
	p.Guess = true
	o := Outcome{Kind: Value, Text: "speculative trap"}
	m, err := e.Trap()
	r.keepError(err)
	if r.setMethod(&o, m); o.Method != nil {
		p.addOutcome(o)
	}
}

func (r *pointReader) addSchemaCounts(p *Point) {
	groups, err := p.Cells()
	r.keepError(err)
	i := 0
	for _, g := range groups {
		for _, cells := range g.Rows {
			for _, c := range cells {
				if c.Count {
					p.addOutcome(Outcome{Kind: Events, Index: i, Count: c.Value, event: c.Full})
					i++
				}
			}
		}
	}
}

func (r *pointReader) typeAndLoader(t reader.Type) (name, loader string) {
	if !t.Valid() || r.trained {
		return "", ""
	}
	n, err := t.Name()
	r.keepError(err)
	l, err := t.Loader()
	r.keepError(err)
	return n.String(), l.String()
}

func (r *pointReader) addValueTypes(p *Point, e reader.Entry) {
	list, ok := e.Types()
	if !ok {
		return
	}
	for i := range list.Args() {
		slot, word := list.Arg(i)
		p.Types = append(p.Types, r.readValueType(int(slot), word))
	}
	if word, ok := list.Return(); ok {
		p.Types = append(p.Types, r.readValueType(-1, word))
	}
}

func (r *pointReader) readValueType(slot int, w reader.TypeWord) ValueType {
	name, loader := r.typeAndLoader(w.Type)
	return ValueType{slot, name, loader, w.Unknown, w.NullSeen}
}
