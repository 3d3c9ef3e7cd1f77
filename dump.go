package profarc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// ErrMixed: a run writes dumps or checkpoints. The two have the same counts, and a merge of both would sum them.
var ErrMixed = errors.New("a run writes dumps or checkpoints, not both")

// A form is what a run writes.
type form int

const (
	undecided form = iota
	totals
	increments
)

// Dump writes an archive of what the archive at the start had and what this run has counted since. It may replace
// the file that the run began with: the next run begins with the sum. Of two dumps of one run the later has all
// that the earlier has, and a merge takes the later one.
//
// The file appears whole or not at all. Damaged profiles of the archive are left out, and returned; the rest is
// written. The error matches ErrMixed if the run has written checkpoints.
func (r *Run) Dump(ctx context.Context, path string) (merge.Dropped, error) {
	return r.write(ctx, path, totals)
}

// Checkpoint writes what the run has counted since its last checkpoint, for a process that goes on for long, or
// for one of many that begin with the same archive. The checkpoints of a run, the archive that it began with,
// and the checkpoints of other runs are summed by a merge, in any order; with one that is lost, only what was
// counted in its time is. After an error the next checkpoint has the counts of this one too.
func (r *Run) Checkpoint(ctx context.Context, path string) (merge.Dropped, error) {
	return r.write(ctx, path, increments)
}

// write writes an archive in a form.
func (r *Run) write(ctx context.Context, path string, f form) (lost merge.Dropped, err error) {
	r.dumping.Lock()
	defer r.dumping.Unlock()
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
	// A function whose profile in the archive lacks a point has two, which are summed.
	b.Internal().NextRun(profileset.RunRules{})
	d := dump{b: b, totals: r.form == totals}
	for _, f := range r.used() {
		if err := d.function(f); err != nil {
			return lost, fmt.Errorf("%s.%s: %w", f.key.Class, f.key.Name, err)
		}
	}
	_, err = b.Commit(ctx, path)
	if err == nil && r.form == increments {
		r.since = id
		r.counted.Keep()
		d.keep()
	}
	return lost, err
}

// copyArchive copies what has been counted in the archive.
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

// process returns which process the run is, and which run of it: several VMs of one process count for themselves.
func (r *Run) process() layout.Process {
	p := profileset.ThisProcess()
	p.Namespace |= r.number << 32
	return p
}

// used returns the functions of the run so far.
func (r *Run) used() []*Function {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.order[:len(r.order):len(r.order)]
}

// builder returns an empty builder of the VM's archives.
func (r *Run) builder(id [16]byte, run *layout.Provenance) (*builder.Builder, error) {
	c := builder.Config{Producer: r.vm.Name, ProducerID: r.vm.ID, DumpID: id, DumpTime: time.Now(),
		ReceiverRows: r.vm.Rows, Run: run}
	if r.since != [16]byte{} {
		c.Flags = disk.FlagDelta
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
