package iprof

import "slices"

// A recording is what a file says, with the ids of the file: they can be
// resolved when all of it was read, since keys may come in any order.
type recording struct {
	version  string
	old      bool // it may be spelled as 0.2.0 spells
	sections []section

	types   []typeRow
	methods methodRows
	nodes   contextTrie
	records []record // of all sections in profiles
	values  []int64  // of all records
	monitor []int64  // type id, count; ...
	stacks  []stack
	frames  []frame // of all stacks, leaf first

	oldOdd int // items of 0.2.0 that were not kept whole
}

// A section is what stands under a key.
type section struct {
	kind  sectionKind
	key   string // as it is spelled
	items int
	raws  []raw  // items that are kept as text
	text  string // all of it, where the kind is foreign
	// first and count are its records, where these lie in profiles.
	first, count int
}

// A raw is an item that is kept as text: it says more than, or not what, an
// item of its section should.
type raw struct {
	item  int
	typed bool // it is kept as what it says, too
	text  string
}

type typeRow struct {
	id   int64
	name string // in the spelling of a type key
}

// A frame is a place in a method.
type frame struct {
	id    int64
	point int32
}

// A record is an item of a section, for a method in a context; its integers are
// values[first:first+n].
type record struct {
	node  uint32
	point int32
	first int
	n     uint32
	kind  sectionKind
}

// A stack has its frames in frames[first:first+n].
type stack struct {
	first, n int
	count    int64
}

// room makes room for n more elements. It doubles the slice, which append does
// only for short ones: most of the time of an import would go into copying.
func room[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}
