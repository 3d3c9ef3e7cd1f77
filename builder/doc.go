// Package builder records profiles and writes archives.
//
// A [Builder] interns types, methods and contexts. It takes one profile for each (method, code ID, context), and
// [Builder.Commit] writes them. The bytes depend only on the recorded data, not on the order of the calls, the number
// of goroutines or the machine.
//
//	b := builder.New(layout.DomainHotSpot, builder.Config{Params: builder.HotSpotParams(25)})
//	p := b.Profile(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, layout.CodeUnknown)
//	p.Invocations(61205)
//	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949})
//	if err := p.Done(); err != nil { ... }
//	report, err := b.Commit(ctx, "app.parc")
//
// A second profile of the same method, code ID and context is refused with [ErrDuplicate], and the first is kept.
// Package merge adds whole archives to a builder, with a weight for each run.
//
// Several goroutines may call the methods of a Builder at once. A [Profile] belongs to one goroutine until Done.
//
// # Entries
//
// The domain of an archive determines which entries its profiles have. [Profile] has three groups of methods for
// entries. Calling a method that the domain does not have makes Done fail.
//
//	domain                  entries
//	layout.DomainHotSpot    HotSpot's own, with an At:
//	                        Bit Branch CallType Counter Jump MultiBranch ReceiverType Ret VirtualCall VirtualCallType
//	LLVM's, Graal's,        entries with a point:
//	JamaicaVM's and others  Bitmap Callees Count Counters Receivers Successors ValueSite
//	layout.DomainCustom     the same, Branch, and Custom with a shape of Builder.DeclareShape
//
// Profiles of every domain have the method's counters Invocations, Backedges and Interpreted.
//
// # Errors
//
// Calls that record data keep the first error and do nothing after it, so that one check covers many calls.
// [Profile.Done] returns the error of its profile. [Builder.Err] and Commit return the error of the builder.
package builder
