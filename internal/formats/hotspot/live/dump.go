package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// Options say what is dumped, and how. The zero value dumps every profile and
// does not hold the process.
type Options struct {
	CompiledOnly   bool                       // only methods that have compiled code
	MinInvocations uint64                     // only methods that ran so often
	Class          func(internal string) bool // only methods of such classes; nil: all
	// Stop holds the process for the moment of reading, so that all profiles
	// are of one moment.
	Stop bool
	// StopLimit is how long it may be held; 0 is DefaultStopLimit. When it is
	// over the process goes on and the rest is read while it runs.
	StopLimit time.Duration
	// Config is what the archive says of itself; what is not set comes from the
	// VM. Its Params always do.
	Config builder.Config
}

// DefaultStopLimit is how long a process is held at most.
const DefaultStopLimit = 500 * time.Millisecond

// wants reports whether a profile is to be taken.
func (o *Options) wants(s *schema, f *found) bool {
	if o.CompiledOnly && !f.compiled || o.Class != nil && !o.Class(f.klassName.name) {
		return false
	}
	return o.MinInvocations == 0 || s.header(f.data, f.counters).invocations >= o.MinInvocations
}

// Dump puts the profiles of the VM into a new builder.
func (vm *VM) Dump(ctx context.Context, o Options) (*builder.Builder, *Report, error) {
	mem := newPageCache(vm.p)
	params, err := vm.params(mem)
	if err != nil {
		return nil, nil, vm.p.ended(err)
	}
	report := &Report{Producer: vm.producer, Release: vm.release}
	snap, err := vm.snapshot(ctx, o, report)
	if err != nil {
		return nil, nil, vm.p.ended(err)
	}
	shape := vm.schema.data.receiverGap(snap.methods, params.Shape())
	params[layout.ParamReceiverGap] = uint32(shape.Gap)
	b := &build{
		vm: vm, snap: snap, shape: shape, report: report,
		names:   &namer{vm.schema, mem, map[uint64]string{}},
		klasses: map[uint64]klassName{}, types: map[uint64]builder.TypeRef{},
		methods: map[uint64]builder.MethodRef{}, taken: map[builder.MethodRef]bool{},
		Builder: builder.New(layout.DomainHotSpot, vm.config(o.Config, params)),
	}
	report.Classes, report.Loaders, report.Bytes = len(snap.klasses), len(snap.loaders), snap.bytes
	b.loaders = b.names.loaderNames(snap)
	if err := b.run(o); err != nil {
		return nil, nil, err
	}
	if !vm.p.alive() { // what was read last may have been read of nothing
		return nil, nil, vm.p.named(ErrGone)
	}
	return b.Builder, report, ctx.Err()
}

// config completes what an archive says of itself.
func (vm *VM) config(c builder.Config, params layout.Params) builder.Config {
	c.Params = params
	if c.Producer == "" {
		c.Producer = vm.producer
	}
	if c.DumpTime.IsZero() {
		c.DumpTime = time.Now()
	}
	if c.DumpID == ([16]byte{}) {
		_, _ = rand.Read(c.DumpID[:]) // never fails
	}
	return c
}

// snapshot walks once while the process runs and, if it is to be held, once
// more while it stands still.
func (vm *VM) snapshot(ctx context.Context, o Options, report *Report) (*snapshot, error) {
	begun := time.Now()
	arrays := map[uint64][]uint64{}
	cache := newPageCache(vm.p)
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
	snap, err := vm.schema.walk(record, methodArray(cache))
	report.Running = time.Since(begun)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !o.Stop {
		return snap, err
	}
	again := record.replay(vm.p)
	var last error
	for range holdAttempts {
		var held *snapshot
		busy := vm.p.hold(func(h *holding) (err error) {
			held, err = vm.again(again, methodArray(again), h, o, report)
			return err
		})
		if !isBusy(busy) {
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
	return vm.schema.walk(src, methodArray)
}
