package profarc

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// A loss adds up the functions or rows that a dump leaves out for one reason.
type loss struct {
	things uint64
	counts ledger.Totals
	first  string // the first few, one a line
}

func newLoss() loss { return loss{counts: ledger.Totals{}} }

func (l *loss) addName(name string) {
	l.things++
	l.first = ledger.FirstLines(l.first, fmt.Sprintf("%.80q", name))
}

func nameOf(k layout.Key) string { return strings.TrimPrefix(k.Class+"."+k.Name, ".") }

// shownLost is the number of functions and rows that a merge.Dropped names.
const shownLost = 8

// leaveOut counts a function with a key that no archive can hold.
func (d *dump) leaveOut(f *Function) {
	d.left.addName(nameOf(f.key))
	d.left.counts.AddAll(totalsOf(d.readOwn(f), d.read))
	d.lost.Profiles++
	if len(d.lost.Lost) < shownLost {
		d.lost.Lost = append(d.lost.Lost, merge.LostProfile{Method: f.key, Err: f.bad})
	}
}

// totalsOf returns the counts of sites. read has the counts of their blocks.
func totalsOf(sites *site, read map[*wordBlock][]uint64) ledger.Totals {
	counts := ledger.Totals{}
	for s := sites; s != nil; s = s.next {
		for i, n := range s.countsOf(read) {
			switch {
			case s.at == countersAt:
				counts.Add([]ledger.Unit{ledger.Invocations, ledger.Backedges}[i], n)
			case s.isCount(i):
				counts.Add(ledger.UnitOf(layout.DomainCustom, s.at.tag, s.at.sub), n)
			}
		}
	}
	return counts
}

// dropRow counts a row whose type has a name that no archive can hold.
func (d *dump) dropRow(f *Function, s *site, t *Type) {
	d.others.addName(t.name)
	d.lost.Rows++
	if len(d.lost.First) < shownLost {
		d.lost.First = append(d.lost.First, merge.DroppedRow{Method: f.key, Point: s.at.point, Reason: t.bad.Error()})
	}
}

// noteLosses adds the losses to the account of the archive.
func (d *dump) noteLosses() {
	d.noteLoss(&d.left, ledger.Invocations, "functions with a key that the format cannot hold")
	d.noteLoss(d.pruned, ledger.Invocations, profileset.DroppedVersions)
	d.noteLoss(&d.others, ledger.TypeCounts, "types with a name that the format cannot hold, which count as others")
}

// noteLoss adds a loss to the account. It names the unit also if the loss has no counts.
func (d *dump) noteLoss(l *loss, unit ledger.Unit, reason string) {
	if l.things == 0 {
		return
	}
	l.counts[unit] += 0
	for _, u := range ledger.SortedUnits(l.counts) {
		d.b.Internal().AddLoss(ledger.Loss{Operation: ledger.OperationDump, Reason: reason, Unit: u, Things: l.things,
			Amount: l.counts[u], First: l.first})
	}
}
