package live

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/compartment"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Options say what is dumped, and how. The zero value dumps every profile and
// does not hold the process.
type Options struct {
	CompiledOnly   bool                       // only methods that were compiled at any time
	MinInvocations uint64                     // only methods that ran so often
	Class          func(internal string) bool // only methods of such classes; nil: all
	// Stop holds the process for the moment of reading, so that all profiles
	// are of one moment.
	Stop bool
	// StopLimit is how long it may be held; 0 is DefaultStopLimit. When it is
	// over the process goes on and the rest is read while it runs.
	StopLimit time.Duration
	// Selection says in words which profiles the options above leave; empty if
	// they leave all. Of two dumps of a process the later one takes the place of
	// the earlier only if it has all profiles, or the same selection.
	Selection string
	Exit      layout.Exit // how the process ends
	// Config is what the archive says of itself; what is not set comes from the
	// VM. Its Params always do.
	Config builder.Config
}

// DefaultStopLimit is how long a process is held at most.
const DefaultStopLimit = 500 * time.Millisecond

// wants reports whether a profile is to be taken.
func (o *Options) wants(s *schema, f *found, headers bool) bool {
	if o.CompiledOnly && !s.everCompiled(f, headers) || o.Class != nil && !o.Class(f.klassName.name) {
		return false
	}
	return o.MinInvocations == 0 || s.header(f.data, f.counters).invocations >= o.MinInvocations
}

// Dump puts the profiles of the VM into a new builder.
func (vm *VM) Dump(ctx context.Context, o Options) (*builder.Builder, *Report, error) {
	run := vm.Provenance(ctx)
	run.Selection, run.Exit = o.Selection, o.Exit
	held := vm.p.held()
	ctx, cancel := timed(ctx, held)
	defer cancel()
	b := &build{vm: vm, meter: newMeter(ctx, held), report: &Report{Producer: vm.producer, Release: vm.release, Run: run, origin: vm.run.origin}}
	b, err := compartment.RunUntil(ctx, b.doing, func() (*build, error) { return b, b.dump(o) })
	if err != nil {
		return nil, nil, vm.p.named(err)
	}
	return b.Builder, b.report, nil
}

// dump reads the VM and fills the builder.
func (b *build) dump(o Options) error {
	vm := b.vm
	mem := newPageCache(vm.p, b.meter)
	params, err := vm.params(mem)
	if err != nil {
		return vm.ended(b.meter, err)
	}
	if b.snap, err = vm.snapshot(b.meter, o, b.report); err != nil {
		return vm.ended(b.meter, err)
	}
	b.shape = vm.schema.data.receiverGap(b.snap.methods, disk.ShapeOf(&params))
	params[layout.ParamReceiverGap] = uint32(b.shape.Gap)
	b.names = newNamer(vm.schema, mem, b.meter)
	b.klasses, b.types = map[uint64]klassName{}, map[uint64]builder.TypeRef{}
	b.methods, b.taken = map[uint64]builder.MethodRef{}, map[builder.MethodRef]bool{}
	b.Builder = builder.New(layout.DomainHotSpot, vm.config(o.Config, params, b.report.Run.Process.Known()))
	b.report.Classes, b.report.Loaders, b.report.Bytes = len(b.snap.klasses), len(b.snap.loaders), b.snap.bytes
	b.loaders = b.names.loaderNames(b.snap)
	if err := b.run(o); err != nil {
		return err
	}
	if !vm.p.alive() { // what was read last may have been read of nothing
		return ErrGone
	}
	return context.Cause(b.meter.ctx)
}

// config completes what an archive says of itself. The dump of a process that is
// identified has an identity by that: see Report.Describe.
func (vm *VM) config(c builder.Config, params layout.Params, identified bool) builder.Config {
	c.Params = params
	if c.Producer == "" {
		c.Producer = vm.producer
	}
	if c.DumpTime.IsZero() {
		c.DumpTime = time.Now()
	}
	if c.DumpID == ([16]byte{}) && !identified {
		c.DumpID = builder.RandomDumpID()
	}
	return c
}

// snapshot walks once while the process runs and, if it is to be held, once
// more while it stands still.
func (vm *VM) snapshot(m *meter, o Options, report *Report) (*snapshot, error) {
	begun := time.Now()
	arrays := map[uint64][]uint64{}
	cache := newPageCache(vm.p, m)
	record := &recorder{source: cache, sizes: map[uint64]int{}}
	methodArray := func(src source) func(uint64) ([]uint64, error) {
		return func(addr uint64) ([]uint64, error) {
			if a, ok := arrays[addr]; ok {
				return a, nil
			}
			a, err := vm.schema.methodArray(src, addr)
			if err == nil {
				arrays[addr] = a
			}
			return a, err
		}
	}
	snap, err := newWalker(vm.schema, record, m, methodArray(cache)).walk()
	report.Running = time.Since(begun)
	if m.end != nil || !o.Stop {
		return snap, err
	}
	again, last := record.replay(vm.p, m)
	if last != nil {
		return nil, last
	}
	for range holdAttempts {
		var held *snapshot
		busy := vm.p.hold(func(h *holding) (err error) {
			held, err = vm.again(again, methodArray(again), h, o, report)
			return err
		})
		if !isBusy(busy) || m.ctx.Err() != nil {
			return held, busy
		}
		last = busy
		time.Sleep(holdPause)
	}
	if !errors.Is(last, errBusy) {
		return nil, last
	}
	return snap, err // of the first walk
}

// A process that cannot be held at once, because the machine is busy or another
// dump holds it, is tried again.
const (
	holdAttempts = 8
	holdPause    = 30 * time.Millisecond
)

// isBusy reports whether it may be that a process can be held a moment later.
// Who may read a process may trace it, so that a refusal is a tracer's doing,
// even if it has gone before anybody could ask for it.
func isBusy(err error) bool {
	return errors.Is(err, errBusy) || errors.Is(err, ErrTraced) || errors.Is(err, ErrPermission)
}

// again walks while the process is held, for as long as it may be.
func (vm *VM) again(src *replay, methodArray func(uint64) ([]uint64, error), h *holding, o Options, report *Report) (*snapshot, error) {
	limit := cmp.Or(o.StopLimit, DefaultStopLimit)
	report.Threads, report.Consistent = len(h.threads), true
	src.tick = func() {
		if h.threads != nil && time.Since(h.begun) > limit {
			h.release()
			report.Consistent = false
		}
	}
	defer func() {
		h.release()
		report.Stopped = h.lasted
	}()
	if err := src.load(); err != nil {
		return nil, err
	}
	return newWalker(vm.schema, src, src.meter, methodArray).walk()
}
