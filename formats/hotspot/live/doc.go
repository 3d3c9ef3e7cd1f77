// Package live reads the profiles of a running HotSpot JVM, of JDK 17 and
// later, out of its memory. The JVM needs no flag and no agent.
//
//	vm, err := live.Attach(pid)
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
// Offsets, sizes and settings are those that the VM exports. What it does not
// export is derived from exported neighbours and checked: see schema.methodData,
// schema.plausible, dataSchema.receiverGap and namer.loaderKlass. No object of
// the heap is read, so that neither the collector nor compressed pointers
// matter.
//
// Entries are copied cell by cell; a pointer is recognized by the place of its
// cell, never by its value. Free words among the extra entries are left out.
// Invocations and backedges are those of MethodData and MethodCounters together,
// as the VM itself counts and prints them; the invocations of MethodCounters
// alone are kept as those by the interpreter.
//
// # One moment
//
// A dump walks while the process runs, and notes what it reads. Then it holds
// the process, reads all of that again at once, walks over it, and releases it: see
// recorder and holding.
//
// # Trust
//
// The process may change or end at any time, and may be anything. What its tables
// say is checked when the tables are read: every field lies in its structure.
// Every structure is walked once. Structures of a VM do not overlap, so that all
// that are walked are no larger than the memory that the process holds; that
// bounds memory, work and time (see BudgetError). Every MethodData must end
// exactly at the sizes that it states, or is left out and counted in the
// [Report]. Nothing is ever written to the process.
package live
