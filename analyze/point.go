package analyze

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/naming/entries"
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

	entry reader.Entry
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
	ID    uint64  `json:"-"` // the ordinal of Type, the value of Value, the cell of To, and Index+1 of Case
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
}

// A ValueType is the type of an argument or of a result.
type ValueType struct {
	Slot     int    `json:"slot"`           // of the stack, -1 of a result
	Type     string `json:"type,omitempty"` // "" if there was none
	Loader   string `json:"loader,omitempty"`
	Several  bool   `json:"several,omitempty"` // of several types
	NullSeen bool   `json:"null_seen,omitempty"`
}

// Entry returns the entry that the point was read from.
func (p *Point) Entry() reader.Entry { return p.entry }

// Points returns the points of a profile, in its order. It needs no code, and takes the
// profiles of all domains.
func Points(q reader.Profile) (points []Point, err error) {
	for _, section := range []layout.BlockSection{layout.SectionData, layout.SectionExtra} {
		list, err := Section(q, section)
		if err != nil {
			return nil, err
		}
		if section == layout.SectionExtra {
			list = slices.DeleteFunc(list, func(p Point) bool {
				return p.Traps == "" && p.entry.Tag() != layout.TagSpeculativeTrap
			})
			for i := range list {
				list[i].Extra = true
			}
		}
		points = append(points, list...)
	}
	return points, nil
}

// Section returns the entries of one section of a profile as points, in its order.
func Section(q reader.Profile, section layout.BlockSection) (points []Point, err error) {
	r := &pointReader{s: q.Store()}
	marks, err := r.s.Marks()
	if err != nil {
		return nil, err
	}
	for e := range q.Section(section) {
		points = append(points, r.point(e))
		if mark, ok := marks.At(q, e.Point()); ok && section == layout.SectionData {
			points[len(points)-1].Mark = &mark
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return points, nil
}

// A pointReader reads the points of a profile. It keeps the first error.
type pointReader struct {
	s       *reader.Store
	targets entries.Targets
	reasons *entries.TrapReasons // nil until needed
	trained bool                 // counts are the trained ones, and outcomes have no names
	err     error
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
	p := Point{Point: e.Point(), Kind: r.s.Mapping().Shape().TagName(e.Tag()), Site: siteOf(e),
		Outcomes: []Outcome{}, entry: e}
	if e.Traps() != 0 {
		p.Traps = r.trapReasons().At(e)
	}
	if schema, ok := disk.SchemaOf(e.Tag()); ok && int(e.Sub()) < len(schema.Subs) {
		p.Sub = schema.Subs[e.Sub()]
	}
	p.NullSeen = nullSeen(e)
	r.outcomes(&p, e)
	r.types(&p, e)
	for _, o := range p.Outcomes {
		if o.Kind != Failed {
			p.Count = disk.SaturatingAdd(p.Count, o.Count)
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
	p.Executed = true
	switch e.Tag() {
	case layout.TagBranch:
		b, _ := e.Branch()
		p.add(Outcome{Kind: Taken, Count: r.load(b.Taken)}, Outcome{Kind: NotTaken, Count: r.load(b.NotTaken)})
	case layout.TagJump:
		j, _ := e.Jump()
		p.add(Outcome{Kind: Taken, Count: r.load(j.Taken)})
	case layout.TagCounter, layout.TagCallType:
		p.add(Outcome{Kind: Call, Count: r.load(e.Cell(0))})
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType, layout.TagReceivers:
		r.receivers(p, e)
	case layout.TagMultiBranch:
		r.cases(p, e)
	case layout.TagRet, layout.TagSuccessors:
		r.successors(p, e)
	case layout.TagCallees:
		r.callees(p, e)
	case layout.TagValueSite:
		p.Executed = false
		r.values(p, e)
	default:
		p.Executed = false
		r.counts(p, e)
	}
}

func (p *Point) add(all ...Outcome) { p.Outcomes = append(p.Outcomes, all...) }

// receivers adds a type profile. That of a type check does not count every execution: it
// leaves out nulls, and some of the checks that failed.
func (r *pointReader) receivers(p *Point, e reader.Entry) {
	types, _ := e.Receivers()
	for row := range types.All() {
		name, loader := r.typeName(row.Type)
		p.add(Outcome{Kind: OfType, ID: uint64(row.Type.Ordinal()), Count: r.load(row.Count), Type: name, Loader: loader})
	}
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
		p.add(Outcome{Kind: Case, ID: uint64(i) + 1, Index: i, Count: r.load(rows.Cell(i, 0))})
	}
}

func (r *pointReader) successors(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	if e.Tag() == layout.TagRet {
		p.addSome(Others, r.load(rows.Head(0)))
	}
	for i := range rows.Len() {
		cell, count := r.load(rows.Cell(i, 0)), r.load(rows.Cell(i, 1))
		bci, index := disk.UnpackSuccessor(cell)
		if e.Tag() == layout.TagRet {
			index = 0
		}
		if e.Tag() != layout.TagRet || count > 0 {
			target := int(bci)
			p.add(Outcome{Kind: To, ID: cell, Target: &target, Index: int(index), Count: count})
		}
	}
}

func (r *pointReader) callees(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		o := Outcome{Kind: Call, Index: i, Count: r.load(rows.Cell(i, 1))}
		m, err := rows.Method(i)
		if r.fail(err); m.Valid() {
			name, err := NameOf(r.s, m)
			r.fail(err)
			o.Method = &name
		}
		p.add(o)
	}
}

func (r *pointReader) values(p *Point, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		v := r.load(rows.Cell(i, 0))
		o := Outcome{Kind: Value, ID: v, Index: i, Count: r.load(rows.Cell(i, 1))}
		if r.trained {
			p.add(o)
			continue
		}
		if e.Sub() == layout.SubMemOpSize {
			o.Text = fmt.Sprintf("%d bytes", v)
		} else {
			text, err := r.targets.Text(r.s, e.Sub(), v)
			r.fail(err)
			o.Text = text
		}
		p.add(o)
	}
}

// counts adds the counts of an entry as the schema of its tag lists them. A bitmap counts its bits.
func (r *pointReader) counts(p *Point, e reader.Entry) {
	if b, ok := e.Bitmap(); ok {
		set := 0
		for _, v := range b {
			set += bits.OnesCount8(v)
		}
		p.add(Outcome{Kind: Value, Count: uint64(set), Text: fmt.Sprintf("%d of %d bits set", set, 8*len(b))})
		return
	}
	i := 0
	for cell := range r.s.Mapping().Shape().Counts(e.Bytes()) {
		p.add(Outcome{Kind: Events, Index: i, Count: r.load(e.Cell(cell))})
		i++
	}
	if m, err := trapMethod(e); m.Valid() || err != nil {
		r.fail(err)
		name, err := NameOf(r.s, m)
		r.fail(err)
		p.add(Outcome{Kind: Value, Text: "speculative trap", Method: &name})
	}
}

// trapMethod returns the method of a speculative trap.
func trapMethod(e reader.Entry) (m reader.Method, err error) {
	if e.Tag() != layout.TagSpeculativeTrap {
		return m, nil
	}
	return e.Trap()
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
