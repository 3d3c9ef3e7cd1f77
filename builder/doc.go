// Package builder records profiles and writes archives.
//
// A [Builder] interns types, methods and contexts, takes one profile for each (method, code id, context), and
// writes them with [Builder.Commit]. The bytes depend only on the recorded data. The order of the calls, the number
// of goroutines and the machine do not matter.
//
//	b := builder.New(layout.DomainHotSpot, builder.Config{Params: builder.HotSpotParams(25)})
//	p := b.Profile(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, layout.CodeUnknown)
//	p.Invocations(61205)
//	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949})
//	if err := p.Done(); err != nil { ... }
//	report, err := b.Commit(ctx, "app.parc")
//
// A second profile of the same method, code id and context is refused with [ErrDuplicate]; the first stays. Package
// merge adds whole archives to a builder, with a weight for each run.
//
// Several goroutines may call the methods of a Builder at once. A [Profile] belongs to one goroutine until Done.
//
// # Entries
//
// The domain of an archive decides which entries its profiles have. The methods of [Profile] that add them are of
// three kinds; a method of another kind makes Done fail.
//
//	domain                  entries
//	layout.DomainHotSpot    HotSpot's own, which take an At:
//	                        Bit Branch CallType Counter Jump MultiBranch ReceiverType Ret VirtualCall VirtualCallType
//	LLVM's, Graal's,        entries that take a point:
//	JamaicaVM's and others  Bitmap Callees Count Counters Receivers Successors ValueSite
//	layout.DomainCustom     the same, Branch, and Custom with a shape of Builder.DeclareShape
//
// Every domain has the counters of the whole method: Invocations, Backedges and Interpreted.
//
// # Errors
//
// Calls that record something keep the first error and do nothing after it, so that many calls need one check.
// [Profile.Done] returns the error of that profile, [Builder.Err] and Commit return the builder's.
package builder
