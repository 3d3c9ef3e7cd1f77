package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// newSampled is an imported CPU profile of a Go program. It has samples and processor time in contexts of several
// depths, edges including a recursive one and one to an unknown function, and the declarations of functions.
func newSampled() *builder.Builder {
	b := builder.New(layout.DomainSampled, builder.Config{Producer: "pprof"})
	function := func(name string) builder.MethodRef { return b.Method(layout.Key{Name: name}) }
	main := function("fibs.main")
	fib := function("fibs.fib")
	sum := function("example.com/sums.(*Adder[go.shape.int]).Add")
	none := function("")
	inFib := builder.Frame{Caller: fib, Point: 2}
	addSamples(b, fib, 1, 40, builder.Frame{Caller: main, Point: 7})
	addSamples(b, fib, 4, 30, inFib, builder.Frame{Caller: main, Point: 7})
	addSamples(b, sum, 0, 20, inFib, inFib, builder.Frame{Caller: main, Point: 7})
	addSamples(b, sum, -1, 2)
	addSamples(b, none, 0, 1, builder.Frame{Caller: main, Point: 9})

	p := b.ProfileIn(main, 0, profileset.NoContext)
	q := b.ProfileIn(fib, 0, profileset.NoContext)
	p.Callees(7, builder.Callee{Method: fib, Count: 40})
	p.Callees(9, builder.Callee{Method: none, Count: 1})
	q.Callees(2, builder.Callee{Method: fib, Count: 30}, builder.Callee{Method: sum, Count: 20})
	finishProfiles(p, q)
	places := b.Internal().Table(disk.TableFunctions, 0)
	text := func(s string) uint64 { return uint64(b.Internal().Symbol(s)) }
	places.Row(uint64(main), 0, text("/src/main.go"), 10)
	places.Row(uint64(fib), text("fibs.fib.abi0"), text("/src/main.go"), 20)
	properties := b.Internal().Table(disk.TableProperties, 0)
	properties.Row(text("pprof.sample_types"), text("samples/count cpu/nanoseconds"))
	properties.Row(text("pprof.period"), text("10000000"))
	return b
}

// addSamples adds n samples of 10 ms at a point of a function.
func addSamples(b *builder.Builder, m builder.MethodRef, point int32, n uint64, frames ...builder.Frame) {
	p := b.ProfileIn(m, 0, b.Context(m, frames...))
	p.Count(builder.Count{Point: point, Sub: layout.SubSamples, N: n})
	p.Count(builder.Count{Point: point, Sub: layout.SubNanoseconds, N: 10_000_000 * n})
	finishProfiles(p)
}
