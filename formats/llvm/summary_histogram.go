package llvm

import (
	"cmp"
	"slices"
)

// A histogram says how often each count occurs. Most counts are small, and an
// array takes those faster than a map.
type histogram struct {
	small []uint64 // by count
	large map[uint64]uint64
}

const smallCounts = 1 << 12

// A frequency is a count and how often it occurs.
type frequency struct{ count, times uint64 }

func (h *histogram) add(count uint64) {
	if count >= smallCounts {
		if h.large == nil {
			h.large = map[uint64]uint64{}
		}
		h.large[count]++
		return
	}
	if h.small == nil {
		h.small = make([]uint64, smallCounts)
	}
	h.small[count]++
}

// descending gives the counts that occur, the highest first.
func (h *histogram) descending() []frequency {
	all := make([]frequency, 0, len(h.large))
	for count, times := range h.large {
		all = append(all, frequency{count, times})
	}
	slices.SortFunc(all, func(a, b frequency) int { return cmp.Compare(b.count, a.count) })
	for count := len(h.small) - 1; count >= 0; count-- {
		if times := h.small[count]; times > 0 {
			all = append(all, frequency{uint64(count), times})
		}
	}
	return all
}
