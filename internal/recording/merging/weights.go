package merging

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const weightDecimals = 9

// ParseWeight parses a positive decimal number with at most nine digits after the point.
func ParseWeight(text string) (layout.Weight, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > weightDecimals {
		return 0, fmt.Errorf("weight %s: at most %d decimal places are held", text, weightDecimals)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", weightDecimals-len(fraction)), 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("weight %s: a weight is a number from 0.000000001 to 18446744073, as 3 or 0.25", text)
	}
	return layout.Weight(n), nil
}

// HalfLife returns the weight of counts with this age. The weight halves with each half-life and is 1 for an age of 0.
// A negative age counts as 0, and with a half-life of 0 or less the weight is always 1.
func HalfLife(age, half time.Duration) layout.Weight {
	if age <= 0 || half <= 0 {
		return layout.WeightOne
	}
	return layout.Weight(max(math.Round(float64(layout.WeightOne)*math.Exp2(-float64(age)/float64(half))), 1))
}

// Equalize returns weights with which all runs have the same total count. The run with the highest total has weight 1,
// and so do runs without counts.
func Equalize(totals []uint64) []layout.Weight {
	highest := uint64(0)
	for _, n := range totals {
		highest = max(highest, n)
	}
	weights := make([]layout.Weight, len(totals))
	for i, n := range totals {
		weights[i] = layout.WeightOne
		if n > 0 {
			hi, lo := bits.Mul64(highest, uint64(layout.WeightOne))
			weights[i] = math.MaxUint64
			if hi < n {
				q, _ := bits.Div64(hi, lo, n)
				weights[i] = layout.Weight(q)
			}
		}
	}
	return weights
}

func sampleTypesOf(s *reader.Store) (none disk.SampleTypes, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return none, err
	}
	return disk.SampleTypesOf(t.Rows, t.Text)
}

func sampleTypesOfSet(b *profileset.Set) (none disk.SampleTypes) {
	t := b.Tables[disk.TableProperties]
	if t == nil {
		return none
	}
	types, _ := disk.SampleTypesOf(t.Rows(), func(column, row int) (string, error) {
		return b.Text(intern.SymbolRef(t.Cells[2*row+column])), nil // cannot fail
	})
	return types
}

// joinSampleTypes returns the types of samples after the archive is added. The caller holds mu.
func (b Target) joinSampleTypes(c *Contents) (disk.SampleTypes, error) {
	none := disk.SampleTypes{}
	if c.sampleTypes == none || b.SampleTypes == none {
		return cmp.Or(c.sampleTypes, b.SampleTypes), nil
	}
	both, ok := b.SampleTypes.Join(c.sampleTypes)
	if !ok {
		return none, fmt.Errorf("%w: its values are of type %s, the others of %s: import and merge the profiles of each "+
			"type by themselves (the option sample-type of import chooses one of the types of a file)", profileset.ErrMismatch,
			c.sampleTypes, b.SampleTypes)
	}
	return both, nil
}
