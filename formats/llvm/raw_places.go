package llvm

import (
	"cmp"
	"slices"
)

// rawPlaces finds what was at an address of the process.
type rawPlaces struct {
	functions []rawPlace
	vtables   []rawVTable
	sorted    bool
}

// A rawPlace is the address of a function, and its NameRef.
type rawPlace struct{ address, name uint64 }

// A rawVTable is where a vtable was, and the NameRef of its name.
type rawVTable struct{ name, address, size uint64 }

func (p *rawPlaces) sort() {
	slices.SortFunc(p.functions, func(a, b rawPlace) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(a.name, b.name))
	})
	slices.SortFunc(p.vtables, func(a, b rawVTable) int { return cmp.Compare(a.address, b.address) })
	p.sorted = true
}

// function is the NameRef of the function at an address, 0 if there is none.
func (p *rawPlaces) function(address uint64) uint64 {
	i, ok := slices.BinarySearchFunc(p.functions, address, func(f rawPlace, a uint64) int { return cmp.Compare(f.address, a) })
	if !ok {
		return 0
	}
	return p.functions[i].name
}

// vtable is the NameRef of the vtable that an address points into, or just
// behind, 0 if there is none.
func (p *rawPlaces) vtable(address uint64) uint64 {
	i, _ := slices.BinarySearchFunc(p.vtables, address, func(v rawVTable, a uint64) int {
		if v.address <= a {
			return -1
		}
		return 1
	})
	if i == 0 || address-p.vtables[i-1].address > p.vtables[i-1].size {
		return 0
	}
	return p.vtables[i-1].name
}
