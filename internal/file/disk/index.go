package disk

import (
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// NameRef returns LLVM's id of a PGO name: the first 8 bytes of its MD5, read little-endian.
func NameRef(name string) uint64 {
	ref, _ := layout.NameIDs(name, "")
	return ref
}

// NameRefs puts the NameRef of each name into refs, which must be as long. A
// name takes little more than half as long so.
func NameRefs(names []string, refs []uint64) {
	_ = refs[:len(names)]
	for ; len(names) > 1; names, refs = names[2:], refs[2:] {
		refs[0], refs[1] = layout.NameIDs(names[0], names[1])
	}
	if len(names) == 1 {
		refs[0] = NameRef(names[0])
	}
}

// KeyIDs puts the ID of each key into ids, which must be as long. It is to ID as NameRefs is to NameRef.
func KeyIDs(keys []layout.Key, d layout.Domain, ids []uint64) {
	_ = ids[:len(keys)]
	for ; d.LLVM() && len(keys) > 1; keys, ids = keys[2:], ids[2:] {
		ids[0], ids[1] = layout.NameIDs(keys[0].Name, keys[1].Name)
	}
	for i := range keys {
		ids[i] = keys[i].ID(d)
	}
}

// A RecordKind says what an index slot leads to. It is mixed into the hash, so
// that a method and a type of one id do not meet.
type RecordKind uint64

// The kinds of indexed records.
const (
	KindMethod RecordKind = 1
	KindType   RecordKind = 3
)

// A Hash is an id as the index sees it.
type Hash uint64

// Mix returns the index's hash of an id: a bijection, so that records of one kind have
// equal hashes only if they have equal ids. Ids are hashes already.
func Mix(id uint64, kind RecordKind, seed uint64) Hash { return MixSeeded(id, MixSeed(kind, seed)) }

// MixSeed returns what Mix makes of kind and seed, for [MixSeeded].
func MixSeed(kind RecordKind, seed uint64) uint64 { return seed ^ uint64(kind)*0x9e3779b97f4a7c15 }

// MixSeeded is like Mix for many ids of one kind.
func MixSeeded(id, seed uint64) Hash { return Hash((id ^ seed) * 0xd6e8feb86659fd93) }

// Split returns the line of an index of n lines in which the search begins, and what the product h * n has
// below the number of that line. The rest decides in which slot of a line the record is.
func (h Hash) Split(n uint64) (bucket, rest uint64) { return bits.Mul64(uint64(h), n) }

// Fingerprint returns what a slot keeps of the hash: its low 16 bits, of which the lowest
// is 1, since 0 marks a free slot.
func (h Hash) Fingerprint() uint16 { return uint16(h) | 1 }

// OverflowBit returns the bit that a line sets when a record with this hash had to go to a line after it.
func (h Hash) OverflowBit() uint16 { return 1 << (h >> 16 & 15) }

// An index line is 64 bytes:
//
//	 0  10 x u16  fingerprints, 0 for a free slot
//	20  u16       overflow: the OverflowBits of all records that passed this line
//	22  u8        multiplier: odd, below 64
//	23  u8        spilled: 1 if a record of the line does not lie in its own slot, else 0
//	24  10 x u32  reference to what the slot leads to
//
// A record is in the first line with a free slot from its bucket on, wrapping
// at the end. A search goes on to the next line only if the line's overflow has
// the bit of the hash, and never over more than the header's MaxProbe lines.
//
// The multiplier is chosen so that the records of the line have slots of their
// own, if possible; see [Line.OwnSlot]. A search then looks at one slot.
const (
	LineSlots      = 10
	MaxProbe       = 255
	lineOverflow   = 20
	lineMultiplier = 22
	lineSpilled    = 23
	lineRecords    = 24
	maxMultiplier  = 63
)

// A lookup that reads a line word by word finds at these offsets the word of
// overflow, multiplier and spilled, see [SlotOf] and [NotInLine], and the references.
const (
	LineWord = lineOverflow
	LineRefs = lineRecords
)

// SlotOf returns the [Line.OwnSlot] of a line that has this word.
func SlotOf(word uint32, rest uint64) uint64 { return multiplySlot(rest, uint64(word>>16&0xff)) }

// Spilled reports the [Line.Spilled] of a line that has this word.
func Spilled(word uint32) bool { return word>>24 != 0 }

// NotInLine reports whether a record that does not lie in its own slot of the line
// with this word lies neither in the line nor in a later one.
func NotInLine(word uint32, h Hash) bool { return !Spilled(word) && word&uint32(h.OverflowBit()) == 0 }

// A Line is an overlay on one line of the index, of [LineSize] bytes.
type Line []byte

// OwnSlot returns the slot in which the record with that rest of its hash is, unless
// the line is [Line.Spilled].
func (l Line) OwnSlot(rest uint64) int { return int(multiplySlot(rest, uint64(l[lineMultiplier]))) }

func multiplySlot(rest, multiplier uint64) uint64 {
	slot, _ := bits.Mul64(rest*multiplier, LineSlots)
	return slot
}

// Spilled reports whether some record of the line does not lie in its own slot.
func (l Line) Spilled() bool { return l[lineSpilled] != 0 }

// Valid reports whether the multiplier and the mark of a spilled line have values that a writer gives them.
func (l Line) Valid() bool {
	return l[lineMultiplier]&1 == 1 && l[lineMultiplier] <= maxMultiplier && l[lineSpilled] <= 1
}

// Candidates returns the set of slots in which a record may lie, one bit a slot: those
// with its fingerprint, and of a line that is not spilled its own slot alone.
func (l Line) Candidates(h Hash, rest uint64) (slots uint32) {
	slots = l.matchFingerprint(h.Fingerprint())
	if !l.Spilled() {
		slots &= 1 << l.OwnSlot(rest)
	}
	return slots
}

// matchFingerprint returns the set of slots whose fingerprint is fp, one bit a slot.
func (l Line) matchFingerprint(fp uint16) (slots uint32) {
	_ = l[LineSize-1]
	all := uint64(fp) * everyLane
	return equalLanes(le.Uint64(l), all) | equalLanes(le.Uint64(l[8:]), all)<<4 |
		equalLanes(uint64(le.Uint32(l[16:]))|^all&^(1<<32-1), all)<<8
}

// everyLane has a 1 in each of four lanes of 16 bits.
const everyLane = 0x0001_0001_0001_0001

// equalLanes returns the set of lanes of 16 bits in which x and y are equal.
func equalLanes(x, y uint64) uint32 {
	const low = everyLane * 0x7fff
	x ^= y
	zero := ^(x&low + low | x | low) // the high bit of each lane that is zero
	return uint32(zero >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15)
}

// Record returns where slot i leads.
func (l Line) Record(i int) layout.Ref { return layout.Ref(le.Uint32(l[lineRecords+4*i:])) }

// Overflowed reports whether a record with this hash may lie in the next line.
func (l Line) Overflowed(h Hash) bool { return le.Uint16(l[lineOverflow:])&h.OverflowBit() != 0 }

// SetOverflow notes that a record with this hash passed the line.
func (l Line) SetOverflow(h Hash) {
	le.PutUint16(l[lineOverflow:], le.Uint16(l[lineOverflow:])|h.OverflowBit())
}

// A Slot is what a line of the index is filled with.
type Slot struct {
	Hash Hash
	Rest uint64 // see [Hash.Split]
	Ref  layout.Ref
}

// Fill puts at most [LineSlots] records into an empty line.
func (l Line) Fill(slots []Slot) {
	multiplier := chooseMultiplier(slots)
	l[lineMultiplier] = byte(multiplier)
	var others [LineSlots]int
	spilled := others[:0]
	for i := range slots {
		if at := int(multiplySlot(slots[i].Rest, multiplier)); l.Record(at) == 0 {
			l.putSlot(at, &slots[i])
		} else {
			spilled = append(spilled, i)
		}
	}
	at := 0
	for _, i := range spilled {
		for l.Record(at) != 0 {
			at++
		}
		l.putSlot(at, &slots[i])
		l[lineSpilled] = 1
	}
}

func (l Line) putSlot(at int, s *Slot) {
	le.PutUint16(l[2*at:], s.Hash.Fingerprint())
	le.PutUint32(l[lineRecords+4*at:], uint32(s.Ref))
}

// chooseMultiplier returns the first multiplier with which the most records have slots of their own.
func chooseMultiplier(slots []Slot) uint64 {
	best := uint64(1)
	most := 0
	for multiplier := uint64(1); multiplier <= maxMultiplier && most < len(slots); multiplier += 2 {
		used := uint16(0)
		for i := range slots {
			used |= 1 << (multiplySlot(slots[i].Rest, multiplier) & 15)
		}
		if own := bits.OnesCount16(used); own > most {
			best, most = multiplier, own
		}
	}
	return best
}

// BucketsFor returns the number of index lines for n records: half full, at least one.
func BucketsFor(n int64) int64 { return max(1, (n+4)/5) }
