package stacks

import (
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Counter is something that profiles count, of a method as a whole.
type Counter struct {
	Name string // in plural: "bytecodes"
	// Of is the sum over a profile; ok is false if the profile does not have it.
	Of func(p reader.Profile) (n uint64, ok bool)
}

// Counters are all that can be said of a method. None of them is a time.
func Counters() []Counter {
	return []Counter{
		{"invocations", func(p reader.Profile) (uint64, bool) { return trained(p.Invocations()) }},
		{"backedges", func(p reader.Profile) (uint64, bool) { return trained(p.Backedges()) }},
		{"calls", counted(layout.SubCalls)},
		{"bytecodes", counted(layout.SubBytecodes)},
		{"cycles", counted(layout.SubCycles)},
		{"native_calls", counted(layout.SubNativeCalls)},
		{"new_arrays", counted(layout.SubNewArrays)},
		{"block_counts", blockCounts},
	}
}

func trained(c reader.Counter, ok bool) (uint64, bool) { return c.Trained(), ok }

// counted sums the Count entries of what.
func counted(what uint16) func(reader.Profile) (uint64, bool) {
	return func(p reader.Profile) (sum uint64, ok bool) {
		for e := range p.Entries() {
			if c, isCount := e.Counter(); isCount && e.Tag() == layout.TagCount && e.Sub() == what {
				sum, ok = disk.SaturatingAdd(sum, c.Trained()), true
			}
		}
		return sum, ok
	}
}

// maxCount is LLVM's highest count: the two numbers above it say of a sampled
// function that it is hot or warm.
const maxCount = math.MaxUint64 - 2

// blockCounts sums LLVM's counters.
func blockCounts(p reader.Profile) (sum uint64, ok bool) {
	for e := range p.Entries() {
		rows, isList := e.Rows()
		if !isList || e.Tag() != layout.TagCounters {
			continue
		}
		for i := range rows.Len() {
			if n := rows.Cell(i, 0).Trained(); n <= maxCount {
				sum, ok = disk.SaturatingAdd(sum, n), true
			}
		}
	}
	return sum, ok
}

// Sum is a counter's sum over the profiles of a method, of all contexts and all
// versions of its code.
func (c *Counter) Sum(m reader.Method) (sum uint64, ok bool, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return 0, false, err
		}
		if n, has := c.Of(p); has {
			sum, ok = disk.SaturatingAdd(sum, n), true
		}
	}
	return sum, ok, nil
}
