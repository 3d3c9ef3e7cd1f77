// Package reader looks profiles up in a mapped archive and adopts them where
// they lie.
//
// A [Store] is an open archive. [Store.Find] takes a method's key, [Store.Lookup]
// its 64-bit id; both return a [Method] without allocating. [Method.Profile] returns
// its [Profile]: a window on the MethodData in the mapping. Nothing is parsed,
// copied or written. [Store.FindBatch] and [Store.LookupBatch] look many up at
// once, in a large archive several times faster than one by one.
//
//	s, err := reader.Open("app.parc", archive.Options{})
//	m, err := s.Find(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
//	p, _, err := m.Profile(reader.AnyCode)
//	for e := range p.Entries() {
//		if b, ok := e.Branch(); ok { ... }
//	}
//
// # Checked once
//
// The first time a profile is fetched its whole block is checked: page sums,
// geometry, every entry, every pointer. After that its accessors cannot fail,
// and fetching it again only tests a bit. Names are checked when they are read.
//
// # Adoption
//
// [Store.Adopt] maps the archive once more, writable and private. From then on
// [Profile.Adopt] claims a profile: its pointers are relocated if they must be,
// and its counters may be counted in place, by Go code through [Counter.Add] and
// [Receivers.Record] and by native code through [Profile.Address]. The file
// never changes, and what was trained can still be told from what came since:
// [Counter.Trained], [Counter.Load].
//
// # The barrier
//
// A type of the training run may not exist yet in this one. [Store.Bind] ties a
// [Type] to the embedder's own class when that class is loaded; until then it
// is [BindingUnbound], and [Receivers.Bound] skips its rows.
//
// # Lifetimes
//
// Every value of this package keeps the mapping it looks at. After
// [Store.Close] calls that need the archive fail with [archive.ErrClosed];
// values fetched before stay readable, and the memory goes when the last of
// them does.
package reader
