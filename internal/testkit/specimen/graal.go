package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// printers are the methods of the Graal specimen. main calls evenOrOdd, which calls even or odd, which call print.
type printers struct{ main, evenOrOdd, even, odd, print builder.MethodRef }

// newGraal has unexecuted methods, contexts of several depths, negative points, successors with duplicate indexes,
// receivers, monitors and sampled stacks.
func newGraal() *builder.Builder {
	b := builder.New(layout.DomainGraal, builder.Config{Producer: "GraalVM 24", Fingerprint: fingerprint("EvenOrOdd")})
	method := func(name, signature string) builder.MethodRef {
		return b.Method(layout.Key{Class: "EvenOrOddLength", Name: name, Signature: signature})
	}
	m := printers{
		main: method("main", "void([Ljava.lang.String;)"), evenOrOdd: method("printEvenOrOdd", "void(java.lang.String)"),
		even: method("printEven", "void()"), odd: method("printOdd", "void()"),
		print: method("print", "void(java.lang.String)"),
	}
	addCallCounts(b, m)
	addBranches(b, m)
	addGraalTables(b, m)
	addUnexecuted(b)
	b.Type(builder.TypeKey{Name: ""})
	return b
}

// addUnexecuted adds unexecuted methods of two classes. Some of their signatures contain names of recorded types.
func addUnexecuted(b *builder.Builder) {
	b.Type(builder.TypeKey{Name: "void"})
	for _, k := range []layout.Key{
		{Class: "EvenOrOddLength", Name: "neverRan", Signature: "void()"},
		{Class: "EvenOrOddLength", Name: "neverRan", Signature: "void(java.lang.String,java.lang.String)"},
		{Class: "EvenOrOddLength", Name: "<clinit>"},
		{Class: "java.lang.String", Name: "concat", Signature: "java.lang.String(java.lang.String)"},
		{Class: "java.lang.String", Name: "isEmpty", Signature: "boolean()"},
	} {
		b.Seen(b.Method(k))
	}
}

// addCallCounts adds call counts in the contexts 5:0<3:2<2:9<1:3, 5:0<4:2 and 5:0. The inner nodes of the first context
// have no profile.
func addCallCounts(b *builder.Builder, m printers) {
	long := b.Context(m.print, builder.Frame{Caller: m.even, Point: 2}, builder.Frame{Caller: m.evenOrOdd, Point: 9},
		builder.Frame{Caller: m.main, Point: 3})
	short := b.Context(m.print, builder.Frame{Caller: m.odd, Point: 2})
	for count, c := range map[uint64]builder.ContextRef{70: long, 30: short, 1: profileset.NoContext} {
		p := b.ProfileIn(m.print, 0, c)
		p.Count(builder.Count{Sub: layout.SubCalls, N: count})
		finishProfiles(p)
	}
	p := b.ProfileIn(m.main, 0, profileset.NoContext)
	p.Count(builder.Count{Point: -6, Sub: layout.SubCalls, N: 1})
	p.Count(builder.Count{Point: 3, Sub: layout.SubSamples, N: 11})
	finishProfiles(p)
}

// addBranches adds conditionals and virtual calls, and a context with two versions of the code.
func addBranches(b *builder.Builder, m printers) {
	p := b.ProfileIn(m.evenOrOdd, 0, profileset.NoContext)
	p.Successors(-1, disk.SubReturn, builder.Successor{Point: -5, Index: 0, Count: 4})
	p.Successors(11, layout.SubConditional, builder.Successor{Point: 20, Index: 0, Count: 10},
		builder.Successor{Point: 53, Index: 1, Count: 1}, builder.Successor{Point: 20, Index: 1, Count: 2})
	p.Receivers(builder.Receivers{Point: 4, Sub: layout.SubVirtualCall},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "java.lang.String"}), Count: 60},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "java.lang.StringBuilder"}), Count: 56})
	finishProfiles(p)
	at := b.Context(m.evenOrOdd, builder.Frame{Caller: m.main, Point: -3})
	for _, code := range []uint64{2, 1} {
		q := b.ProfileIn(m.evenOrOdd, code, at)
		q.Successors(11, layout.SubConditional, builder.Successor{Point: 20, Count: code})
		finishProfiles(q)
	}
}

func addGraalTables(b *builder.Builder, m printers) {
	monitors := b.Internal().Table(disk.TableMonitors, 0)
	monitors.Row(uint64(b.Type(builder.TypeKey{Name: "java.lang.Object"})), 4)
	monitors.Row(0, 1)
	samples := b.Internal().Table(disk.TableSamples, 0)
	minusTwo := int64(-2)
	samples.Row(0, uint64(m.print), 3, 10)
	samples.Row(0, uint64(m.main), uint64(minusTwo), 10)
	samples.Row(1, uint64(m.main), 0, 1)
	order := b.Internal().Table(disk.TableOrder, 0, disk.ColumnProfile, disk.ColumnContext, disk.ColumnMethod)
	inMain := b.Context(m.odd, builder.Frame{Caller: m.evenOrOdd, Point: 15})
	order.Row(0, uint64(inMain), uint64(m.odd))
	order.Row(0, 0, 0)
	runs := b.Internal().Table(disk.TableOrderRuns, 0)
	minusOne := int64(-1)
	runs.Row(uint64(b.Internal().Symbol("methods")), 1, 2, uint64(minusOne))
	runs.Row(uint64(b.Internal().Symbol("futureProfiles")), 0, 0, 0)
	foreign := b.Internal().Table(disk.TableForeign, 0)
	foreign.Row(uint64(b.Internal().Symbol("futureProfiles")), uint64(b.Internal().Symbol(`[{"ctx":"5:0"}]`)))
	foreign.Row(uint64(b.Internal().Symbol("empty")), 0)
}
