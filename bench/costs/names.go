package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"sync"
)

// The constants of the method id, see docs/format.md.
const (
	fold0 = 0xa0761d6478bd642f
	fold1 = 0xe7037ed1a0b428db
	fold2 = 0x8ebc6af09c88c6e3
)

func multiply(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// foldState returns the state of the fold after its first block of a string of n bytes.
func foldState(h uint64, block []byte, n int) uint64 {
	h ^= uint64(n) * fold2
	return multiply(binary.LittleEndian.Uint64(block)^fold0, binary.LittleEndian.Uint64(block[8:])^h)
}

const (
	letters        = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	equalNameBytes = 40
)

// fold returns the fold of a string of at most 16 bytes, as docs/format.md defines it.
func fold(h uint64, s string) uint64 {
	var b [8]byte
	h ^= uint64(len(s)) * fold2
	var first, last uint64
	switch n := len(s); {
	case n >= 8:
		first = binary.LittleEndian.Uint64([]byte(s[:8]))
		last = binary.LittleEndian.Uint64([]byte(s[n-8:]))
	case n >= 4:
		first = uint64(binary.LittleEndian.Uint32([]byte(s[:4])))
		last = uint64(binary.LittleEndian.Uint32([]byte(s[n-4:])))
	case n > 0:
		copy(b[:], s)
		first = uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return multiply(first^fold1, last^h)
}

// equalBlock finds a first block after which the state of the fold consists of letters. A second block that ends with
// these letters makes the state 0, whatever its first 8 bytes are.
func equalBlock(h uint64) (block, state []byte) {
	seed := uint64(1)
	for {
		block = block[:0]
		for range 16 {
			seed = seed*6364136223846793005 + 1442695040888963407
			block = append(block, letters[seed>>33%52])
		}
		state = binary.LittleEndian.AppendUint64(nil, foldState(h, block, equalNameBytes))
		if strings.Trim(string(state), letters) == "" {
			return block, state
		}
	}
}

// A namer makes names. Names with one id have it for one class only.
type namer struct{ kind, length int }

// equalBlocks caches first blocks and states, by class.
var equalBlocks sync.Map

func (n *namer) name(class string, i int) string {
	switch n.kind {
	case namesEqualID:
		return n.equalName(class, i)
	case namesMangled:
		id := fmt.Sprint("f", i)
		return fmt.Sprintf("_ZN3app%d%sE%si", len(id), id, strings.Repeat("RKSs", min(n.length/8, 1000)))
	case namesOnePrefix:
		return strings.Repeat("p", n.length) + fmt.Sprint(i)
	}
	return fmt.Sprint("f", i) + strings.Repeat("x", n.length)
}

func (n *namer) equalName(class string, i int) string {
	made, ok := equalBlocks.Load(class)
	if !ok {
		block, state := equalBlock(fold(fold0, class))
		made = [2]string{string(block), string(state)}
		equalBlocks.Store(class, made)
	}
	parts := made.([2]string)
	var digits [8]byte
	for d := range digits {
		digits[d] = letters[i%len(letters)]
		i /= len(letters)
	}
	return parts[0] + string(digits[:]) + parts[1] + "ZZZZZZZZ"
}
