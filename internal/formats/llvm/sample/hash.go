package sample

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/internal/system/lists"
)

// LLVM writes the metadata of functions in the order of a hash map of its C++ library: libstdc++'s unordered_map, in
// which the functions of a file were put, and then the functions of the first map in its order.

// metadataOrder returns the functions in the order in which llvm-profdata writes their metadata.
func metadataOrder(p *Profile) []*Function {
	return throughHashMap(throughHashMap(p.Functions, p.Calling), p.Calling)
}

// bucketNumbers are the numbers of buckets of a growing map. Each is a prime, and about twice the one before.
var bucketNumbers = [...]int{13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061,
	712697, 1447153, 2938679, 5967347, 12117689}

// A hashed function is an entry of a map.
type hashed struct {
	*Function
	hash   uint64
	bucket int // order of the bucket, by its first entry
	order  int
}

// throughHashMap returns functions in the order of a map in which they were put one after the other. A map that is full
// gets more buckets, and its entries are put into them in the order of the map.
func throughHashMap(functions []*Function, calling bool) []*Function {
	all := make([]hashed, 0, len(functions))
	buckets := bucketNumbers[:]
	for i, f := range functions {
		if i == buckets[0] && len(buckets) > 1 {
			sortByBucket(all, buckets[0])
			buckets = buckets[1:]
		}
		hash := GUID(f.Name)
		if calling {
			hash = hashOfFrames(f.frames())
		}
		all = append(all, hashed{Function: f, hash: hash})
	}
	sortByBucket(all, buckets[0])
	sorted := lists.Map(all, func(h hashed) *Function { return h.Function })
	return sorted
}

// sortByBucket sorts the entries of a map by buckets. The bucket that got its first entry last comes first, and each
// bucket has its last entry first.
func sortByBucket(all []hashed, buckets int) {
	first := map[uint64]int{}
	for i := range all {
		bucket := all[i].hash % uint64(buckets)
		if _, ok := first[bucket]; !ok {
			first[bucket] = i
		}
		all[i].bucket, all[i].order = first[bucket], i
	}
	slices.SortFunc(all, func(a, b hashed) int { return cmp.Or(b.bucket-a.bucket, b.order-a.order) })
}

// The hash of a context is LLVM's hash of a range of numbers, one for each frame. It resembles CityHash.

const (
	hashSeed = 0xff51afd7ed558ccd
	hashK0   = 0xc3a5c85c97cb3127
	hashK1   = 0xb492b66fbe98f273
	hashK2   = 0x9ae16a3b2f90404f
	hashK3   = 0xc949d7c7509e6557
	hashMul  = 0x9ddfea08eb382d69
)

// hashChunk is the number of words that are mixed at once.
const hashChunk = 8

func hashOfFrames(frames []Frame) uint64 {
	words := lists.Map(frames, func(f Frame) uint64 {
		return GUID(f.Name) + 33*(uint64(f.Discriminator)<<32|uint64(f.Line))
	})
	if len(words) <= hashChunk {
		return hashFew(words)
	}
	return hashMany(words)
}

func rotateRight(n uint64, by int) uint64 { return bits.RotateLeft64(n, -by) }

func shiftMix(n uint64) uint64 { return n ^ n>>47 }

func hashPair(low, high uint64) uint64 {
	a := shiftMix((low ^ high) * hashMul)
	return shiftMix((high^a)*hashMul) * hashMul
}

// hashFew hashes one to eight words.
func hashFew(w []uint64) uint64 {
	n := len(w)
	size := uint64(8 * n)
	switch {
	case n == 1:
		return hashPair(size+w[0]&0xffffffff<<3, hashSeed^w[0]>>32)
	case n == 2:
		return hashPair(hashSeed^w[0], rotateRight(w[1]+size, int(size))) ^ w[1]
	case n <= 4:
		a := w[0] * hashK1
		b := w[1]
		c := w[n-1] * hashK2
		d := w[n-2] * hashK0
		return hashPair(rotateRight(a-b, 43)+rotateRight(c^hashSeed, 30)+d,
			a+rotateRight(b^hashK3, 20)-c+size+hashSeed)
	}
	firstHigh, firstLow := hashFour(w[0]+(size+w[n-2])*hashK0, [3]uint64{w[1], w[2], w[3]})
	lastHigh, lastLow := hashFour(w[2]+w[n-4], [3]uint64{w[n-3], w[n-2], w[n-1]})
	r := shiftMix((firstHigh+lastLow)*hashK2 + (lastHigh+firstLow)*hashK0)
	return shiftMix((hashSeed^r*hashK0)+firstLow) * hashK2
}

// hashFour mixes a word with three others.
func hashFour(a uint64, w [3]uint64) (high, low uint64) {
	b := rotateRight(a+w[2], 52)
	c := rotateRight(a, 37)
	a += w[0]
	c += rotateRight(a, 7)
	a += w[1]
	return a + w[2], b + rotateRight(a, 31) + c
}

// A hashState is the state of the hash of more than eight words.
type hashState [7]uint64

func hashMany(w []uint64) uint64 {
	seed := uint64(hashSeed)
	s := hashState{0, seed, hashPair(seed, hashK1), rotateRight(seed^hashK1, 49), seed * hashK1, shiftMix(seed), 0}
	s[6] = hashPair(s[4], s[5])
	at := hashChunk
	for s.mix(w[:at]); at < len(w); {
		at = min(at+hashChunk, len(w))
		s.mix(w[at-hashChunk : at]) // the last eight words; some may have been mixed before
	}
	return hashPair(hashPair(s[3], s[5])+shiftMix(s[1])*hashK1+s[2],
		hashPair(s[4], s[6])+shiftMix(uint64(8*len(w)))*hashK1+s[0])
}

// mix mixes eight words into the state.
func (s *hashState) mix(w []uint64) {
	s[0] = rotateRight(s[0]+s[1]+s[3]+w[1], 37) * hashK1
	s[1] = rotateRight(s[1]+s[4]+w[6], 42) * hashK1
	s[0] ^= s[6]
	s[1] += s[3] + w[5]
	s[2] = rotateRight(s[2]+s[5], 33) * hashK1
	s[3] = s[4] * hashK1
	s[4] = s[0] + s[5]
	s.mixFour(3, w[:4])
	s[5] = s[2] + s[6]
	s[6] = s[1] + w[2]
	s.mixFour(5, w[4:])
	s[2], s[0] = s[0], s[2]
}

// mixFour mixes four words into the words i and i+1 of the state.
func (s *hashState) mixFour(i int, w []uint64) {
	a := s[i] + w[0]
	b := rotateRight(s[i+1]+a+w[3], 21)
	mixed := a + w[1] + w[2]
	s[i+1] = b + rotateRight(mixed, 44) + a
	s[i] = mixed + w[3]
}
