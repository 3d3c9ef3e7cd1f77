// Package builder takes profiles in and lays an archive out.
//
// A [Builder] interns types, methods and contexts, takes one profile for each
// (method, code id, context), and writes them with [Builder.Commit]. What it
// writes depends on what was given alone: not on the order of the calls, the
// number of goroutines, or the machine.
//
//	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
//	m := b.Method(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
//	p := b.Profile(m, 0, builder.NoContext)
//	p.Invocations(61205)
//	p.VirtualCall(builder.At{Bci: 6}, 60949, 0)
//	if err := p.Done(); err != nil { ... }
//	report, err := b.Commit(ctx, "app.parc")
//
// # Several runs
//
// What one run gives twice is refused. [Builder.NextRun] says that what follows
// is of another run, and [Builder.Merge] takes a whole archive as one: profiles
// of the same method, code and context are then merged, with a [Weight]. What
// comes out does not depend on the order. [Builder.KeepVersions] and
// [Builder.NarrowRows] are steps behind a merge, [Reduce] makes a part of an
// archive.
//
// Every method of a Builder may be called from several goroutines at once; one
// Profile belongs to one goroutine until Done.
//
// # Errors
//
// Calls that add something keep the first error and go on as no-ops, so that a
// long row of calls needs one check: [Profile.Done] gives the error of that
// profile, [Builder.Err] and Commit that of the builder.
package builder
