package fastmem

import (
	"cmp"
	"slices"
)

// A SortKey is a sort key and the reference of its item.
type SortKey struct {
	Key uint64
	Ref uint32
}

const (
	// RadixMin is the number of keys from which radix sort is faster.
	RadixMin = 1 << 6
	// radixBytes is the number of bytes to sort by at once. Evenly distributed keys rarely agree in more.
	radixBytes = 3
)

// SortByKey sorts keys stably. *spare is scratch memory, which it keeps for the next call. If stop, called with a
// number of keys, returns true, it stops and leaves keys unsorted.
func SortByKey(keys []SortKey, spare *[]SortKey, stop func(n int) bool) {
	differ := differingBits(keys)
	if differ == 0 || stop(len(keys)) {
		return
	}
	if len(keys) < RadixMin || disabled[RadixSorting] {
		slices.SortStableFunc(keys, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
		return
	}
	top := 0 // the lowest of the highest radixBytes bytes that differ
	for n, at := 0, 7; at >= 0 && n < radixBytes; at-- {
		if byte(differ>>(8*at)) != 0 {
			top = at
			n++
		}
	}
	radixSort(keys, spare, differ, top)
	if differ<<(64-8*top) == 0 { // also 0 if top is 0
		return
	}
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].Key>>(8*top) == keys[from].Key>>(8*top) {
			to++
		}
		if to-from > 1 {
			SortByKey(keys[from:to], spare, stop)
		}
		from = to
	}
}

// differingBits returns the bits in which not all keys agree.
func differingBits(keys []SortKey) (bits uint64) {
	for _, k := range keys {
		bits |= k.Key ^ keys[0].Key
	}
	return bits
}

// radixSort sorts by the differing bytes, from byte top upward.
func radixSort(keys []SortKey, spare *[]SortKey, differ uint64, top int) {
	if len(*spare) < len(keys) {
		*spare = AllocateLarge[SortKey](len(keys))
	}
	from := keys
	to := (*spare)[:len(keys)]
	for shift := 8 * top; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, k := range from {
			at[byte(k.Key>>shift)]++
		}
		sum := uint32(0)
		for b, n := range at {
			at[b] = sum
			sum += n
		}
		for _, k := range from {
			b := byte(k.Key >> shift)
			to[at[b]] = k
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
