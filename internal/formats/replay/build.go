package replay

import (
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

type build struct {
	parse.VMNames
	*file
	shape disk.Shape
	codes *parse.Codes
	seen  map[layout.Key]bool
}

func (f *file) build(in *codec.Input, codes *parse.Codes) (*builder.Builder, error) {
	shape, sure := f.inferShape()
	config := in.Config
	config.Params.TypeProfileWidth = uint32(shape.TypeRows)
	config.Params.BciProfileWidth = uint32(shape.BciRows)
	config.Params.ReceiverGap = uint32(shape.Gap)
	b := &build{file: f, shape: shape, codes: codes, seen: map[layout.Key]bool{}}
	b.Builder = builder.New(layout.DomainHotSpot, config)
	b.Hidden = f.hiddenNames()
	for i := range f.methods {
		if err := b.addMethod(&f.methods[i]); err != nil {
			return nil, err
		}
	}
	if _, hasReceivers := f.report.Totals[ledger.TypeCounts]; hasReceivers && !sure {
		f.report.Lost.Add(parse.LossWidths, 1)
	}
	f.report.Lost.Add(LossCounters, f.report.Methods)
	f.report.Lost.Add(parse.LossLoaders, f.report.Methods)
	return b.Builder, b.Err()
}

func (f *file) hiddenNames() map[string]string {
	classes := map[string]bool{}
	for i := range f.methods {
		classes[f.methods[i].key.Class] = true
		for _, p := range f.methods[i].pointers {
			classes[javanames.ElementClass(p.class)] = true
		}
	}
	return javanames.CanonicalHidden(classes)
}

// addMethod adds a profile, or counts it as lost.
func (b *build) addMethod(m *methodData) error {
	parts, ok := m.split(b.shape)
	counter := ledger.Counter{Domain: layout.DomainHotSpot, Shape: b.shape, Totals: ledger.Totals{}}
	invocations, called := b.invocations[m.key]
	if called = called && b.ofVM; called {
		counter.Totals.Add(ledger.Invocations, invocations)
	}
	for _, e := range parts[disk.SectionData] {
		counter.AddEntry(e.Entry)
	}
	ledger.Totals(b.report.Totals).AddAll(counter.Totals)
	switch {
	case !ok:
		b.addLoss(LossData, m, counter.Totals)
		return nil
	case b.seen[m.key]:
		b.addLoss(LossTwice, m, counter.Totals)
		return nil
	}
	b.seen[m.key] = true
	p := b.ProfileIn(b.InternMethod(m.key), b.codeID(m, parts[disk.SectionData]), profileset.NoContext)
	if called {
		p.Invocations(invocations)
	}
	for section, entries := range parts {
		for _, e := range entries {
			b.copyEntry(p, m, disk.BlockSection(section), e)
		}
	}
	b.report.Methods++
	return p.Done()
}

func (b *build) codeID(m *methodData, entries []placedEntry) uint64 {
	points := lists.Map(entries, func(e placedEntry) parse.CodePoint {
		return parse.CodePoint{Bci: e.Point(), Tag: e.Tag()}
	})
	id := b.codes.FindID(m.key, points)
	if _, hidden := b.Hidden[m.key.Class]; id == 0 && !hidden {
		b.addLoss(parse.LossCodeIDs, m, nil)
	}
	return id
}

func (b *build) copyEntry(p *builder.Profile, m *methodData, section disk.BlockSection, e placedEntry) {
	b.report.Entries++
	p.Internal().Copy(section, e.Entry, func(cell int, kind disk.CellKind) uint64 {
		to, named := m.findPointer(e.cell + cell)
		switch {
		case !named:
			return 0
		case kind == disk.CellMethod:
			return uint64(b.InternMethod(*to.method))
		}
		return uint64(b.InternType(to.class, ""))
	})
}

func (m *methodData) findPointer(cell int) (p pointer, named bool) {
	i, named := slices.BinarySearchFunc(m.pointers, cell, func(p pointer, cell int) int { return p.cell - cell })
	if named {
		p = m.pointers[i]
	}
	return p, named
}
