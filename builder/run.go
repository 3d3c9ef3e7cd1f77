package builder

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Run is one training run of which profiles are given.
type Run struct {
	// Weight is what its counts are multiplied by, 0 for 1. Traps, flags and the
	// history of compilations are not counts.
	Weight Weight
	// AsLLVM merges as llvm-profdata does where it differs: a value that the
	// builder has not seen at a site is taken without the weight.
	AsLLVM bool
}

// NextRun says that what is given from here on is of another run: a profile
// that the builder has of the runs before is merged with the new one, where
// one run that gives it twice is refused with ErrDuplicate.
func (b *Builder) NextRun(r Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mixed = b.mixed || len(b.profiles) > 0 || len(b.tables) > 0
	b.run = b.newRun(r)
}

// A runData is a run, numbered so that what it gives twice is noticed.
type runData struct {
	Run
	number uint32
}

func (b *Builder) newRun(r Run) runData {
	b.runs++
	return runData{r, b.runs}
}

// A Weight is a factor, held exactly in billionths.
type Weight uint64

// One is the weight that changes nothing.
const One Weight = 1e9

// decimals is the number of decimal places of a weight.
const decimals = 9

// ParseWeight reads a whole number or a decimal fraction of at most nine
// places, greater than 0.
func ParseWeight(text string) (Weight, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > decimals {
		return 0, fmt.Errorf("weight %s: at most %d decimal places are held", text, decimals)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("weight %s: a weight is a number from 0.000000001 to 18446744073, as 3 or 0.25", text)
	}
	return Weight(n), nil
}

// String gives the weight as a decimal number.
func (w Weight) String() string {
	s := fmt.Sprintf("%d.%0*d", w/One, decimals, uint64(w%One))
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// of is n times the weight, rounded to the nearest, half up; it saturates.
func (w Weight) of(n uint64) uint64 {
	if w == One || w == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, uint64(w))
	lo, carry := bits.Add64(lo, uint64(One)/2, 0)
	if hi += carry; hi >= uint64(One) {
		return maxCount
	}
	q, _ := bits.Div64(hi, lo, uint64(One))
	return q
}

// ofSigned is of for a count that may have been counted down.
func (w Weight) ofSigned(n int64) int64 {
	if n < 0 {
		return -int64(min(w.of(uint64(-n)), maxSigned))
	}
	return int64(min(w.of(uint64(n)), maxSigned))
}

const (
	maxCount  = 1<<64 - 1
	maxSigned = 1<<63 - 1
)
