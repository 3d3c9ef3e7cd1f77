package profileset

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/system/poll"
)

// An absorption adds the contents of a set to another one. The slices have the references in the target, indexed by the
// references in the source.
type absorption struct {
	*Set
	from     *Set
	types    []TypeRef
	methods  []MethodRef
	contexts []ContextRef
	profiles []ProfileRef
}

// Absorb adds a set of one dump to b as a run, like a copy of its archive. The tables that merges list anew are left
// out.
func (b *Set) Absorb(ctx context.Context, from *Set, run Run) error {
	a := absorption{b, from, make([]TypeRef, from.Types.Len()+1), make([]MethodRef, from.Methods.Len()+1),
		make([]ContextRef, from.Contexts.Len()+1), make([]ProfileRef, from.Profiles.Len()+1)}
	for ref, t := range from.Types.All {
		a.types[ref] = b.Type(from.Text(t.Name), from.Text(t.Loader))
		b.DescribeType(a.types[ref], from.Text(t.Alias), t.Flags)
	}
	stop := poll.New(ctx)
	b.Locked(a.addMethods)
	b.Locked(func() { maps.Copy(b.merger.Saturated, from.merger.Saturated) })
	b.Locked(func() { a.addContexts(stop) })
	run.Time = cmp.Or(run.Time, UnknownTime)
	if err := cmp.Or(ctx.Err(), a.addProfiles(stop, run)); err != nil {
		return err
	}
	for _, t := range from.SortedTables() {
		if !disk.IsListedAnew(t.Kind) {
			cells := slices.Clone(t.Cells)
			for i, v := range cells {
				cells[i] = a.cellOf(t.Columns[i%len(t.Columns)], v)
			}
			b.Table(t.Kind, t.Flags, t.Columns...).AppendRows(cells)
		}
	}
	return b.Err()
}

func (a *absorption) addMethods() {
	for ref, m := range a.from.Methods.All {
		name := a.from.Text(m.Name)
		if m.onlyName() && a.Domain.LLVM() {
			a.methods[ref] = a.internFunction(name)
		} else {
			key := methodKey{a.types[m.Holder], a.internTypeName(name), a.internName(a.from.Text(m.Signature))}
			a.methods[ref] = a.Methods.internMethod(key, func() methodData { return methodData{methodKey: key, ID: m.ID} })
		}
		a.describeMethod(a.methods[ref], m.Access, m.Flags, m.Seen)
	}
}

func (a *absorption) addContexts(stop *poll.Poll) {
	for ref, c := range a.from.Contexts.All { // after its parent
		if stop.Err() != nil {
			return
		}
		a.contexts[ref] = a.outerContext(contextKey{a.methods[c.Method], a.contexts[c.Parent], a.methods[c.Caller], c.Point})
	}
}

func (a *absorption) addProfiles(stop *poll.Poll, run Run) error {
	var block []byte
	for ref, d := range a.from.Profiles.All {
		stored, err := a.from.Blocks.Read(d.Block)
		if err = cmp.Or(err, stop.Err()); err != nil {
			return err
		}
		block = append(block[:0], stored...)
		a.referPointers(block)
		key := ProfileKey{a.methods[d.Method], a.contexts[d.Context], d.Code}
		a.profiles[ref], err = a.AddStored(run, a.from.Shape, key, block)
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *absorption) referPointers(b disk.Block) {
	methoddata.EachEntry(a.from.Shape, b, func(_ disk.BlockSection, e disk.Entry) {
		for cell, kind := range a.from.Shape.Pointers(e) {
			column := disk.ColumnType
			if kind == disk.CellMethod {
				column = disk.ColumnMethod
			}
			v := e.Cell(cell)
			e.SetCell(cell, a.cellOf(column, v>>methoddata.RefShift)<<methoddata.RefShift|v&disk.TypeTags)
		}
	})
}

// cellOf returns the cell of a table of the target.
func (a *absorption) cellOf(kind disk.ColumnKind, v uint64) uint64 {
	switch {
	case kind == disk.ColumnSymbol && v != 0:
		return uint64(a.Symbol(a.from.Text(intern.SymbolRef(v))))
	case kind == disk.ColumnType:
		return uint64(a.types[v])
	case kind == disk.ColumnMethod:
		return uint64(a.methods[v])
	case kind == disk.ColumnProfile:
		return uint64(a.profiles[v])
	case kind == disk.ColumnContext:
		return uint64(a.contexts[v])
	}
	return v
}
