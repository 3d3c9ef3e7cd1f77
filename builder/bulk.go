package builder

import (
	"github.com/profarc/profarc/internal/profileset"
)

// Bulk is the interface for importers of millions of records: each call takes
// many at once, and its memory accesses overlap instead of waiting for one
// another. What it records is what the calls for single records do.
//
// For each element of the first slice a call puts the reference at the same
// place of refs, which must be as long. Slices and what they hold may be used
// again after the call.
type Bulk struct{ set *profileset.Set }

// Bulk returns the interface for millions of records.
func (b *Builder) Bulk() Bulk { return Bulk{b.set} }

// bulkGroup is how many records are passed on at once.
const bulkGroup = 128

// Symbols interns the parts of keys, for DeclaredMethod: "" becomes 0.
func (k Bulk) Symbols(texts []string, refs []SymbolRef) { k.set.Names(texts, refs) }

// A MethodOfClass is the key of a method whose class and signature are interned
// already.
type MethodOfClass struct {
	Class     TypeRef // that Type returned
	Name      string
	Signature SymbolRef // that Bulk.Symbols returned, 0 for none
}

// Methods interns methods.
func (k Bulk) Methods(methods []MethodOfClass, refs []MethodRef) {
	var group [bulkGroup]profileset.DeclaredMethod
	for len(methods) > 0 {
		n := min(len(methods), bulkGroup)
		for i, m := range methods[:n] {
			group[i] = profileset.DeclaredMethod(m)
		}
		k.set.MethodsOf(group[:n], refs[:n])
		methods, refs = methods[n:], refs[n:]
	}
}

// A CounterFunction is a function that has counters and nothing else.
type CounterFunction struct {
	Name   []byte // the whole key
	Code   uint64 // code id
	Counts []uint64
}

// Functions adds the profiles of functions, as Profile, Profile.Counters and
// Done do for one. It returns the number of functions before one that could not
// be added.
func (k Bulk) Functions(functions []CounterFunction) (added int, err error) {
	var group [bulkGroup]profileset.Function
	for added < len(functions) {
		rest := functions[added:min(added+bulkGroup, len(functions))]
		for i, f := range rest {
			group[i] = profileset.Function(f)
		}
		n, err := k.set.AddFunctions(group[:len(rest)])
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

// SortSymbols sorts the symbols that the builder has so far, so that Commit has
// little left to sort. It may run beside calls that add to the builder.
func (k Bulk) SortSymbols() { k.set.SortSymbols() }
