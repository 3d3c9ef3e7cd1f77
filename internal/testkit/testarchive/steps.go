package testarchive

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// A Step adds an item to a builder. Steps are independent of each other.
type Step func(b *builder.Builder) error

// DrawSteps draws random profiles with contexts, versions of the code, and entries of many kinds. The methods belong to
// few classes, so that they share names.
func DrawSteps(t *rapid.T) []Step {
	keys := rapid.SliceOfNDistinct(rapid.Custom(drawMethodKey), 1, 20, rapid.ID).Draw(t, "keys")
	var steps []Step
	for i, key := range keys {
		steps = append(steps, func(b *builder.Builder) error { b.Seen(b.Method(key)); return nil })
		for version := range rapid.IntRange(0, 3).Draw(t, "versions") {
			caller := keys[rapid.IntRange(0, len(keys)-1).Draw(t, "caller")]
			depth := rapid.IntRange(0, 3).Draw(t, "depth")
			seed := rapid.Uint64().Draw(t, "seed")
			steps = append(steps, func(b *builder.Builder) error {
				return addStepProfile(b, key, caller, uint64(version+i), depth, rand.New(rand.NewPCG(seed, 1)))
			})
		}
	}
	return steps
}

func drawMethodKey(t *rapid.T) layout.Key {
	class := rapid.SampledFrom([]string{"A", "B", "java/lang/String", ""}).Draw(t, "class")
	key := layout.Key{Class: class, Name: rapid.SampledFrom([]string{"run", "<init>", "get", "x"}).Draw(t, "name")}
	key.Signature = rapid.SampledFrom([]string{"()V", "(I)I", "", "A(B,A)", "java/lang/String()"}).Draw(t, "signature")
	if class != "" {
		key.Loader = rapid.SampledFrom([]string{"", "app"}).Draw(t, "loader")
	}
	return key
}

func addStepProfile(b *builder.Builder, key, caller layout.Key, code uint64, depth int, r *rand.Rand) error {
	m := b.Method(key)
	c := b.Method(caller)
	frames := make([]builder.Frame, depth)
	for i := range frames {
		frames[i] = builder.Frame{Caller: c, Point: int32(i) - 1}
	}
	p := b.ProfileIn(m, code, b.Context(m, frames...))
	p.Invocations(r.Uint64N(1000))
	for bci := range r.IntN(30) {
		addStepEntry(b, p, int32(bci*3), r)
	}
	return p.Done()
}

func addStepEntry(b *builder.Builder, p *builder.Profile, bci int32, r *rand.Rand) {
	at := builder.At{Bci: bci, Traps: layout.EntryTraps(r.Uint32N(3))}
	row := builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprintf("T%d", r.IntN(9))}), Count: r.Uint64N(99)}
	switch r.IntN(6) {
	case 0:
		p.Branch(at, builder.Branch{Taken: r.Uint64N(9), Displacement: 32, NotTaken: r.Uint64N(9)})
	case 1:
		p.VirtualCall(at, builder.Others{Count: r.Uint64N(9)}, row)
	case 2:
		p.Receivers(builder.Receivers{Point: bci, Sub: layout.SubVirtualCall, Other: 1}, row, row)
	case 3:
		p.Count(builder.Count{Point: bci, Sub: layout.SubSamples, N: r.Uint64()})
	case 4:
		p.CallType(at, 5,
			builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: builder.TypeWord{Type: row.Type, NullSeen: true}}}})
	case 5:
		p.Successors(-bci, layout.SubConditional, builder.Successor{Point: -5, Index: 1, Count: 3})
	}
}

// Concurrency has the number of goroutines that add to a builder and that write its archive. Zero values mean one and
// GOMAXPROCS.
type Concurrency struct{ Adders, Writers int }

// BuildSteps returns the HotSpot archive with the items of steps.
func BuildSteps(t TB, steps []Step, c Concurrency) Archive {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: Params(layout.DomainHotSpot), Workers: c.Writers})
	var wait sync.WaitGroup
	adders := max(c.Adders, 1)
	for a := range adders {
		wait.Go(func() {
			for i := a; i < len(steps); i += adders {
				if err := steps[i](b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	return Build(t, b)
}
