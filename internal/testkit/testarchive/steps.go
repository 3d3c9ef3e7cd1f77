package testarchive

import (
	"math/rand/v2"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// A Step adds an item to a builder. Steps are independent of each other.
type Step func(b *builder.Builder)

// DrawSteps draws random profiles with contexts, versions of the code, and entries of many kinds. The methods belong to
// few classes, so that they share names.
func DrawSteps(t *rapid.T) []Step {
	keys := rapid.SliceOfNDistinct(rapid.Custom(drawMethodKey), 1, 20, rapid.ID).Draw(t, "keys")
	var steps []Step
	for i, key := range keys {
		steps = append(steps, func(b *builder.Builder) { b.Seen(b.Method(key)) })
		for version := range rapid.IntRange(0, 3).Draw(t, "versions") {
			caller := keys[rapid.IntRange(0, len(keys)-1).Draw(t, "caller")]
			depth := rapid.IntRange(0, 3).Draw(t, "depth")
			seed := rapid.Uint64().Draw(t, "seed")
			steps = append(steps, func(b *builder.Builder) {
				addStepProfile(b, key, caller, uint64(version+i), depth, rand.New(rand.NewPCG(seed, 1)))
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

func addStepProfile(b *builder.Builder, key, caller layout.Key, code uint64, depth int, r *rand.Rand) {
	m := b.Method(key)
	c := b.Method(caller)
	frames := make([]builder.Frame, depth)
	for i := range frames {
		frames[i] = builder.Frame{Caller: c, Point: int32(i) - 1}
	}
	addRandomProfile(b, b.ProfileIn(m, code, b.Context(m, frames...)), &countRand{Rand: r})
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
				steps[i](b)
			}
		})
	}
	wait.Wait()
	return Build(t, b)
}
