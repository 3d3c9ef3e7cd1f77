package paired

import (
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is how often a bootstrap draws.
const resamples = 1000

// An Interval holds a figure with a confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bootstrap returns the interval of a figure that is not one of single rounds, such as one
// of the median curve: figure gets the numbers of rounds that were drawn with replacement,
// and its results are cut at both ends (the percentile method). ok is false for fewer than
// two rounds, or if the figure was mostly not finite. The draw is the same each time.
func Bootstrap(rounds int, confidence float64, figure func(drawn []int) float64) (i Interval, ok bool) {
	if rounds < 2 {
		return Interval{}, false
	}
	random := rand.New(rand.NewPCG(uint64(rounds), resamples))
	drawn, all := make([]int, rounds), make([]float64, 0, resamples)
	for range resamples {
		for k := range drawn {
			drawn[k] = random.IntN(rounds)
		}
		if f := figure(drawn); !math.IsNaN(f) && !math.IsInf(f, 0) {
			all = append(all, f)
		}
	}
	if len(all) < resamples*9/10 {
		return Interval{}, false
	}
	slices.Sort(all)
	beyond := int((1 - confidence) / 2 * float64(len(all)))
	return Interval{all[beyond], all[len(all)-1-beyond]}, true
}
