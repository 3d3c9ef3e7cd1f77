package iprof

import (
	"cmp"
	"slices"
)

// A Loss is a kind of thing that did not get from one side to the other.
type Loss string

// What reading a file loses.
const (
	LossOdd     Loss = "items that are not what they should be"
	LossForeign Loss = "keys that have no meaning here: kept only where a file is imported alone and in order"
	LossOldOdd  Loss = "items of version 0.2.0 that say more than they should"
)

// What writing a file loses.
const (
	LossEntry      Loss = "entries that iprof has no section for"
	LossRows       Loss = "counts of other types, nulls and traps of type profiles"
	LossCounter    Loss = "counters, sizes and histories of methods that iprof does not have"
	LossCode       Loss = "ids of the code that a profile is of"
	LossInstanceof Loss = "instanceof profiles: write version 1.1.0 to keep them"
	LossSignature  Loss = "signatures that are not spelled like Graal's"
	LossLoader     Loss = "class loaders and flags"
	LossCount      Loss = "counts above 2^63-1: written as 2^63-1"
	LossNoType     Loss = "rows without a type"
	LossOrder      Loss = "the source order: the archive has other profiles by now"
	LossTable      Loss = "tables that iprof has no section for"
	PrunedMethods  Loss = "methods that nothing refers to: pruned"
	PrunedTypes    Loss = "types that nothing refers to: pruned"
)

// A Lost says how much of something was lost.
type Lost struct {
	What  Loss
	Count int
}

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
	// Odd is how many items are kept as text, since they are not what an item
	// of their section should be.
	Odd     int
	Salvage *Salvage // not nil if only a part was read
	Lost    []Lost   // sorted by What
}

// Salvage says what was not read of a file.
type Salvage struct {
	Offset int64  // where the last whole record ends
	Last   string // which one that is
	Left   int64  // bytes behind it: they were not taken
	Reason *Error
}

// lose counts losses.
func (r *Report) lose(what Loss, n int) {
	if n == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(r.Lost, what, func(l Lost, w Loss) int { return cmp.Compare(l.What, w) })
	if !ok {
		r.Lost = slices.Insert(r.Lost, i, Lost{What: what})
	}
	r.Lost[i].Count += n
}

// Losses is how often something of that kind was lost.
func (r *Report) Losses(what Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}
