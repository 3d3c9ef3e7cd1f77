package llvm

// llvm-profdata keeps functions in a map from their names. Until LLVM 16 it
// writes them in the order of that map, which is a table with quadratic probing.
// Since LLVM 17 it sorts them by name.

// A stringMap is the map: it holds places in a list of names where LLVM's holds
// names.
type stringMap struct {
	hashes []uint32 // by place
	slots  []int32  // 1 + place, 0 is an empty one
	used   int
}

const firstStringSlots = 16

func newStringMap(hashes []uint32) *stringMap {
	return &stringMap{hashes: hashes, slots: make([]int32, firstStringSlots)}
}

// insert inserts a name that the map does not hold.
func (m *stringMap) insert(place int32) {
	m.put(place)
	if m.used++; 4*m.used > 3*len(m.slots) {
		m.resize(2 * len(m.slots))
	} else if len(m.slots)-m.used <= len(m.slots)/8 {
		m.resize(len(m.slots))
	}
}

func (m *stringMap) put(place int32) {
	mask := uint32(len(m.slots) - 1)
	at := m.hashes[place] & mask
	for step := uint32(1); m.slots[at] != 0; step++ {
		at = (at + step) & mask
	}
	m.slots[at] = place + 1
}

func (m *stringMap) resize(slots int) {
	old := m.slots
	m.slots = make([]int32, slots)
	for _, s := range old {
		if s != 0 {
			m.put(s - 1)
		}
	}
}

// places returns the names in the order of the map.
func (m *stringMap) places() []int32 {
	all := make([]int32, 0, m.used)
	for _, s := range m.slots {
		if s != 0 {
			all = append(all, s-1)
		}
	}
	return all
}

// stringHash is the map's hash of a name.
func stringHash(name []byte) (h uint32) {
	for _, c := range name {
		h = 33*h + uint32(c)
	}
	return h
}
