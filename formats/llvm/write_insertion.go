package llvm

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The order of an indexed file is that of maps in llvm-profdata, in which it
// depends on what was inserted first where two keys meet in one place. What it
// inserted when, the order table of an archive says if its files were merged as
// llvm-profdata does. Without one, names and hashes are taken to be inserted in
// ascending order. Of a single indexed file the order table has the order itself.

// Versions of the indexed format whose llvm-profdata was the first to have
// another order.
const (
	sinceSortedNames = 10 // LLVM 17 sorts functions by name
	sinceMixedHashes = 12 // LLVM 19 has another hash of a function's hash
)

// An insertion gathers the functions of an archive, and says in which order an
// llvm-profdata has them that writes a version of the indexed format.
type insertion struct {
	version int
	firsts  []layout.Ref           // of each function, in the order of their names: its first record
	hashes  []uint32               // of their names, if the version has them in the order of a map
	several map[int32][]layout.Ref // records of functions that have several, in the order of the table
	laid    bool                   // the order table has the order of an indexed file
	name    []byte
}

func newInsertion(version int) *insertion {
	return &insertion{version: version, several: map[int32][]layout.Ref{}}
}

// add adds the next function.
func (x *insertion) add(name reader.Name, records []record) {
	place := int32(len(x.firsts))
	x.firsts = append(x.firsts, records[0].block)
	if len(records) > 1 {
		x.several[place] = nil
	}
	if x.version < sinceSortedNames {
		x.name = name.AppendTo(x.name[:0])
		x.hashes = append(x.hashes, stringHash(x.name))
	}
}

// order returns the places of the functions, counted in the order in which they
// were added, in the order in which they are inserted into the table of the file;
// nil if that is the same.
func (x *insertion) order(s *reader.Store) ([]int32, error) {
	if x.version >= sinceSortedNames && len(x.several) == 0 {
		return nil, nil
	}
	came, err := x.came(s)
	switch {
	case err != nil || x.version >= sinceSortedNames:
		return nil, err
	case x.laid:
		return came, nil
	}
	m := newStringMap(x.hashes)
	for _, place := range came {
		m.insert(place)
	}
	return m.places(), nil
}

// came returns the places of the functions in the order in which llvm-profdata
// has seen them first, and notes the order of the records of each.
func (x *insertion) came(s *reader.Store) (places []int32, err error) {
	if !slices.IsSorted(x.firsts) {
		return ascending(len(x.firsts)), nil
	}
	seen := make([]bool, len(x.firsts))
	err = eachRow(s, layout.TableOrder, orderColumns, func(t *disk.Table, row int) error {
		if x.laid = t.Flags&disk.OrderOfFile != 0; x.laid && x.version >= sinceSortedNames {
			x.laid = false // an older file than the one to be written
			return nil
		}
		block := layout.Ref(t.Cell(0, row))
		place := x.place(block)
		if place < 0 {
			return nil
		}
		if records, ok := x.several[place]; ok {
			x.several[place] = append(records, block)
		}
		if !seen[place] {
			seen[place] = true
			places = append(places, place)
		}
		return nil
	})
	for place := range x.firsts {
		if !seen[place] {
			places = append(places, int32(place))
		}
	}
	return places, err
}

// place returns the function that has a record, -1 if none can have it: records
// lie in the order of the names.
func (x *insertion) place(block layout.Ref) int32 {
	i, found := slices.BinarySearch(x.firsts, block)
	if !found {
		i--
	}
	return int32(i)
}

// sort brings the records of a function into the order of the file.
func (x *insertion) sort(place int32, records []record) {
	if len(records) < 2 {
		return
	}
	came := map[layout.Ref]int{}
	for i, block := range x.several[place] {
		came[block] = i
	}
	slices.SortFunc(records, func(a, b record) int {
		i, known := came[a.block]
		j, alsoKnown := came[b.block]
		if known && alsoKnown {
			return cmp.Compare(i, j)
		}
		return cmp.Or(-compareBool(known, alsoKnown), cmp.Compare(a.hash, b.hash))
	})
	if !x.laid {
		sortAsDenseMap(records, x.version)
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func ascending(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
