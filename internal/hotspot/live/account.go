package live

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
)

// Names in the account of a dump.
const (
	accountFormat = "hotspot" // a running JVM
	notSelected   = "profiles that were not selected"
)

type account struct {
	totals ledger.Totals
	lost   map[string]*lostProfiles
}

type lostProfiles struct {
	profiles uint64
	totals   ledger.Totals
	first    string
}

func (b *build) countMethod(f *profiledMethod) { b.account.totals.AddAll(b.totalsOf(f)) }

func (b *build) totalsOf(f *profiledMethod) ledger.Totals {
	c := ledger.Counter{Shape: b.shape, Totals: ledger.Totals{}}
	if f.data == nil {
		return c.Totals
	}
	h := b.vm.schema.decodeHeader(f.data, f.counters)
	c.Totals.Add(ledger.Invocations, h.invocations)
	c.Totals.Add(ledger.Backedges, h.backedges)
	for _, e := range f.sections[disk.SectionData] {
		c.AddEntry(e)
	}
	return c.Totals
}

func (b *build) leaveOut(f *profiledMethod, reason string) {
	l := b.account.lost[reason]
	if l == nil {
		l = &lostProfiles{totals: ledger.Totals{}}
		b.account.lost[reason] = l
	}
	l.profiles++
	l.totals.AddAll(b.totalsOf(f))
	l.first = ledger.FirstLines(l.first, f.displayName())
}

func (b *build) addAccount() {
	set := b.Internal()
	set.AddInput(ledger.Input{Name: b.report.Run.Main, Format: accountFormat, State: ledger.Read, Times: 1,
		Totals: b.account.totals})
	set.AddLoss(ledger.Loss{Operation: ledger.OperationDump})
	for reason, l := range b.account.lost {
		set.AddLoss(ledger.Loss{Operation: ledger.OperationDump, Reason: reason, Things: l.profiles, First: l.first})
		for _, u := range ledger.SortedUnits(l.totals) {
			set.AddLoss(ledger.Loss{Operation: ledger.OperationDump, Reason: reason, Unit: u, Amount: l.totals[u]})
		}
	}
}
