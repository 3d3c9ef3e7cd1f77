package layout

// An index line is 64 bytes:
//
//	 0  10 x u16  fingerprints, 0 for a free slot
//	20  u32       overflow: the OverflowBits of all records that passed this line
//	24  10 x u32  Narrow of the record
//
// A record lies in the first line with a free slot from its bucket on, wrapping
// at the end. A search goes on to the next line only if the line's overflow has
// the bit of the hash, and never over more than the header's MaxProbe lines.
const (
	LineSlots   = 10
	MaxProbe    = 255
	lineFilter  = 20
	lineRecords = 24
)

// A Line is an overlay on one line of the index, of [LineSize] bytes.
type Line []byte

// Match gives the set of slots whose fingerprint is fp, one bit a slot.
func (l Line) Match(fp uint16) (slots uint32) {
	_ = l[LineSize-1]
	all := uint64(fp) * everyLane
	return equalLanes(le.Uint64(l), all) | equalLanes(le.Uint64(l[8:]), all)<<4 |
		equalLanes(uint64(le.Uint32(l[16:]))|^all&^(1<<32-1), all)<<8
}

// everyLane has a 1 in each of four lanes of 16 bits.
const everyLane = 0x0001_0001_0001_0001

// equalLanes gives the set of lanes of 16 bits in which x and y are equal.
func equalLanes(x, y uint64) uint32 {
	const low = everyLane * 0x7fff
	x ^= y
	zero := ^(x&low + low | x | low) // the high bit of each lane that is zero
	return uint32(zero >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15)
}

// Record is where slot i leads.
func (l Line) Record(i int) Narrow { return Narrow(le.Uint32(l[lineRecords+4*i:])) }

// Overflowed reports whether a record with this hash may lie in the next line.
func (l Line) Overflowed(h Hash) bool { return le.Uint32(l[lineFilter:])&h.OverflowBit() != 0 }

// Put puts a record into a free slot. If there is none it marks the line as
// overflowed for h and reports false.
func (l Line) Put(h Hash, n Narrow) bool {
	for i := range LineSlots {
		if le.Uint16(l[2*i:]) == 0 {
			le.PutUint16(l[2*i:], h.Fingerprint())
			le.PutUint32(l[lineRecords+4*i:], uint32(n))
			return true
		}
	}
	le.PutUint32(l[lineFilter:], le.Uint32(l[lineFilter:])|h.OverflowBit())
	return false
}

// BucketsFor is the number of index lines for n records: seven tenths full, at
// least one.
func BucketsFor(n int64) int64 { return max(1, (n+6)/7) }
