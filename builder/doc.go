// Package builder records profiles and writes archives.
//
// A [Builder] interns types, methods and contexts, takes one profile for each (method, code id, context), and
// writes them with [Builder.Commit]. The bytes depend only on what was recorded: not on the order of the
// calls, the number of goroutines, or the machine.
//
//	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
//	p := b.Profile(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, 0)
//	p.Invocations(61205)
//	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949})
//	if err := p.Done(); err != nil { ... }
//	report, err := b.Commit(ctx, "app.parc")
//
// A profile that was recorded twice is refused, with [ErrDuplicate]; the first stays. Package merge puts whole
// archives into a builder, with a weight for each run.
//
// All methods of a Builder may be called by several goroutines at once. A
// [Profile] belongs to one goroutine until Done.
//
// # Errors
//
// Calls that record something keep the first error and do nothing after it, so that a long row of calls needs
// one check: [Profile.Done] returns the error of that profile, [Builder.Err] and Commit return the builder's.
package builder
