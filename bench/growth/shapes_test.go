package growth

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
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
	{"methods of one id", equalIDs},
	{"callers of one function", callersOfOne},
	{"one stack", oneStack},
	{"one long switch", longSwitch},
	{"records of one slot", recordsOfOneSlot},
	{"values of one site", valuesOfOneSite},
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

// equalIDs returns n methods that share an id, of which most have no slot in the index.
func equalIDs(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	for i := range n {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i), Signature: "()V"}, 1)
		p.Invocations(uint64(i))
		done(p)
	}
	return b
}

// addSamples records samples of a stack, which begins with the leaf.
func addSamples(b *builder.Builder, stack ...builder.MethodRef) {
	at := profileset.NoContext
	for _, caller := range stack[1:] {
		at = b.Internal().OuterContext(stack[0], at, caller, 1)
	}
	p := b.ProfileIn(stack[0], 0, at)
	p.Count(builder.Count{Point: 1, Sub: layout.SubSamples, N: 3})
	done(p)
}

// callersOfOne returns samples of a function with n callers, which have one caller.
func callersOfOne(n int) *builder.Builder {
	b := newBuilder(layout.DomainSampled)
	leaf := b.Method(layout.Key{Name: "leaf"})
	root := b.Method(layout.Key{Name: "root"})
	for i := range n {
		addSamples(b, leaf, b.Method(layout.Key{Name: "caller" + strconv.Itoa(i)}), root)
	}
	return b
}

// oneStack returns one stack of n functions.
func oneStack(n int) *builder.Builder {
	b := newBuilder(layout.DomainSampled)
	stack := make([]builder.MethodRef, min(n, disk.MaxDepth))
	for i := range stack {
		stack[i] = b.Method(layout.Key{Name: "f" + strconv.Itoa(i)})
	}
	addSamples(b, stack...)
	return b
}

// longSwitch returns a switch of n cases.
func longSwitch(n int) *builder.Builder {
	b := newBuilder(layout.DomainHotSpot)
	p := b.Profile(layout.Key{Class: "app/Switch", Name: "f", Signature: "(I)V"}, 1)
	cases := make([]builder.SwitchCase, n)
	for i := range cases {
		cases[i] = builder.SwitchCase{Count: uint64(i), Displacement: 8}
	}
	p.MultiBranch(builder.At{Bci: 6}, builder.SwitchCase{Count: 1, Displacement: 8}, cases...)
	done(p)
	return b
}

// recordsOfOneSlot returns a function with n records, whose hashes have one slot in the map of llvm-profdata.
func recordsOfOneSlot(n int) *builder.Builder {
	b := newBuilder(layout.DomainLLVMIR)
	m := b.Method(layout.Key{Name: "f"})
	for i := range n {
		p := b.ProfileIn(m, slotZero(uint64(i+1)), profileset.NoContext)
		p.Counters(0, uint64(i), 1)
		done(p)
	}
	return b
}

// slotZero returns the FuncHash number i, from 1, for which LLVM's map hash is 0. The map multiplies a FuncHash by an
// odd number and combines two parts of the product, so it is the inverse times a product with equal parts.
func slotZero(i uint64) uint64 {
	const factor = 0xbf58476d1ce4e5b9
	inverse := uint64(factor)
	for range 5 {
		inverse *= 2 - factor*inverse
	}
	i *= 2 // bit 31, which both parts share, is 0
	return (i<<31 | i) * inverse
}

// valuesOfOneSite returns a call site with n targets.
func valuesOfOneSite(n int) *builder.Builder {
	b := newBuilder(layout.DomainLLVMIR)
	p := b.Profile(layout.Key{Name: "f"}, 1)
	p.Counters(0, 1)
	values := make([]builder.Value, n)
	for i := range values {
		values[i] = builder.Value{Value: disk.NameRef("g" + strconv.Itoa(i)), Count: uint64(i + 1)}
	}
	p.ValueSite(0, layout.SubIndirectCall, values...)
	done(p)
	return b
}
