package hotspot

import (
	"fmt"
	"math"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

type textBuild struct {
	parse.VMNames
	codes  *parse.Codes
	shape  disk.Shape
	report *codec.Report
	types  []builder.TypeRef // types by typeID - 1
	seen   map[layout.Key]int
}

// buildArchive adds the profiles of a text to a new builder, with the settings found in the text.
func (d *textDump) buildArchive(in *codec.Input, codes *parse.Codes, report *codec.Report) error {
	for i := range d.methods {
		d.methods[i].markExtraEntries()
	}
	b := &textBuild{codes: codes, shape: d.inferShape(report), report: report, seen: map[layout.Key]int{}}
	config := in.Config
	config.Params.TypeProfileWidth = uint32(b.shape.TypeRows)
	config.Params.BciProfileWidth = uint32(b.shape.BciRows)
	config.Params.ReceiverGap = uint32(b.shape.Gap)
	b.Builder = builder.New(layout.DomainHotSpot, config)
	b.Hidden = javanames.CanonicalHidden(d.classNames())
	report.Dumps = []*builder.Builder{b.Builder}
	report.Facts = map[string]any{
		"dialect": d.dialect.String(), "hidden_classes": len(b.Hidden), "other_lines": d.otherLines,
	}
	for _, spelling := range d.types.list {
		name, _ := javanames.FromPrinted(spelling)
		b.types = append(b.types, b.InternType(name, ""))
	}
	for i := range d.methods {
		p := b.addMethod(&d.methods[i])
		if err := p.Done(); err != nil {
			return fmt.Errorf("line %d: %w", d.methods[i].place.Line, err)
		}
		if !in.Unordered {
			b.Internal().Table(disk.TableOrder, 0, disk.ColumnProfile).Row(uint64(p.Internal().Ref()))
		}
	}
	b.addProperties(d)
	return b.Err()
}

func (d *textDump) classNames() map[string]bool {
	classes := map[string]bool{}
	for _, m := range d.methods {
		classes[m.class] = true
		for _, e := range m.entries {
			for _, t := range e.traps {
				classes[t.class] = true
			}
		}
	}
	for _, spelling := range d.types.list {
		name, _ := javanames.FromPrinted(spelling)
		classes[javanames.ElementClass(name)] = true
	}
	return classes
}

// addProperties records what an [Exporter] needs to reproduce the text.
func (b *textBuild) addProperties(d *textDump) {
	b.Internal().AddProperty(PropertyDialect, d.dialect.String())
	if d.plain {
		b.Internal().AddProperty(PropertyReasons, plainReasons)
	}
	var sum uint64
	for _, m := range d.methods {
		sum += uint64(m.size)
	}
	if !d.hasTotal {
		if b.report.Salvaged == "" {
			b.report.Lost.Add(LossEnd, 1)
		}
		return
	}
	if sum != d.total {
		b.Internal().AddProperty(PropertyTotal, strconv.FormatUint(d.total, 10))
	}
	switch {
	case sum < d.total:
		b.report.Lost.Add(LossFront, int(d.total-sum))
	case sum > d.total:
		b.report.Lost.Add(LossMixed, int(sum-d.total))
	}
}

// distinctKey returns the key of a method, with a loader if the text repeats the method.
func (b *textBuild) distinctKey(t *textMethod) layout.Key {
	key := layout.Key{Class: t.class, Name: t.name, Signature: t.signature}
	if b.seen[key]++; b.seen[key] > 1 {
		b.report.Lost.AddLoss(codec.Loss{What: LossLoader, Count: 1, Line: t.place.Line})
		key.Loader = disk.TwinLoader + strconv.Itoa(b.seen[key])
	}
	return key
}

func (b *textBuild) addMethod(t *textMethod) *builder.Profile {
	m := b.InternMethod(b.distinctKey(t))
	b.addSketch(m, t)
	b.Internal().DescribeMethod(m, t.access, 0)
	p := b.ProfileIn(m, b.codeOf(t), profileset.NoContext)
	t.addCounters(p)
	end := t.checkOffsets(b.shape, b.report)
	for i := range t.entries {
		if t.entries[i].at.In == disk.SectionData {
			b.addEntry(p, &t.entries[i])
		}
	}
	b.addExtraEntries(p, t.orderExtras(end, b.report))
	if len(t.parameters) > 0 {
		p.Internal().AddParameters(b.parameterSlots(t.parameters)...)
	}
	return p
}

// codeOf returns the code id of a method, 0 if it is unknown.
func (b *textBuild) codeOf(t *textMethod) uint64 {
	if _, hidden := b.Hidden[t.class]; hidden || t.code != 0 {
		return t.code
	}
	var points []parse.CodePoint
	for _, e := range t.entries {
		if e.at.In == disk.SectionData {
			points = append(points, parse.CodePoint{Bci: e.at.Bci, Tag: e.tag})
		}
	}
	id := b.codes.FindID(layout.Key{Class: t.class, Name: t.name, Signature: t.signature}, points)
	if id == 0 {
		b.report.Lost.AddLoss(codec.Loss{What: parse.LossCodeIDs, Count: 1, Line: t.place.Line})
	}
	return id
}

func (t *textMethod) addCounters(p *builder.Profile) {
	for i, add := range []func(){
		func() { p.Interpreted(t.interpreted) },
		func() { p.Invocations(t.invocations) },
		func() { p.Backedges(t.backedges) },
		func() {
			if !t.noDecompiles {
				p.Internal().SetHistory(profileset.History{Decompiles: t.decompiles})
			}
		},
		func() { p.Internal().SetSize(profileset.CodeSize{Host: t.size}) },
	} {
		if i < t.known {
			add()
		}
	}
}

func (b *textBuild) addExtraEntries(p *builder.Profile, extras []textExtra) {
	for _, x := range extras {
		if x.bit {
			p.Bit(x.at)
			continue
		}
		p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: x.at.Bci, Flags: x.at.Flags, Traps: x.at.Traps},
			b.InternMethod(layout.Key{Class: x.trap.class, Name: x.trap.name}))
	}
}

func (b *textBuild) addEntry(p *builder.Profile, e *textEntry) {
	switch e.tag {
	case layout.TagBit:
		p.Bit(e.at)
	case layout.TagCounter:
		p.Counter(e.at, e.count)
	case layout.TagCallType:
		p.CallType(e.at, e.count, b.callTypes(e))
	case layout.TagJump:
		p.Jump(e.at, e.count, e.displacement)
	case layout.TagBranch:
		p.Branch(e.at, builder.Branch{Taken: e.count, Displacement: e.displacement, NotTaken: e.notTaken})
	case layout.TagMultiBranch:
		p.MultiBranch(e.at, e.cases[0], e.cases[1:]...)
	case layout.TagRet:
		p.Ret(e.at, e.count, b.returnRows(e)...)
	case layout.TagReceiverType:
		p.ReceiverType(e.at, builder.Others{Count: e.count, Gap: e.gap}, b.receiverRows(e)...)
	case layout.TagVirtualCall:
		p.VirtualCall(e.at, builder.Others{Count: e.count, Gap: e.gap}, b.receiverRows(e)...)
	case layout.TagVirtualCallType:
		p.VirtualCallType(e.at, builder.Others{Count: e.count, Gap: e.gap}, b.receiverRows(e), b.callTypes(e))
	}
}

// freeReturn is an unused row of a Ret entry, with HotSpot's bci and displacement of -1.
var freeReturn = builder.RetRow{Bci: math.MaxUint64, Displacement: -1}

func (b *textBuild) returnRows(e *textEntry) []builder.RetRow {
	rows := e.returns
	for len(rows) < b.shape.BciRows {
		rows = append(rows, freeReturn)
	}
	return rows
}

func (b *textBuild) receiverRows(e *textEntry) []builder.Row {
	return lists.Map(e.rows, func(r textRow) builder.Row { return builder.Row{Type: b.types[r.typ-1], Count: r.count} })
}

func (b *textBuild) callTypes(e *textEntry) builder.CallTypes {
	types := builder.CallTypes{Args: b.typeSlots(e.types.args)}
	if e.types.result != nil {
		w := b.typeWord(*e.types.result)
		types.Return = &w
	}
	return types
}

func (b *textBuild) parameterSlots(slots []textSlot) []profileset.TypeSlot {
	out := make([]profileset.TypeSlot, len(slots))
	for i, s := range slots {
		w := b.typeWord(s.word)
		out[i] = profileset.TypeSlot{Stack: s.stack, Type: w.Type, NullSeen: w.NullSeen, Several: w.Unknown}
	}
	return out
}

func (b *textBuild) typeSlots(slots []textSlot) []builder.Slot {
	return lists.Map(slots, func(s textSlot) builder.Slot {
		return builder.Slot{Stack: s.stack, Type: b.typeWord(s.word)}
	})
}

func (b *textBuild) typeWord(w textWord) builder.TypeWord {
	out := builder.TypeWord{NullSeen: w.nullSeen, Unknown: w.unknown}
	if w.typ != 0 {
		out.Type = b.types[w.typ-1]
	}
	return out
}
