package specimen

import (
	"fmt"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// Later returns the specimens of tables that were added after the first release.
func Later() []Specimen {
	return []Specimen{{"accounts", layout.DomainLLVMIR, newAccounts}, {"versions", layout.DomainLLVMIR, newVersions},
		{"advice", layout.DomainCustom, newAdvice}, {"crowded", layout.DomainHotSpot, newCrowded}}
}

// Names with any digits of a method of class A, and of a type. The digits do not change the id.
const (
	CrowdedMethod = "lzGdzWDmUzMfvwAp%08dJblVUhwsZZZZZZZZ"
	CrowdedType   = "KPbQkzSZZJNpoVZn%08dupiQXEqDZZZZZZZZ"
)

// newCrowded has so many methods of one id, and types of another, that most have no slot in the index.
func newCrowded() *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams(), Producer: "Example VM 1"})
	for i := range 330 {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprintf(CrowdedMethod, i), Signature: "()V"}, 7)
		of := b.Type(builder.TypeKey{Name: fmt.Sprintf(CrowdedType, i)})
		p.ReceiverType(builder.At{Bci: 3}, builder.Others{}, builder.Row{Type: of, Count: uint64(i)})
		finishProfiles(p)
	}
	for i := range 10 {
		b.Method(layout.Key{Class: "B", Name: fmt.Sprint("m", i)})
	}
	return b
}

// newAdvice has functions of a VM that runs called, one of them hot, and one that no run called.
func newAdvice() *builder.Builder {
	b := builder.New(layout.DomainCustom, builder.Config{Producer: "VM 1", ProducerID: [16]byte{1}})
	for i, calls := range []uint64{1_000_000, 0, 50} {
		p := b.Profile(layout.Key{Name: string(rune('a' + i))}, 7)
		p.Invocations(calls)
		p.Count(builder.Count{Point: 4, Sub: layout.SubIterations, N: 3 * calls})
		p.Count(builder.Count{Point: 9, Sub: layout.SubDeopts + layout.MaxDeoptCause, N: calls / 20})
		finishProfiles(p)
		if calls > 0 {
			b.Internal().Table(disk.TableAdvice, 0).Row(uint64(p.Internal().Ref()), uint64(3-i), 4, uint64(i))
		}
	}
	return b
}

// newVersions has a function of two versions, of which one ran before the last dump, and one of unknown time.
func newVersions() *builder.Builder {
	b := builder.New(layout.DomainLLVMIR, builder.Config{Producer: "clang 19", DumpTime: time.Unix(1_800_000_000, 0)})
	m := b.Method(layout.Key{Name: "main"})
	for code := range uint64(3) {
		p := b.ProfileIn(m, 7+code, 0)
		p.Counters(0, 40+code, 2)
		finishProfiles(p)
	}
	versions := b.Internal().Table(disk.TableVersions, 0)
	versions.Row(uint64(m), 7, 1_700_000_000_000_000_000)
	versions.Row(uint64(m), 8, 0)
	return b
}

// newAccounts has inputs in every state, and losses with and without counts.
func newAccounts() *builder.Builder {
	b := builder.New(layout.DomainLLVMIR, builder.Config{Producer: "clang 19"})
	p := b.Profile(layout.Key{Name: "main"}, 7)
	p.Counters(0, 40, 2)
	finishProfiles(p)
	set := b.Internal()
	for _, in := range []ledger.Input{
		{State: ledger.Expected, Times: 5},
		{Name: "a.profraw", Format: "llvm", State: ledger.Read, Hash: 0x62ace562ad08f150, Times: 1,
			Totals: ledger.Totals{ledger.BlockCounts: 30, ledger.ValueCounts: 4}},
		{Name: "b.profraw", Format: "llvm", State: ledger.Salvaged, Reason: "cut at byte 512", Hash: 9, Times: 1,
			Totals: ledger.Totals{ledger.BlockCounts: 7}},
		{Name: "c.profraw", State: ledger.Damaged, Reason: "cut at byte 40", Times: 1},
		{Name: "d.profraw", State: ledger.Skipped, Reason: "empty", Times: 2},
		{Name: "e.profraw", State: ledger.Missing, Times: 1},
	} {
		set.AddInput(in)
	}
	for _, l := range []ledger.Loss{
		{Operation: "import"}, {Operation: "merge"},
		{Operation: "import", Reason: "value sites", Unit: ledger.ValueCounts, Things: 1, Amount: 4,
			First: "a.profraw: main"},
		{Operation: "import", Reason: "names", Things: 3},
		{Operation: "merge", Reason: ledger.ReasonWeights, Unit: ledger.BlockCounts, Gained: true, Amount: 5},
	} {
		set.AddLoss(l)
	}
	return b
}
