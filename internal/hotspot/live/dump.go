package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// Options select the profiles of a dump and control reading. The zero value dumps all without holding the process.
type Options struct {
	CompiledOnly   bool                       // only methods that were ever compiled
	MinInvocations uint64                     // only methods with at least this number of invocations
	Class          func(internal string) bool // only methods of classes that Class accepts; nil for all
	// Stop holds the process while it is read, so that all profiles show the same moment.
	Stop bool
	// StopLimit is the maximum time to hold the process; 0 for DefaultStopLimit. The rest is read while it runs.
	StopLimit time.Duration
	// Selection describes the selected profiles in words; empty if all. A later dump of a process replaces an earlier
	// one only if it has all profiles or the same selection.
	Selection string
	Exit      layout.Exit // how the process ends
	// KeepAdopted includes the counts that the JVM has adopted from an archive, as its compilers see them. The dump then
	// names the archive and cannot be merged with it.
	KeepAdopted bool
	// Began is the time of the exec of the VM's program in clock ticks since the machine was booted, if the process ran
	// another VM before. It distinguishes the runs. 0 is the start of the process.
	Began uint64
	// Config configures the archive. Zero fields are set from the VM, and Params always is.
	Config builder.Config
}

// ticksPerSecond is the clock tick rate of start times in /proc (USER_HZ).
const ticksPerSecond = 100
const DefaultStopLimit = 500 * time.Millisecond

func (o *Options) selectsProfile(s *schema, f *profiledMethod, headers bool) bool {
	if o.CompiledOnly && !s.everCompiled(f, headers) || o.Class != nil && !o.Class(f.klassName.name) {
		return false
	}
	return o.MinInvocations == 0 || s.decodeHeader(f.data, f.counters).invocations >= o.MinInvocations
}

func (vm *VM) Dump(ctx context.Context, o Options) (*builder.Builder, *Report, error) {
	run := vm.Provenance(ctx)
	run.Selection = o.Selection
	run.Exit = o.Exit
	if o.Began > run.Process.Start && run.Process.Known() {
		run.Begun = run.Begun.Add(time.Duration(o.Began-run.Process.Start) * time.Second / ticksPerSecond)
		run.Process.Start = o.Began
	}
	b := &build{vm: vm, report: &Report{Release: vm.release, Run: run, origin: vm.run.origin,
		Recorded: Recorded{Producer: vm.producer, Refused: []Refused{}}}}
	_, err := readLimited(ctx, vm.p, b.description, func(m *meter) (struct{}, error) {
		b.meter = m
		return struct{}{}, b.readDump(o)
	})
	if err != nil {
		return nil, nil, vm.p.addProcess(err)
	}
	return b.Builder, b.report, nil
}

func (b *build) readDump(o Options) error {
	vm := b.vm
	mem := newPageCache(vm.p, b.meter)
	params, err := vm.shapingParams(mem)
	if err != nil {
		return vm.endReason(b.meter, err)
	}
	found, err := vm.findAgents(b.meter)
	if err != nil {
		return vm.endReason(b.meter, err)
	}
	b.snap, err = vm.takeSnapshot(b.meter, found, o, b.report)
	if err != nil {
		return vm.endReason(b.meter, err)
	}
	b.keepAdopted = o.KeepAdopted
	if b.snap.adopted.unreadable && !b.keepAdopted {
		return ErrAdopted
	}
	b.describeAdopted()
	b.shape = vm.schema.data.guessReceiverGap(b.snap.methods, disk.ShapeOfParams(&params))
	params.ReceiverGap = uint32(b.shape.Gap)
	b.names = newNamer(vm.schema, mem, b.meter)
	b.klasses = map[uint64]klassName{}
	b.types = map[uint64]builder.TypeRef{}
	b.methods = map[uint64]builder.MethodRef{}
	b.taken = map[builder.MethodRef]uint64{}
	b.account = account{ledger.Totals{}, map[string]*lostProfiles{}}
	config := vm.archiveConfig(o.Config, params, b.report.Run.Process.Known())
	if b.snap.adopted.wrote && !b.keepAdopted {
		config.Flags |= disk.FlagDelta
	}
	b.Builder = builder.New(layout.DomainHotSpot, config)
	b.report.Classes = len(b.snap.klasses)
	b.report.Loaders = len(b.snap.loaders)
	b.report.Bytes = b.snap.bytes
	b.loaders = b.names.loaderNames(b.snap)
	if err := b.buildProfiles(o); err != nil {
		return err
	}
	if !vm.p.isAlive() { // the last reads may have failed
		return ErrGone
	}
	return context.Cause(b.meter.ctx)
}

// archiveConfig completes the archive's configuration. A known process determines the identity; see Report.Describe.
func (vm *VM) archiveConfig(c builder.Config, params layout.Params, identified bool) builder.Config {
	c.Params = params
	if c.Producer == "" {
		c.Producer = vm.producer
	}
	if c.DumpTime.IsZero() {
		c.DumpTime = time.Now()
	}
	if c.DumpID == ([16]byte{}) && !identified {
		c.DumpID = disk.RandomDumpID()
	}
	return c
}

func (vm *VM) takeSnapshot(m *meter, of agents, o Options, report *Report) (*snapshot, error) {
	begun := time.Now()
	arrays := map[uint64][]uint64{}
	cache := newPageCache(vm.p, m)
	record := &recorder{source: cache}
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
	snap, err := vm.newWalker(record, m, of, methodArray(cache)).walkLoaders()
	report.Running = time.Since(begun)
	if m.end != nil || !o.Stop {
		return snap, err
	}
	again, last := record.newReplay(vm.p, m)
	if last != nil {
		return nil, last
	}
	for range holdAttempts {
		var held *snapshot
		busy := vm.p.holdWhile(func(h *holding) (err error) {
			held, err = vm.walkHeld(again, of, methodArray(again), h, o, report)
			return err
		})
		if !isRetryable(busy) || m.ctx.Err() != nil {
			return held, busy
		}
		last = busy
		time.Sleep(holdPause)
	}
	if !errors.Is(last, errBusy) {
		return nil, last
	}
	return snap, err // result of the first walk
}

func (vm *VM) newWalker(src source, m *meter, of agents, methodArray func(addr uint64) ([]uint64, error)) *walker {
	w := newWalker(vm.schema, src, m, methodArray)
	w.detached = vm.detached
	w.agents = of
	return w
}

// Retries if a process cannot be held, because the machine is busy or another dump holds it.
const (
	holdAttempts = 8
	holdPause    = 30 * time.Millisecond
)

// isRetryable reports whether holding a process may succeed a moment later. A user who may read a process may also
// trace it. A missing permission therefore means that another tracer, which may have ended since, held it.
func isRetryable(err error) bool {
	return errors.Is(err, errBusy) || errors.Is(err, ErrTraced) || errors.Is(err, ErrPermission)
}

func (vm *VM) walkHeld(src *replay, of agents, methodArray func(uint64) ([]uint64, error), h *holding, o Options,
	report *Report) (*snapshot, error) {
	limit := cmp.Or(o.StopLimit, DefaultStopLimit)
	report.Threads = len(h.threads)
	report.Consistent = true
	src.tick = func() {
		if (h.threads != nil || h.resume != nil) && time.Since(h.begun) > limit {
			h.releaseThreads()
			report.Consistent = false
		}
	}
	defer func() {
		h.releaseThreads()
		report.Stopped = h.lasted
	}()
	if err := src.readSpans(); err != nil {
		return nil, err
	}
	return vm.newWalker(src, src.meter, of, methodArray).walkLoaders()
}

// A MethodCode is a method of a loaded class with its bytecodes, as the VM has rewritten them.
type MethodCode struct {
	Class, Loader, Name, Signature string
	Code                           []byte // empty for native and abstract methods
	// Instructions are the bytecodes with their names; nil if these cannot be read.
	Instructions []bytecode.Instruction
}

// Methods calls yield with every method of every loaded class, with or without a profile, if its names can be read.
func (vm *VM) Methods(ctx context.Context, yield func(MethodCode) error) error {
	methods, err := readLimited(ctx, vm.p, func() string { return "read the methods of a JVM" }, vm.readMethodCode)
	if err != nil {
		return vm.p.addProcess(err)
	}
	return lists.Each(methods, yield)
}

func (vm *VM) readMethodCode(m *meter) (all []MethodCode, err error) {
	mem := newPageCache(vm.p, m)
	w := newWalker(vm.schema, mem, m, func(addr uint64) ([]uint64, error) { return vm.schema.methodArray(mem, addr) })
	w.allMethods = true
	snap, err := w.walkLoaders()
	if err != nil {
		return nil, vm.endReason(m, err)
	}
	names := newNamer(vm.schema, mem, m)
	loaders := names.loaderNames(snap)
	for i := range snap.methods {
		if err := m.countStep(); err != nil {
			return nil, err
		}
		method, err := names.readConstMethod(snap.methods[i].constMethod)
		if err != nil {
			continue
		}
		k := snap.klasses[snap.methods[i].klass]
		class, err := names.symbolText(k.name)
		if err != nil {
			continue
		}
		list, _ := names.instructions(&method)
		all = append(all, MethodCode{class, loaders[k.loader], method.name, method.signature, method.code, list})
	}
	if !vm.p.isAlive() { // the last reads may have failed
		return nil, ErrGone
	}
	return all, m.end
}

// Unprofiled returns the flag that disables profiling in the VM, as on a command line. It is "" if the VM records
// profiles or has ended. The flags of a starting VM are not set yet.
func (vm *VM) Unprofiled() string {
	mem := newPageCache(vm.p, newMeter(context.Background(), vm.p.heldBytes()))
	off := func(name string) bool {
		v, ok := vm.flags[name].readValue(mem)
		return ok && v == 0
	}
	level, known := vm.flags["TieredStopAtLevel"].readValue(mem)
	switch {
	case off("UseCompiler") && off("UseLoopCounter"):
		return "-Xint"
	case !off("ProfileInterpreter"):
		return ""
	case known && level <= simpleLevel:
		return fmt.Sprintf("-XX:TieredStopAtLevel=%d", level)
	case !off("TieredCompilation"): // CompilationMode itself is not a number, so it is not read
		return "-XX:CompilationMode=quick-only"
	}
	return "-XX:-ProfileInterpreter"
}

// simpleLevel is the highest compilation level without profiling, C1 without counters.
const simpleLevel = 1
