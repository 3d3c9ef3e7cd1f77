// Package live reads the profiles of a running HotSpot JVM, of JDK 17 to 25, from
// its memory. The JVM needs no flag and no agent.
//
//	vm, err := live.Attach(ctx, pid)
//	b, report, err := vm.Dump(ctx, live.Options{Stop: true})
//	_, err = b.Commit(ctx, "now.parc")
//
// # How
//
// HotSpot exports tables of its structures for debuggers (gHotSpotVMStructs and
// others, among the dynamic symbols of libjvm.so). They lead from the list of
// class loaders to classes, methods, and each method's MethodData:
//
//	ClassLoaderDataGraph::_head -> ClassLoaderData -> Klass -> Method -> MethodData
//
// Offsets, sizes and settings are those that the VM exports. Others are derived from exported neighbours and
// checked: see schema.methodData, schema.plausible, dataSchema.guessReceiverGap and namer.findLoaderKlassOffset. No object
// of the heap is read, so neither the collector nor compressed pointers matter.
//
// Entries are copied cell by cell; a pointer is recognized by the place of its cell, never by its value. Free
// words among the extra entries are left out. Invocations and backedges are the sums of MethodData and
// MethodCounters, as the VM itself counts and prints them. The invocations of MethodCounters alone are
// recorded as those by the interpreter.
//
// Then the code cache is walked: what the VM has compiled goes into the archive's table of
// compilations, also of methods that have no profile. See codeSchema.
//
// A JVM with profarc's agent has counts of an archive in its MethodData. They are taken off
// by the list that the agent exports: see Options.KeepAdopted and ErrAdopted.
//
// # One moment
//
// A dump first walks while the process runs, and records the spans it reads. Then it holds
// the process, reads the same memory again at once, walks over it, and releases the
// process: see recorder and holding. Of a process that is stopped at its exit the memory
// is copied, and the walk and all that follows is over the copy: see [VM.Detach].
//
// # Trust
//
// The process may change or end at any time, and its memory may be forged. Its tables are checked when they
// are read: every field is in its structure. Every structure is walked once. Structures of a VM do not
// overlap, so together they are no larger than the memory that the process holds, which bounds memory, work
// and time (see BudgetError). A MethodData whose parts do not end exactly at their sizes is left out and
// counted in the [Report]. Nothing is ever written to the process.
package live
