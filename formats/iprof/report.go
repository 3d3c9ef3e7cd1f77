package iprof

import (
	"github.com/profarc/profarc/formats/codec"
)

// What reading a file loses.
const (
	LossOdd     codec.LossKind = "items that are not what they should be"
	LossForeign codec.LossKind = "keys that have no meaning here: kept only where a file is imported alone and in order"
	LossOldOdd  codec.LossKind = "items of version 0.2.0 that say more than they should"
)

// What writing a file loses.
const (
	LossEntry      codec.LossKind = "entries that iprof has no section for"
	LossRows       codec.LossKind = "counts of other types, nulls and traps of type profiles"
	LossCounter    codec.LossKind = "counters, sizes and histories of methods that iprof does not have"
	LossCode       codec.LossKind = "ids of the code that a profile is of"
	LossInstanceof codec.LossKind = "instanceof profiles: write version 1.1.0 to keep them"
	LossSignature  codec.LossKind = "signatures that are not spelled like Graal's"
	LossLoader     codec.LossKind = "class loaders and flags"
	LossCount      codec.LossKind = "counts above 2^63-1: written as 2^63-1"
	LossNoType     codec.LossKind = "rows without a type"
	LossText       codec.LossKind = "items kept as text: only the order of their file, and a version with their section, has a place for them"
	LossVersion    codec.LossKind = "spelling of a version before 0.4.0: a later version is written"
	LossOrder      codec.LossKind = "the source order: the archive has other profiles by now"
	LossTable      codec.LossKind = "tables that iprof has no section for"
	PrunedMethods  codec.LossKind = "methods that nothing refers to: pruned"
	PrunedTypes    codec.LossKind = "types that nothing refers to: pruned"
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
	Lost     codec.Losses
}

// Salvage says what was not read of a file.
type Salvage struct {
	Offset int64  // where the last whole record ends
	Last   string // which one that is
	Left   int64  // bytes behind it: they were not taken
	Reason *Error
}
