package iprof

import (
	"github.com/profarc/profarc/internal/lost"
)

// What reading a file loses.
const (
	LossOdd     lost.Kind = "items that are not what they should be"
	LossForeign lost.Kind = "keys that have no meaning here: kept only where a file is imported alone and in order"
	LossOldOdd  lost.Kind = "items of version 0.2.0 that say more than they should"
)

// What writing a file loses.
const (
	LossEntry      lost.Kind = "entries that iprof has no section for"
	LossRows       lost.Kind = "counts of other types, nulls and traps of type profiles"
	LossCounter    lost.Kind = "counters, sizes and histories of methods that iprof does not have"
	LossCode       lost.Kind = "ids of the code that a profile is of"
	LossInstanceof lost.Kind = "instanceof profiles: write version 1.1.0 to keep them"
	LossSignature  lost.Kind = "signatures that are not spelled like Graal's"
	LossLoader     lost.Kind = "class loaders and flags"
	LossCount      lost.Kind = "counts above 2^63-1: written as 2^63-1"
	LossNoType     lost.Kind = "rows without a type"
	LossText       lost.Kind = "items kept as text: only the order of their file, and a version with their section, has a place for them"
	LossVersion    lost.Kind = "spelling of a version before 0.4.0: a later version is written"
	LossOrder      lost.Kind = "the source order: the archive has other profiles by now"
	LossTable      lost.Kind = "tables that iprof has no section for"
	PrunedMethods  lost.Kind = "methods that nothing refers to: pruned"
	PrunedTypes    lost.Kind = "types that nothing refers to: pruned"
)

// A Report says what was read or written.
type Report struct {
	Version  string // of the file
	Types    int
	Methods  int
	Profiles int // methods in a context
	Entries  int
	Stacks   int // sampled
	Seen     int // methods that were instrumented and never ran
	// Dangling is how many ids of methods and types the file says nothing of.
	// They are kept under their number.
	Dangling int
	// Items is how many rows and records the sections have. Odd of them are kept
	// as text, since they are not what an item of their section should be; what
	// TextOnly of these say is kept in no other way.
	Items, Odd, TextOnly int
	FirstOdd             string // JSON pointer, of one that is kept in no other way if there is one
	// Repeated is how many rows have the id of a row before them, to which all
	// that names the id refers.
	Repeated int
	Salvage  *Salvage // not nil if only a part was read
	Lost     lost.List
}

// Salvage says what was not read of a file.
type Salvage struct {
	Offset int64  // where the last whole record ends
	Last   string // which one that is
	Left   int64  // bytes behind it: they were not taken
	Reason *Error
}
