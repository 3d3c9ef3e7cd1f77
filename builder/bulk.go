package builder

import (
	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/internal/format/words"
)

// Bulk is the interface for importers of millions of records: each call takes many at
// once, and records the same as a call for each of them.
//
// Methods and Symbols put the reference of each element of the first slice at the same index of refs, which
// must be as long. Slices and their contents may be reused after the call.
type Bulk struct{ set *profileset.Set }

// Bulk returns the interface for millions of records.
func (b *Builder) Bulk() Bulk { return Bulk{b.set()} }

// Symbols interns signatures, for Methods. "" becomes 0.
func (k Bulk) Symbols(texts []string, refs []SymbolRef) { k.set.Names(texts, refs) }

// A MethodOfClass is the key of a method whose class and signature are interned already.
type MethodOfClass struct {
	Class     TypeRef // that Type returned
	Name      string
	Signature SymbolRef // that Bulk.Symbols returned, 0 for none
}

// Methods interns methods.
func (k Bulk) Methods(methods []MethodOfClass, refs []MethodRef) {
	var group [profileset.FunctionGroup]profileset.MethodOfClass
	for len(methods) > 0 {
		n := min(len(methods), len(group))
		for i, m := range methods[:n] {
			group[i] = profileset.MethodOfClass(m)
		}
		k.set.MethodsOfClasses(group[:n], refs[:n])
		methods, refs = methods[n:], refs[n:]
	}
}

// A CounterFunction is a function that has counters and nothing else.
type CounterFunction struct {
	Name   []byte // the whole key
	Code   uint64 // code id
	Counts []uint64
	// Cells are the counters in place of Counts, if not nil: 8 bytes each, little-endian, as files have them.
	Cells []byte
}

// function returns the function as a set takes it.
func (f *CounterFunction) function() profileset.Function {
	cells := f.Cells
	if cells == nil {
		cells = words.LittleEndianBytes(f.Counts)
	}
	return profileset.Function{Name: f.Name, Code: f.Code, Cells: cells}
}

// Functions adds the profiles of functions, as Profile, Profile.Counters and Done do
// for one. It returns the number of functions before the first that could not be added.
func (k Bulk) Functions(functions []CounterFunction) (added int, err error) {
	var group [profileset.FunctionGroup]profileset.Function
	for added < len(functions) {
		rest := functions[added:min(added+len(group), len(functions))]
		for i := range rest {
			group[i] = rest[i].function()
		}
		n, err := k.set.AddFunctions(group[:len(rest)])
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

// SortSymbols sorts the symbols that the builder has so far, so that Commit has little
// left to sort. It may run in parallel to calls that add to the builder.
func (k Bulk) SortSymbols() { k.set.SortSymbols() }
