package disk

import (
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// NameRef returns LLVM's id of a PGO name: the first 8 bytes of its MD5, read little-endian.
func NameRef(name string) uint64 { return layout.Key{Name: name}.ID(layout.DomainLLVMIR) }

// A RecordKind is the kind of record that an index slot refers to. It is part of the hash, so that a method and a
// type with equal ids have different hashes.
type RecordKind uint64

// The kinds of indexed records.
const (
	KindMethod RecordKind = 1
	KindType   RecordKind = 3
)

type Hash uint64

// MixHash returns the index's hash of an id. It is a bijection, so that records of one kind have equal hashes only if
// they have equal ids. Ids are hashes already.
func MixHash(id uint64, kind RecordKind, seed uint64) Hash { return MixSeeded(id, MixSeed(kind, seed)) }

// MixSeed combines kind and seed for [MixSeeded].
func MixSeed(kind RecordKind, seed uint64) uint64 { return seed ^ uint64(kind)*0x9e3779b97f4a7c15 }

// MixSeeded is [MixHash] for many ids of one kind; seed comes from [MixSeed].
func MixSeeded(id, seed uint64) Hash { return Hash((id ^ seed) * 0xd6e8feb86659fd93) }

// SplitBucket returns the number of the first line to search in an index of n lines, and the low 64 bits of the
// product h * n. These low bits choose the slot within the line.
func (h Hash) SplitBucket(n uint64) (bucket, rest uint64) { return bits.Mul64(uint64(h), n) }

// Fingerprint returns the hash's part in a slot: the low 16 bits with the lowest bit set, since 0 marks a free slot.
func (h Hash) Fingerprint() uint16 { return uint16(h) | 1 }

// OverflowBit returns the bit that a line sets if a record with this hash is stored in a later line.
func (h Hash) OverflowBit() uint16 { return 1 << (h >> 16 & 15) }

// An index line is 64 bytes:
//
//	 0  10 x u16  fingerprints, 0 for a free slot
//	20  u16       overflow: OverflowBits of all records that passed this line
//	22  u8        multiplier, odd and below 64
//	23  u8        spilled: 1 if a record of the line is outside its own slot, else 0
//	24  10 x u32  references to records
//
// A record is in the first line with a free slot, from its bucket on, wrapping at the end. A search continues to the
// next line only if the line's overflow has the hash's bit, and over at most MaxProbe lines of the header.
//
// The multiplier is chosen so that each record of the line gets its own slot, if possible; see [Line.OwnSlot]. A
// search then reads one slot.
const (
	LineSlots      = 10
	MaxProbe       = 255
	lineOverflow   = 20
	lineMultiplier = 22
	lineSpilled    = 23
	lineRecords    = 24
	maxMultiplier  = 63
)

// Offsets for a lookup that reads a line word by word: the word of overflow, multiplier and spilled, for [SlotOf] and
// [NotInLine], and the references.
const (
	LineWord = lineOverflow
	LineRefs = lineRecords
)

// SlotOf is [Line.OwnSlot] for a line with this word.
func SlotOf(word uint32, rest uint64) uint64 { return multiplySlot(rest, uint64(word>>16&0xff)) }

// Spilled is [Line.Spilled] for a line with this word.
func Spilled(word uint32) bool { return word>>24 != 0 }

// NotInLine reports whether a record outside its own slot is neither in the line with this word nor in a later one.
func NotInLine(word uint32, h Hash) bool { return !Spilled(word) && word&uint32(h.OverflowBit()) == 0 }

// A Line is an overlay on one line of the index, of [LineSize] bytes.
type Line []byte

func (l Line) OwnSlot(rest uint64) int { return int(multiplySlot(rest, uint64(l[lineMultiplier]))) }

func multiplySlot(rest, multiplier uint64) uint64 {
	slot, _ := bits.Mul64(rest*multiplier, LineSlots)
	return slot
}

// Spilled reports whether a record of the line is outside its own slot.
func (l Line) Spilled() bool { return l[lineSpilled] != 0 }

func (l Line) Valid() bool {
	return l[lineMultiplier]&1 == 1 && l[lineMultiplier] <= maxMultiplier && l[lineSpilled] <= 1
}

// Candidates returns the slots that may hold a record, one bit per slot. These are the slots with its fingerprint; in
// a line that is not spilled, only its own slot.
func (l Line) Candidates(h Hash, rest uint64) (slots uint32) {
	slots = l.matchFingerprint(h.Fingerprint())
	if !l.Spilled() {
		slots &= 1 << l.OwnSlot(rest)
	}
	return slots
}

func (l Line) matchFingerprint(fp uint16) (slots uint32) {
	_ = l[LineSize-1]
	all := uint64(fp) * everyLane
	return equalLanes(le.Uint64(l), all) | equalLanes(le.Uint64(l[8:]), all)<<4 |
		equalLanes(uint64(le.Uint32(l[16:]))|^all&^(1<<32-1), all)<<8
}

// everyLane has the lowest bit of each 16-bit lane.
const everyLane = 0x0001_0001_0001_0001

func equalLanes(x, y uint64) uint32 {
	const low = everyLane * 0x7fff
	x ^= y
	zero := ^(x&low + low | x | low) // the high bit of each lane that is zero
	return uint32(zero >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15)
}

func (l Line) Record(i int) layout.Ref { return layout.Ref(le.Uint32(l[lineRecords+4*i:])) }
func (l Line) SetRecord(i int, n layout.Ref) {
	le.PutUint32(l[lineRecords+4*i:], uint32(n))
}
func (l Line) Overflowed(h Hash) bool { return le.Uint16(l[lineOverflow:])&h.OverflowBit() != 0 }
func (l Line) SetOverflow(h Hash) {
	le.PutUint16(l[lineOverflow:], le.Uint16(l[lineOverflow:])|h.OverflowBit())
}

type Slot struct {
	Hash Hash
	Rest uint64 // see [Hash.SplitBucket]
	Ref  layout.Ref
}

// StoreSlots stores at most [LineSlots] records in an empty line.
func (l Line) StoreSlots(slots []Slot) {
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
	l.SetRecord(at, s.Ref)
}

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

// BucketsFor returns the number of index lines for n records, at least one. The index is then about half full.
func BucketsFor(n int64) int64 { return max(1, (n+4)/5) }
