package sampling_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/experimental/compare/sampling"
)

// zipf returns the shares of cells, the k-th of which is proportional to 1/(k+1)^exponent.
func zipf(cells int, exponent float64) []float64 {
	p := make([]float64, cells)
	for k := range p {
		p[k] = 1 / math.Pow(float64(k+1), exponent)
	}
	return normalized(p)
}

func normalized(p []float64) []float64 {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// draw returns the numbers of samples in each cell.
func draw(r *rand.Rand, p []float64, n int) []float64 {
	ends := make([]float64, len(p))
	sum := 0.0
	for k, v := range p {
		sum += v
		ends[k] = sum
	}
	counts := make([]float64, len(p))
	for range n {
		at, _ := slices.BinarySearch(ends, r.Float64()*sum)
		counts[min(at, len(p)-1)]++
	}
	return counts
}

func pairOf(x, y []float64, n, m int, onlyFirst bool) *sampling.Pair {
	p := &sampling.Pair{N: float64(n), M: float64(m)}
	for k := range x {
		if !onlyFirst || x[k] > 0 {
			p.Add(x[k]/float64(n), y[k]/float64(m))
		}
	}
	return p
}

func trueOverlap(p, q []float64) (sum float64) {
	for k := range p {
		sum += min(p[k], q[k])
	}
	return sum
}

// slower returns the shares of a program in which one cell takes longer.
func slower(p []float64, cell int, factor float64) []float64 {
	q := slices.Clone(p)
	q[cell] *= factor
	return normalized(q)
}

// scattered returns shares that differ by a random factor in each cell.
func scattered(p []float64, by float64) []float64 {
	r := rand.New(rand.NewPCG(5, 5))
	q := slices.Clone(p)
	for k := range q {
		q[k] *= math.Exp(by * r.NormFloat64())
	}
	return normalized(q)
}

func moved(p []float64, by int) []float64 { return append(make([]float64, by), p[:len(p)-by]...) }

func TestCoverageOfIntervals(t *testing.T) {
	t.Parallel()
	const trials = 400
	for _, of := range []struct {
		name  string
		p     []float64
		q     func(p []float64) []float64
		dense bool // the interval may be too wide
	}{
		{name: "equal", p: zipf(2000, 1), q: slices.Clone[[]float64]},
		{name: "equal and steep", p: zipf(300, 1.5), q: slices.Clone[[]float64]},
		{name: "a slower function", p: zipf(2000, 1.2), q: func(p []float64) []float64 { return slower(p, 0, 1.2) }},
		{name: "another load", p: zipf(400, 1), q: func(p []float64) []float64 { return scattered(p, 1) }, dense: true},
		{name: "many small changes", p: zipf(400, 1), q: func(p []float64) []float64 { return scattered(p, 0.1) }, dense: true},
		{name: "another program", p: zipf(100, 1), q: func(p []float64) []float64 { return normalized(moved(p, 60)) }, dense: true},
	} {
		t.Run(of.name, func(t *testing.T) {
			q := of.q(of.p)
			want := trueOverlap(of.p, q)
			for _, size := range [][2]int{{100, 100}, {1000, 1000}, {300, 3000}, {5000, 1000}} {
				r := rand.New(rand.NewPCG(1, uint64(size[0])))
				inside, below, above := 0, 0, 0
				width := 0.0
				for range trials {
					pair := pairOf(draw(r, of.p, size[0]), draw(r, q, size[1]), size[0], size[1], false)
					o := pair.Overlap()
					width += o.High - o.Low
					switch {
					case want < o.Low-1e-9:
						below++
					case want > o.High+1e-9:
						above++
					default:
						inside++
					}
				}
				t.Logf("%v: true %.3f, in %.1f%%, below %d, above %d, mean width %.3f", size, want, 100*float64(inside)/trials, below, above, width/trials)
			}
		})
	}
}
