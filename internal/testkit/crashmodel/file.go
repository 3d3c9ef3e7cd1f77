package crashmodel

import (
	"bytes"
	"maps"
	"slices"
)

// A file has all possible contents and sizes after a crash. Programs see the last ones.
type file struct {
	blocks     map[int64][][]byte // versions of each block
	sizes      []int64
	syncFailed bool // a sync failed
}

func newFile() *file { return &file{blocks: map[int64][][]byte{}, sizes: []int64{0}} }

func lastOf[T any](all []T) T { return all[len(all)-1] }

func (f *file) writeBlocks(block, at int64, data []byte) {
	for len(data) > 0 {
		n := min(int64(len(data)), block-at%block)
		if len(f.blocks[at/block]) == 0 {
			f.blocks[at/block] = [][]byte{make([]byte, block)}
		}
		now := bytes.Clone(lastOf(f.blocks[at/block]))
		copy(now[at%block:], data[:n])
		f.blocks[at/block] = append(f.blocks[at/block], now)
		at += n
		data = data[n:]
		f.sizes = append(f.sizes, max(lastOf(f.sizes), at))
	}
}

func (f *file) makeDurable() {
	for i, versions := range f.blocks {
		f.blocks[i] = versions[len(versions)-1:]
	}
	f.sizes = f.sizes[len(f.sizes)-1:]
}

// eachContent calls with for each possible content, until with returns false. Contents can repeat.
func (f *file) eachContent(block int64, with func([]byte) bool) bool {
	sizes := slices.Clone(f.sizes)
	slices.Sort(sizes)
	numbers := slices.Sorted(maps.Keys(f.blocks))
	for _, size := range slices.Compact(sizes) {
		choices := []int{}
		for _, i := range numbers {
			if i*block < size { // bytes after the end are not visible
				choices = append(choices, len(f.blocks[i]))
			}
		}
		data := make([]byte, size)
		if !eachChoice(choices, func(chosen []int) bool {
			for k, version := range chosen {
				copy(data[numbers[k]*block:], f.blocks[numbers[k]][version])
			}
			return with(bytes.Clone(data))
		}) {
			return false
		}
	}
	return true
}

// maxChoices is the maximum number of states after a call.
const maxChoices = 1 << 20

// eachChoice calls with for all combinations of a number below each bound, until with returns false. It returns false
// in this case.
func eachChoice(bounds []int, with func(chosen []int) bool) bool {
	all := 1
	for _, bound := range bounds {
		all = min(all*bound, maxChoices+1)
	}
	for n := range all {
		if n == maxChoices {
			panic("too many states: write less, or in larger blocks")
		}
		chosen := make([]int, len(bounds))
		for i, bound := range bounds {
			chosen[i] = n % bound
			n /= bound
		}
		if !with(chosen) {
			return false
		}
	}
	return true
}
