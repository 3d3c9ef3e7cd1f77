package main

import (
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A shape makes archives of a size that one number decides.
type shape struct {
	name  string
	build func(n int) *builder.Builder
}

var shapes = []shape{
	{"ordinary", ordinary},
	{"deep contexts", deepContexts},
	{"wide contexts", wideContexts},
	{"many versions", manyVersions},
	{"shared class name", sharedClass},
	{"shared loader name", sharedLoader},
	{"long list signatures", listSignatures},
	{"one long block", longBlock},
	{"one long entry", longEntry},
	{"one profile point", onePoint},
	{"many samples", manySamples},
	{"deep samples", deepSamples},
	{"never ran", neverRan},
}

func newBuilder(d layout.Domain) *builder.Builder {
	var p layout.Params
	if d == layout.DomainHotSpot {
		p[layout.ParamTypeProfileWidth], p[layout.ParamBciProfileWidth] = 2, 2
	}
	return builder.New(d, builder.Config{Params: p})
}

// done hands a profile over. What is wrong with it comes out when the archive is
// made.
func done(p *builder.Profile) { _ = p.Done() }

// simple adds a profile with a few entries.
func simple(b *builder.Builder, m builder.MethodRef, code uint64, at builder.ContextRef, count int) {
	p := b.Profile(m, code, at)
	p.Count(1, layout.SubCalls, 0, uint64(count+1))
	p.Count(4, layout.SubCalls, 0, uint64(2*count+1))
	done(p)
}

func ordinary(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	for i := range n {
		m := b.Method(layout.Key{Class: "app/Class" + strconv.Itoa(i/10), Name: "method" + strconv.Itoa(i%10), Signature: "(I)V"})
		p := b.Profile(m, uint64(i+1), builder.NoContext)
		p.Invocations(uint64(i))
		p.Branch(builder.At{Bci: 3}, uint64(i), 16, 7)
		p.Counter(builder.At{Bci: 9}, uint64(i))
		done(p)
	}
	return b
}

// deepContexts is one method in n contexts, each of which is within the next, and
// which all have a profile.
func deepContexts(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Recursive", Name: "f", Signature: "void()"})
	context := builder.NoContext
	for i := range min(n, disk.MaxDepth) {
		context = b.OuterContext(m, context, builder.Frame{Caller: m, Point: int32(i % 5)})
		simple(b, m, 0, context, i)
	}
	return b
}

// wideContexts is one method with n callers.
func wideContexts(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Leaf", Name: "f", Signature: "void()"})
	for i := range n {
		simple(b, m, 0, b.Context(m, builder.Frame{Caller: m, Point: int32(i)}), i)
	}
	return b
}

// manyVersions is one method with n versions of its code.
func manyVersions(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "app/Hot", Name: "f", Signature: "()V"})
	for i := range n {
		p := b.Profile(m, uint64(i+1), builder.NoContext)
		p.Counter(builder.At{Bci: 1}, uint64(i))
		done(p)
	}
	return b
}

// sharedText is how much text the keys of an archive have by which a name is
// shared: as much as they may.
var sharedText = int(disk.MaxKeyText(0) - 1<<20)

// mostText is how long a name may be that n keys share.
func mostText(n int) int { return max(sharedText/n-64, 64) }

func sharedClass(n int) *builder.Builder {
	return shared(n, strings.Repeat("c", min(mostText(n), disk.MaxName)), "")
}

func sharedLoader(n int) *builder.Builder {
	return shared(n, "app/Class", strings.Repeat("l", min(mostText(n), disk.MaxName)))
}

// shared is n methods of one class.
func shared(n int, class, loader string) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	for i := range n {
		p := b.Profile(b.Method(layout.Key{Class: class, Name: "m" + strconv.Itoa(i), Signature: "()V", Loader: loader}), 1, builder.NoContext)
		p.Invocations(uint64(i))
		done(p)
	}
	return b
}

// listSignatures is n methods with signatures that are lists of the same names, as
// long as they may be.
func listSignatures(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	types := []string{"void", "int", "java.lang.String"}
	for _, name := range types {
		b.Type(builder.TypeKey{Name: name})
	}
	var list strings.Builder
	for i := range min(mostText(n)/30, 1<<15) {
		list.WriteString(types[i%3] + ",")
	}
	for i := range n {
		simple(b, b.Method(layout.Key{Class: "app.Lists", Name: "m" + strconv.Itoa(i), Signature: "void(" + list.String() + types[i%3] + ")"}), 0, builder.NoContext, i)
	}
	return b
}

func longBlock(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(b.Method(layout.Key{Class: "app.Long", Name: "f", Signature: "void()"}), 0, builder.NoContext)
	for i := range n {
		p.Count(int32(i), layout.SubCalls, 0, uint64(i+1))
	}
	done(p)
	return b
}

func longEntry(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(b.Method(layout.Key{Class: "app.Mega", Name: "f", Signature: "void()"}), 0, builder.NoContext)
	rows := make([]builder.Row, n)
	for i := range rows {
		rows[i] = builder.Row{Type: b.Type(builder.TypeKey{Name: "app.T" + strconv.Itoa(i)}), Count: uint64(i + 1)}
	}
	p.Receivers(1, layout.SubVirtualCall, 0, 0, 0, rows...)
	done(p)
	return b
}

// onePoint is n entries at one profile point.
func onePoint(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(b.Method(layout.Key{Class: "app.Point", Name: "f", Signature: "void()"}), 0, builder.NoContext)
	for i := range n {
		p.Count(7, layout.SubCalls, 0, uint64(i+1))
	}
	done(p)
	return b
}

func manySamples(n int) *builder.Builder { return samples(n, 4) }

func deepSamples(n int) *builder.Builder { return samples(8, n/8) }

// samples is a table of sampled stacks with so many frames each.
func samples(stacks, frames int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Sampled", Name: "f", Signature: "void()"})
	simple(b, m, 0, builder.NoContext, 1)
	word := layout.ColumnWord
	t := b.Table(layout.TableSamples, 0, word, layout.ColumnMethod, word, word)
	for s := range stacks {
		for f := range frames {
			t.Row(uint64(s), uint64(m), uint64((s+f)%9), uint64(s+1))
		}
	}
	return b
}

func neverRan(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	for i := range n {
		b.Seen(b.Method(layout.Key{Class: "app.C" + strconv.Itoa(i/3), Name: "m" + strconv.Itoa(i%3), Signature: "void()"}))
	}
	return b
}
