// Package live reads the profiles of a running HotSpot JVM, of JDK 17 to 25, from its memory. The JVM needs no flag
// and no agent.
//
//	vm, err := live.Attach(ctx, pid)
//	b, report, err := vm.Dump(ctx, live.Options{Stop: true})
//	_, err = b.Commit(ctx, "now.parc")
//
// # How
//
// HotSpot exports tables of its structures for debuggers (gHotSpotVMStructs and others, among the dynamic symbols of
// libjvm.so). They lead from the list of class loaders to classes, methods, and each method's MethodData:
//
//	ClassLoaderDataGraph::_head -> ClassLoaderData -> Klass -> Method -> MethodData
//
// The VM exports most offsets, sizes and settings. Others are derived from exported neighbors and checked: see
// schema.lookUpMethodData, schema.isPlausible, dataSchema.guessReceiverGap and namer.findLoaderKlassOffset. No heap
// object is read, so neither the collector nor compressed pointers matter.
//
// Entries are copied cell by cell. The position of a cell, never its value, determines whether it is a pointer. Free
// words among the extra entries are omitted. Invocations and backedges are the totals of MethodData and MethodCounters,
// as the VM itself counts and prints them. The invocations of MethodCounters alone are recorded as interpreted.
//
// Then the code cache is walked. Compiled code is recorded in the archive's table of compilations, including code of
// methods without a profile. See codeSchema.
//
// In a JVM with profarc's agent, MethodData includes counts of an archive. They are subtracted with the list that the
// agent exports: see Options.KeepAdopted and ErrAdopted.
//
// # Consistency
//
// A dump first walks while the process runs and records the spans it reads. Then it holds the process, reads the same
// memory again at once, walks over it, and releases the process: see recorder and holding. If a process is stopped at
// its exit, its memory is copied, and the walk and everything after it use the copy: see [VM.Detach].
//
// # Trust
//
// The process may change or end at any time, and its memory may be forged. Its tables are checked when they are read,
// so that every field is inside its structure. Every structure is walked once. Structures of a VM do not overlap, so
// in total they are no larger than the memory that the process holds. This limits memory, work and time (see
// BudgetError). A MethodData whose parts do not end exactly at their sizes is omitted and counted in the [Report].
// Nothing is ever written to the process.
package live
