package llvm

// sortAsDenseMap brings the records of one function from the order in which
// llvm-profdata of a version inserts them into the order in which it writes them:
// that of its map from hash to record, which has four buckets in itself and 64 or
// more beyond. Any order is understood by readers.
func sortAsDenseMap(records []record, version int) {
	m := denseMap{slots: make([]int, inlineSlots), records: records, hash: mixHash}
	if version < sinceMixedHashes {
		m.hash = oldHash
	}
	for i := range records {
		if 4*(i+1) >= 3*len(m.slots) {
			m.grow()
		}
		m.insert(i + 1)
	}
	ordered := make([]record, 0, len(records))
	for _, n := range m.slots {
		if n != 0 {
			ordered = append(ordered, records[n-1])
		}
	}
	copy(records, ordered)
}

const (
	inlineSlots = 4
	heapSlots   = 64
)

// A denseMap has numbers of records, from 1, where LLVM's has hashes.
type denseMap struct {
	slots   []int // 0 is an empty one
	records []record
	hash    func(uint64) uint32
}

// insert probes quadratically.
func (m *denseMap) insert(n int) {
	mask := len(m.slots) - 1
	at := int(m.hash(m.records[n-1].hash)) & mask
	for step := 1; m.slots[at] != 0; step++ {
		at = (at + step) & mask
	}
	m.slots[at] = n
}

func (m *denseMap) grow() {
	old := m.slots
	m.slots = make([]int, max(heapSlots, 2*len(old)))
	for _, n := range old {
		if n != 0 {
			m.insert(n)
		}
	}
}

// mixHash is the map's hash of a function hash, since LLVM 19.
func mixHash(h uint64) uint32 {
	h *= 0xbf58476d1ce4e5b9
	return uint32(h ^ h>>31)
}

// oldHash is the map's hash of a function hash before LLVM 19.
func oldHash(h uint64) uint32 { return uint32(37 * h) }
