package profileset

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
)

// The account of a set is in its tables inputs and losses. An input has a row with its number of occurrences and no
// unit, and a row for each unit with 0 occurrences.

func (b *Set) AddInput(in ledger.Input) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addInput(in)
}

// addInput implements AddInput. The caller holds mu.
func (b *Set) addInput(in ledger.Input) {
	row := []uint64{b.accountSymbol(in.Name), b.accountSymbol(in.Format), uint64(in.State), b.accountSymbol(in.Reason),
		in.Hash, in.Times, 0, 0}
	t := b.table(disk.TableInputs, 0, disk.TableColumns(disk.TableInputs))
	t.addRow(row)
	for _, u := range ledger.SortedUnits(in.Totals) {
		row[5] = 0
		row[6] = b.accountSymbol(u)
		row[7] = in.Totals[u]
		t.addRow(row)
	}
}

// AddLoss adds a loss to the account. A loss without a reason only records that the operation took place.
func (b *Set) AddLoss(l ledger.Loss) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addLoss(l)
}

// addLoss implements AddLoss. The caller holds mu.
func (b *Set) addLoss(l ledger.Loss) {
	sense := uint64(0)
	if l.Gained {
		sense = 1
	}
	b.table(disk.TableLosses, 0, disk.TableColumns(disk.TableLosses)).addRow([]uint64{b.accountSymbol(l.Operation),
		b.accountSymbol(l.Reason), b.accountSymbol(l.Unit), sense, l.Things, l.Amount, b.accountSymbol(l.First)})
}

// accountSymbol interns a text of the account. The caller holds mu.
func (b *Set) accountSymbol(text string) uint64 {
	if text == "" {
		return 0
	}
	return uint64(b.internSymbol(text, disk.MaxBlob))
}

func (b *Set) Account() (a ledger.Account) {
	b.Locked(func() { a = b.account() })
	return a
}

// account implements Account. The caller holds mu.
func (b *Set) account() ledger.Account {
	text := func(cell uint64) (string, error) { return b.Text(intern.SymbolRef(cell)), nil }
	a, _ := ledger.Decode(b.cellsOf(disk.TableInputs), b.cellsOf(disk.TableLosses), text) // text cannot fail
	return a
}

func (b *Set) cellsOf(kind disk.TableKind) []uint64 {
	if t := b.Tables[kind]; t != nil {
		return t.Cells
	}
	return nil
}

// internAccount interns the symbols that SettleAccount can need. The caller holds mu.
func (b *Set) internAccount() {
	if b.Tables[disk.TableInputs] == nil {
		return
	}
	for _, text := range append([]string{ledger.OperationMerge, ledger.ReasonMerged, ledger.ReasonUnaccounted,
		b.explained.Operation, b.explained.Reason}, ledger.Units...) {
		b.accountSymbol(text)
	}
}

// SettleAccount compares the account with the counts that are written. A difference in a unit in which a count has the
// highest value, or had it before a merge dropped it, is a loss by saturation. Other differences are returned, and are
// kept in the account as unaccounted. The caller holds mu.
func (b *Set) SettleAccount(out ledger.Totals, saturated map[ledger.Unit]bool) (unaccounted []ledger.Difference) {
	if b.Tables[disk.TableInputs] == nil || b.Partial {
		return nil
	}
	a := b.account()
	differences := a.Residual(out)
	for _, d := range differences {
		reason := ledger.ReasonUnaccounted
		operation := ledger.OperationMerge
		switch {
		case saturated[d.Unit] || b.merger.Saturated[d.Unit]:
			reason = ledger.ReasonMerged
			if d.Gained {
				d = ledger.Difference{Unit: d.Unit, Amount: -d.Amount} // modulo 2^64
			}
		case b.explained.Operation != "":
			operation = b.explained.Operation
			reason = b.explained.Reason
		default:
			unaccounted = append(unaccounted, d)
		}
		b.addLoss(ledger.Loss{Operation: operation, Reason: reason, Unit: d.Unit, Gained: d.Gained, Amount: d.Amount})
	}
	if len(differences) > 0 {
		b.Tables[disk.TableLosses].uniteRows()
	}
	b.dropEmptyLosses() // amounts of parts can add up to 0 modulo 2^64
	return unaccounted
}

func (b *Set) dropEmptyLosses() {
	b.keepGroups(disk.TableLosses, func(row rowGroup) bool {
		unit := row[2]
		isEmpty := row[4]|row[5]|row[6] == 0
		return unit == 0 || !isEmpty
	})
}

// Explain names the operation that fills the set, and why its counts differ from its inputs. It is for
// operations whose purpose is a difference, such as a selection of methods, or a dump with the counts of a run.
func (b *Set) Explain(operation, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.explained = ledger.Loss{Operation: operation, Reason: reason}
}

// NoteWeight records how a run's weight changed a count outside profiles. The count of unit u was before and is after.
func (b *Set) NoteWeight(u ledger.Unit, before, after uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteWeight(u, before, after)
}

func (b *Set) counterOf(t ledger.Totals) *ledger.Counter {
	return &ledger.Counter{Domain: b.Domain, Shape: b.Shape, Totals: t}
}

func (b *Set) totalsOfProfile(d *ProfileData) ledger.Totals {
	totals := ledger.Totals{}
	if block, err := b.Blocks.Read(d.Block); err == nil && block != nil {
		b.counterOf(totals).AddBlock(block)
	}
	return totals
}

func (b *Set) noteWeights(before, after ledger.Totals) {
	for u, n := range before {
		b.noteWeight(u, n, after[u])
	}
	for u, n := range after {
		if _, both := before[u]; !both {
			b.noteWeight(u, 0, n)
		}
	}
}

func (b *Set) noteWeight(u ledger.Unit, before, after uint64) {
	w := b.weighed[u]
	switch {
	case after > before:
		w.gained += after - before
	case before > after:
		w.lost += before - after
	}
	if b.weighed == nil {
		b.weighed = map[ledger.Unit]weighed{}
	}
	b.weighed[u] = w
}

type weighed struct{ gained, lost uint64 }

func (b *Set) noteUnmerged(m MethodRef, run RunRules) {
	name := b.Text(b.Methods.At(uint32(m)).Name)
	if b.merger.Reason != "" && run.Source != "" { // of archives, the order of merges decides it
		name = fmt.Sprintf("%s: %s", name, b.merger.Reason)
	}
	switch {
	case run.Line > 0:
		name = fmt.Sprintf("%s:%d: %s", run.Source, run.Line, name)
	case run.Source != "":
		name = fmt.Sprintf("%s: %s", run.Source, name)
	}
	for u, n := range b.merger.Lost {
		b.addUnmerged(u, n, name)
	}
	clear(b.merger.Lost)
	b.merger.Reason = ""
}

func (b *Set) FirstUnmerged() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLosses()
	first := ""
	a := b.account()
	for i := range a.Losses {
		if a.Losses[i].Reason == ledger.ReasonMerged {
			first = ledger.FirstLines(first, a.Losses[i].First)
		}
	}
	if first == "" {
		return nil
	}
	return strings.Split(first, "\n")
}

// A lossOfUnit adds up the losses of merges in one unit. The number of lost entries is not kept, since it depends on
// the order of merges.
type lossOfUnit struct {
	amount uint64
	first  string
}

func (b *Set) addUnmerged(u ledger.Unit, n uint64, name string) {
	if b.unmerged == nil {
		b.unmerged = map[ledger.Unit]*lossOfUnit{}
	}
	l := b.unmerged[u]
	if l == nil {
		l = &lossOfUnit{}
		b.unmerged[u] = l
	}
	l.amount += n
	l.first = ledger.FirstLines(l.first, name)
}

// flushLosses adds the losses of merges to the account. The caller holds mu.
func (b *Set) flushLosses() {
	if b.Tables[disk.TableInputs] == nil {
		return
	}
	for _, u := range ledger.SortedUnits(b.unmerged) {
		l := b.unmerged[u]
		b.addLoss(ledger.Loss{Operation: ledger.OperationMerge, Reason: ledger.ReasonMerged, Unit: u, Amount: l.amount,
			First: l.first})
	}
	for _, u := range ledger.SortedUnits(b.weighed) {
		w := b.weighed[u]
		if w.gained > 0 {
			b.addLoss(ledger.Loss{Operation: ledger.OperationMerge, Reason: ledger.ReasonWeights, Unit: u, Gained: true,
				Amount: w.gained})
		}
		if w.lost > 0 {
			b.addLoss(ledger.Loss{Operation: ledger.OperationMerge, Reason: ledger.ReasonWeights, Unit: u, Amount: w.lost})
		}
	}
	b.unmerged = nil
	b.weighed = nil
}

// EachTableCount yields the counts in tables, which are sampled stacks and used monitors. The caller holds mu.
func (b *Set) EachTableCount(yield func(u ledger.Unit, n uint64)) {
	for kind, u := range ledger.TableUnits {
		if t := b.Tables[kind]; t != nil {
			column := len(disk.TableColumns(kind)) - 1
			for _, g := range t.rowGroups() { // groups are adjacent, and each row repeats the count of its group
				yield(u, g[column])
			}
		}
	}
}

// AccountRun adds the run as an input. Its counts are the present and the lost ones that no other input had. The caller
// holds mu.
func (b *Set) AccountRun(format string) {
	present := ledger.Totals{}
	for _, d := range b.Profiles.All {
		present.AddAll(b.totalsOfProfile(d))
	}
	b.EachTableCount(present.Add)
	run := ledger.Input{Format: format, State: ledger.Read, Times: 1, Totals: ledger.Totals{}}
	a := b.account()
	a.Inputs = append(a.Inputs, run)
	for _, d := range a.Residual(present) {
		if d.Gained {
			run.Totals[d.Unit] = d.Amount
		}
	}
	b.addInput(run)
}

// DroppedVersions is the reason for the loss of profiles that KeepProfiles drops.
const DroppedVersions = "profiles of other versions of the code"

func (b *Set) noteDropped(keep func(d *ProfileData) bool) {
	if b.Tables[disk.TableInputs] == nil {
		return
	}
	lost := ledger.Totals{}
	first := ""
	things := uint64(0)
	for _, d := range b.Profiles.All {
		if keep(d) {
			continue
		}
		block, err := b.Blocks.Read(d.Block)
		if err != nil || block == nil {
			continue
		}
		b.counterOf(lost).AddBlock(block)
		things++
		first = ledger.FirstLines(first, b.Text(b.Methods.At(uint32(d.Method)).Name))
	}
	operation := cmp.Or(b.explained.Operation, ledger.OperationMerge)
	for _, u := range ledger.SortedUnits(lost) {
		b.addLoss(ledger.Loss{Operation: operation, Reason: DroppedVersions, Unit: u, Things: things, Amount: lost[u],
			First: first})
	}
}

// UnmergedAmounts returns the counts that merges dropped since the account was last read.
func (b *Set) UnmergedAmounts() ledger.Totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	lost := ledger.Totals{}
	for u, l := range b.unmerged {
		lost.Add(u, l.amount)
	}
	return lost
}
