package profarc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// ErrMixed means that one run called both Dump and Checkpoint. They contain the same counts, and merging both would
// count them twice.
var ErrMixed = errors.New("a run writes dumps or checkpoints, not both")

// A form is the kind of archive that a run writes.
type form int

const (
	undecided form = iota
	totals
	increments
)

// Dump writes an archive with the counts of the initial archive plus the counts of this run. It can replace the initial
// file, so that the next run continues from these counts. A later dump of the same run includes an earlier one, and a
// merge uses only the later one.
//
// Dump replaces the file at path atomically. A path of "" is the path with which the run started. Dump leaves out
// damaged profiles of the initial archive, and functions and types with a name that no archive can hold, and returns
// them. The error matches layout.ErrIdentity if the file at path is an archive of another VM, which stays, and ErrMixed
// if the run has written checkpoints.
func (r *Run) Dump(ctx context.Context, path string) (merge.Dropped, error) {
	return r.write(ctx, cmp.Or(path, r.path), totals)
}

// Checkpoint writes the counts since the run's last checkpoint. It is meant for long-running processes, and for many
// processes that start with the same archive. A merge adds the initial archive and the checkpoints of all runs, in any
// order. Losing a checkpoint loses only its own counts. After an error, the next checkpoint includes the counts of the
// failed one. The error matches ErrMixed if the run has written dumps, and otherwise the errors of Dump.
func (r *Run) Checkpoint(ctx context.Context, path string) (merge.Dropped, error) {
	return r.write(ctx, path, increments)
}

func (r *Run) write(ctx context.Context, path string, f form) (lost merge.Dropped, err error) {
	r.dumping.Lock()
	defer r.dumping.Unlock()
	defer r.compactReleased()
	if r.bad != nil {
		return lost, r.bad
	}
	if r.form != undecided && r.form != f {
		return lost, ErrMixed
	}
	r.form = f
	id := disk.RandomDumpID()
	b, err := r.builder(id, &layout.Provenance{VM: r.vm.Name, Process: r.process(), Since: r.since})
	if err != nil {
		return lost, err
	}
	lost, err = r.copyArchive(ctx, b)
	if err != nil {
		return lost, err
	}
	// A function can be recorded twice, from the archive and from its own counters. NextRun lets the builder add both.
	b.Internal().NextRun(profileset.RunRules{})
	d := dump{b: b, lost: &lost, pruned: &r.pruned, left: newLoss(), others: newLoss(), totals: r.form == totals,
		read: map[*wordBlock][]uint64{}}
	if err := d.functions(r); err != nil {
		return lost, err
	}
	d.noteLosses()
	err = merging.BoundVersions(ctx, b.Internal(), r.vm.Versions)
	if err == nil {
		err = r.checkTarget(path)
	}
	if err == nil {
		_, err = b.Commit(ctx, path)
	}
	if err == nil && r.form == increments {
		r.since = id
		r.counted.Keep()
		d.keep(r)
	}
	return lost, err
}

// copyArchive copies the adopted archive, or for checkpoints only its increments, to the builder.
func (r *Run) copyArchive(ctx context.Context, b *builder.Builder) (lost merge.Dropped, err error) {
	switch {
	case r.form == increments:
		if r.store != nil {
			lost, err = r.counted.Snapshot(ctx, b, r.store)
		}
	case r.store != nil:
		lost, err = merge.Snapshot(ctx, b, r.store, merge.Totals)
	}
	return lost, err
}

// process identifies the process and the run within it, so that several VMs of one process count separately.
func (r *Run) process() layout.Process {
	p := profileset.ThisProcess()
	p.Namespace |= r.number << 32
	return p
}

// used returns the functions of the run in the order of their first use.
func (r *Run) used() []*Function {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inUse()
}

// inUse implements used. The caller holds mu.
func (r *Run) inUse() []*Function {
	return slices.DeleteFunc(slices.Clone(r.order), func(f *Function) bool { return f.number < 0 })
}

// builder returns an empty builder for archives of this VM.
func (r *Run) builder(id [16]byte, run *layout.Provenance) (*builder.Builder, error) {
	c := builder.Config{Producer: r.vm.Name, ProducerID: r.vm.ID, DumpID: id, DumpTime: time.Now(),
		ReceiverRows: r.vm.Rows, Run: run}
	if r.since != [16]byte{} {
		c.Flags = disk.FlagDelta
	}
	if r.store != nil {
		c.Params = r.store.Header().Params
	}
	b := builder.New(layout.DomainCustom, c)
	if err := b.Internal().CheckProducer(); err != nil {
		return nil, err
	}
	for _, s := range r.vm.Shapes {
		if err := b.DeclareShape(s); err != nil {
			return nil, err
		}
	}
	return b, b.Err()
}

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
