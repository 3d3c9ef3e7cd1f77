package growth

import (
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A shape builds archives whose size depends on one number.
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
	{"unexecuted", unexecuted},
}

func newBuilder(d layout.Domain) *builder.Builder {
	var p layout.Params
	if d == layout.DomainHotSpot {
		p.TypeProfileWidth, p.BciProfileWidth = 2, 2
	}
	return builder.New(d, builder.Config{Params: p})
}

// done completes a profile. The builder keeps an error until the archive is laid out.
func done(p *builder.Profile) { _ = p.Done() }

// addCounts records a profile with two entries.
func addCounts(b *builder.Builder, m builder.MethodRef, code uint64, at builder.ContextRef, count int) {
	p := b.ProfileIn(m, code, at)
	p.Count(builder.Count{Point: 1, Sub: layout.SubCalls, N: uint64(count + 1)})
	p.Count(builder.Count{Point: 4, Sub: layout.SubCalls, N: uint64(2*count + 1)})
	done(p)
}

func ordinary(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	for i := range n {
		m := b.Method(layout.Key{Class: "app/Class" + strconv.Itoa(i/10), Name: "method" + strconv.Itoa(i%10),
			Signature: "(I)V"})
		p := b.ProfileIn(m, uint64(i+1), profileset.NoContext)
		p.Invocations(uint64(i))
		p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: uint64(i), Displacement: 16, NotTaken: 7})
		p.Counter(builder.At{Bci: 9}, uint64(i))
		done(p)
	}
	return b
}

// deepContexts returns one method in n contexts, each within the next, and each with a profile.
func deepContexts(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Recursive", Name: "f", Signature: "void()"})
	context := profileset.NoContext
	for i := range min(n, disk.MaxDepth) {
		context = b.Internal().OuterContext(m, context, m, int32(i%5))
		addCounts(b, m, 0, context, i)
	}
	return b
}

// wideContexts returns one method with n callers.
func wideContexts(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Leaf", Name: "f", Signature: "void()"})
	for i := range n {
		addCounts(b, m, 0, b.Context(m, builder.Frame{Caller: m, Point: int32(i)}), i)
	}
	return b
}

// manyVersions returns one method with n versions of its code.
func manyVersions(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "app/Hot", Name: "f", Signature: "()V"})
	for i := range n {
		p := b.ProfileIn(m, uint64(i+1), profileset.NoContext)
		p.Counter(builder.At{Bci: 1}, uint64(i))
		done(p)
	}
	return b
}

// sharedText is the length of all keys of an archive in which they share a name:
// almost the limit of the format.
var sharedText = int(disk.MaxKeyText(0) - 1<<20)

// sharedNameLength returns the length of a name that n keys share.
func sharedNameLength(n int) int { return max(sharedText/n-64, 64) }

func sharedClass(n int) *builder.Builder {
	return methodsOfClass(n, strings.Repeat("c", min(sharedNameLength(n), disk.MaxName)), "")
}

func sharedLoader(n int) *builder.Builder {
	return methodsOfClass(n, "app/Class", strings.Repeat("l", min(sharedNameLength(n), disk.MaxName)))
}

// methodsOfClass returns n methods of one class.
func methodsOfClass(n int, class, loader string) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	for i := range n {
		p := b.Profile(layout.Key{Class: class, Name: "m" + strconv.Itoa(i), Signature: "()V", Loader: loader}, 1)
		p.Invocations(uint64(i))
		done(p)
	}
	return b
}

// listSignatures returns n methods whose signatures are lists of the same names, of the maximum length.
func listSignatures(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	types := []string{"void", "int", "java.lang.String"}
	for _, name := range types {
		b.Type(builder.TypeKey{Name: name})
	}
	var list strings.Builder
	for i := range min(sharedNameLength(n)/30, 1<<15) {
		list.WriteString(types[i%3] + ",")
	}
	for i := range n {
		addCounts(b, b.Method(layout.Key{Class: "app.Lists", Name: "m" + strconv.Itoa(i),
			Signature: "void(" + list.String() + types[i%3] + ")"}), 0, profileset.NoContext, i)
	}
	return b
}

func longBlock(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(layout.Key{Class: "app.Long", Name: "f", Signature: "void()"}, 0)
	for i := range n {
		p.Count(builder.Count{Point: int32(i), Sub: layout.SubCalls, N: uint64(i + 1)})
	}
	done(p)
	return b
}

func longEntry(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(layout.Key{Class: "app.Mega", Name: "f", Signature: "void()"}, 0)
	rows := make([]builder.Row, n)
	for i := range rows {
		rows[i] = builder.Row{Type: b.Type(builder.TypeKey{Name: "app.T" + strconv.Itoa(i)}), Count: uint64(i + 1)}
	}
	p.Receivers(builder.Receivers{Point: 1, Sub: layout.SubVirtualCall}, rows...)
	done(p)
	return b
}

// onePoint returns a profile with n entries at one profile point.
func onePoint(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	p := b.Profile(layout.Key{Class: "app.Point", Name: "f", Signature: "void()"}, 0)
	for i := range n {
		p.Count(builder.Count{Point: 7, Sub: layout.SubCalls, N: uint64(i + 1)})
	}
	done(p)
	return b
}

func manySamples(n int) *builder.Builder { return sampledStacks(n, 4) }

func deepSamples(n int) *builder.Builder { return sampledStacks(8, n/8) }

// sampledStacks returns a table of so many stacks with so many frames each.
func sampledStacks(stacks, frames int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	m := b.Method(layout.Key{Class: "app.Sampled", Name: "f", Signature: "void()"})
	addCounts(b, m, 0, profileset.NoContext, 1)
	word := disk.ColumnWord
	t := b.Internal().Table(disk.TableSamples, 0, word, disk.ColumnMethod, word, word)
	for s := range stacks {
		for f := range frames {
			t.Row(uint64(s), uint64(m), uint64((s+f)%9), uint64(s+1))
		}
	}
	return b
}

func unexecuted(n int) *builder.Builder {
	b := newBuilder(layout.DomainGraal)
	for i := range n {
		b.Seen(b.Method(layout.Key{Class: "app.C" + strconv.Itoa(i/3), Name: "m" + strconv.Itoa(i%3), Signature: "void()"}))
	}
	return b
}
