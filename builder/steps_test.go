package builder_test

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// A step adds an item to a builder. Steps are independent of each other.
type step func(b *builder.Builder)

// drawSteps draws random profiles with contexts, versions of the code, and entries of many kinds. The methods belong to
// few classes, so that they share names.
func drawSteps(t *rapid.T) []step {
	keys := rapid.SliceOfNDistinct(rapid.Custom(drawMethodKey), 1, 20, rapid.ID).Draw(t, "keys")
	var steps []step
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
	addRandomProfile(b, b.ProfileIn(m, code, b.Context(m, frames...)), r)
}

// concurrency has the number of goroutines that add to a builder and that write its archive. Zero values mean one and
// GOMAXPROCS.
type concurrency struct{ adders, writers int }

// buildSteps returns the HotSpot archive with the items of steps.
func buildSteps(t testarchive.TB, steps []step, c concurrency) []byte {
	t.Helper()
	config := testarchive.Config(layout.DomainHotSpot)
	config.Workers = c.writers
	b := builder.New(layout.DomainHotSpot, config)
	var wait sync.WaitGroup
	adders := max(c.adders, 1)
	for a := range adders {
		wait.Go(func() {
			for i := a; i < len(steps); i += adders {
				steps[i](b)
			}
		})
	}
	wait.Wait()
	return testarchive.Build(t, b).Bytes
}

func addRandomProfile(b *builder.Builder, p *builder.Profile, r *rand.Rand) {
	some := func() bool { return r.IntN(2) == 0 }
	if some() {
		p.Invocations(r.Uint64N(100))
	}
	if some() {
		p.Backedges(r.Uint64N(100))
		p.Internal().SetSize(profileset.CodeSize{Code: r.Uint32N(3), Host: r.Uint32N(3)})
	}
	if some() {
		p.Internal().SetHistory(profileset.History{Decompiles: r.Uint32N(9), TenureTraps: 1<<32 - 3})
		p.Internal().SetCompilation(profileset.Compilation{Level: uint8(r.IntN(5)), Loops: uint16(r.IntN(3))})
	}
	if some() {
		p.Internal().SetEscape(profileset.Escape{Flags: r.Uint64N(32), Local: r.Uint64N(4), Stack: r.Uint64N(4),
			Returned: r.Uint64N(4)})
		p.Internal().PutTraps([]byte{byte(r.IntN(256)), 200, 0, byte(r.IntN(256))}[:r.IntN(5)])
	}
	for bci := range int32(9) {
		addRandomEntry(b, p, bci, r)
	}
	addRandomExtra(b, p, r)
	if err := p.Done(); err != nil {
		panic(err)
	}
}

func drawRows(b *builder.Builder, r *rand.Rand, most int) (rows []builder.Row) {
	for _, i := range r.Perm(5)[:r.IntN(most+1)] {
		rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprint("T", i)}), Count: r.Uint64N(100)})
	}
	return rows
}

// drawRowsWithCapacity returns the rows of a wide type profile. The last rows can be empty.
func drawRowsWithCapacity(b *builder.Builder, r *rand.Rand, most int) []builder.Row {
	return append(drawRows(b, r, most), make([]builder.Row, max(0, r.IntN(6)-2))...)
}

func drawTypeWord(b *builder.Builder, r *rand.Rand) (w builder.TypeWord) {
	if r.IntN(3) > 0 {
		w.Type = b.Type(builder.TypeKey{Name: fmt.Sprint("T", r.IntN(2))})
	}
	w.NullSeen, w.Unknown = r.IntN(4) == 0, r.IntN(6) == 0
	return w
}

// addRandomEntry adds an entry of the kind that belongs to a bci, as a VM with random settings would record it.
func addRandomEntry(b *builder.Builder, p *builder.Profile, bci int32, r *rand.Rand) {
	at := builder.At{Bci: bci, Flags: layout.EntryFlags(r.IntN(4)),
		Traps: layout.EntryTraps(r.Uint32N(3) | r.Uint32N(2)<<31)}
	word := drawTypeWord(b, r)
	types := builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: drawTypeWord(b, r)}}, Return: &word}
	switch way := r.IntN(3); bci {
	case 0:
		p.Jump(at, r.Uint64N(100), -8)
	case 1:
		p.Branch(at, builder.Branch{Taken: r.Uint64N(100), Displacement: 16, NotTaken: r.Uint64N(100)})
	case 2:
		if way == 0 {
			p.Receivers(builder.Receivers{Point: bci, Sub: layout.SubTypeCheck, Flags: 1, Other: r.Uint64N(9),
				Traps: r.Uint64N(3)}, drawRowsWithCapacity(b, r, 4)...)
			return
		}
		p.ReceiverType(at, builder.Others{Count: uint64(r.IntN(20) - 10), Gap: r.Uint64N(2)}, drawRows(b, r, 2)...)
	case 3:
		switch way {
		case 0:
			p.Receivers(builder.Receivers{Point: bci, Sub: layout.SubVirtualCall, Flags: 1, Other: r.Uint64N(100),
				Traps: r.Uint64N(3)}, drawRowsWithCapacity(b, r, 4)...)
		case 1:
			p.VirtualCallType(at, builder.Others{Count: r.Uint64N(100), Gap: r.Uint64N(2)}, drawRows(b, r, 2), types)
		default:
			p.VirtualCall(at, builder.Others{Count: r.Uint64N(100), Gap: r.Uint64N(2)}, drawRows(b, r, 2)...)
		}
	case 4:
		p.Ret(at, r.Uint64N(100), []builder.RetRow{{Bci: r.Uint64N(3), Count: r.Uint64N(100), Displacement: -16},
			{Bci: 7, Count: 1}}[:way]...)
	case 5:
		p.MultiBranch(at, builder.SwitchCase{Count: r.Uint64N(100), Displacement: 8},
			make([]builder.SwitchCase, 1+way/2)...)
	case 6:
		p.CallType(at, r.Uint64N(100), types)
	case 7:
		p.Counter(at, r.Uint64N(100))
	case 8:
		p.Bit(at)
	}
}

func addRandomExtra(b *builder.Builder, p *builder.Profile, r *rand.Rand) {
	if r.IntN(2) == 0 {
		p.Internal().AddArgInfo(r.Uint64N(4), r.Uint64N(4))
	}
	if r.IntN(2) == 0 {
		p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 3, Traps: layout.EntryTraps(r.Uint32N(4))},
			b.Method(layout.Key{Class: "A", Name: fmt.Sprint("m", r.IntN(3))}))
		p.Bit(builder.At{Bci: 2, In: disk.SectionExtra, Traps: layout.EntryTraps(r.Uint32N(4))})
	}
	if r.IntN(2) == 0 {
		w := drawTypeWord(b, r)
		p.Internal().AddParameters(profileset.TypeSlot{Type: w.Type, NullSeen: w.NullSeen, Several: w.Unknown})
		p.Bit(builder.At{Bci: 9, In: disk.SectionHandlers, Flags: layout.EntryFlags(r.IntN(4))})
	}
}
