package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/sampling"
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

// A world is a program and what it becomes.
type world struct {
	name     string
	p        []float64
	becomes  func(p []float64) []float64
	mayBeFar bool // the interval may be too wide, since small differences may be bias
}

var worlds = []world{
	{name: "equal", p: zipf(1000, 1), becomes: slices.Clone[[]float64]},
	{name: "equal and steep", p: zipf(300, 1.5), becomes: slices.Clone[[]float64]},
	{name: "a slower function", p: zipf(500, 1.2), mayBeFar: true,
		becomes: func(p []float64) []float64 { return slower(p, 0, 1.2) }},
	{name: "another load", p: zipf(400, 1), mayBeFar: true,
		becomes: func(p []float64) []float64 { return scattered(p, 1) }},
	{name: "many small changes", p: zipf(400, 1), mayBeFar: true,
		becomes: func(p []float64) []float64 { return scattered(p, 0.1) }},
	{name: "another program", p: zipf(100, 1), mayBeFar: true,
		becomes: func(p []float64) []float64 { return normalized(moved(p, 60)) }},
}

// sizes are the numbers of samples of two profiles.
var sizes = [][2]int{{100, 100}, {1000, 1000}, {300, 3000}, {5000, 1000}}

// checkCoverage checks that an interval of 95% held in 93% to 98% of the trials, give or take two deviations of that
// share.
func checkCoverage(t *testing.T, what string, held, trials int, mayBeFar bool) {
	t.Helper()
	share := float64(held) / float64(trials)
	error := 2 * math.Sqrt(0.05*0.95/float64(trials))
	if share < 0.93-error || share > 0.98+error && !mayBeFar {
		t.Errorf("%s: the interval of 95%% holds in %.1f%% of %d trials", what, 100*share, trials)
	}
}

func TestOverlapHolds(t *testing.T) {
	t.Parallel()
	const trials = 400
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			q := w.becomes(w.p)
			want := trueOverlap(w.p, q)
			for _, size := range sizes {
				r := rand.New(rand.NewPCG(1, uint64(size[0])))
				held := 0
				for range trials {
					pair := pairOf(draw(r, w.p, size[0]), draw(r, q, size[1]), size[0], size[1], false)
					found := pair.Overlap()
					if found.Low > found.Value || found.High < found.Value {
						t.Fatalf("%v does not contain its value", found)
					}
					found.High = min(found.High, 1-pair.CertainChange())
					if found.Low <= want+1e-9 && found.High >= want-1e-9 {
						held++
					}
				}
				checkCoverage(t, fmt.Sprint(size), held, trials, w.mayBeFar)
			}
		})
	}
}

// The expected overlap of equal distributions is 1 - sum sqrt(p/(pi n)).
func TestBiasOfOverlap(t *testing.T) {
	t.Parallel()
	const n = 20_000
	p := zipf(30, 0.5)
	r := rand.New(rand.NewPCG(3, 3))
	want := 1.0
	for _, share := range p {
		want -= math.Sqrt(share * (1 - share) / (math.Pi * n))
	}
	got := 0.0
	const trials = 100
	for range trials {
		got += pairOf(draw(r, p, n), draw(r, p, n), n, n, false).Overlap().Value / trials
	}
	if math.Abs(got-want) > 0.0005 {
		t.Errorf("overlap %.4f on average, want %.4f", got, want)
	}
}

func TestShareHolds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for _, share := range []float64{0.1, 0.5, 0.9} {
		const trials, n = 2000, 200
		held := 0
		for range trials {
			i := sampling.Share(draw(r, []float64{share, 1 - share}, n)[0]/n, n)
			if i.Low <= share && share <= i.High {
				held++
			}
		}
		checkCoverage(t, fmt.Sprint(share), held, trials, false)
	}
}

// TestNoiseAndChanges counts false alarms, lists with a change in equal profiles, and misses of a slower function.
func TestNoiseAndChanges(t *testing.T) {
	t.Parallel()
	const pairs = 200
	p := zipf(500, 1.2)
	for _, test := range []struct {
		size      [2]int
		mayMisses int // of 200; the longer the profiles, the fewer
	}{{[2]int{300, 300}, 200}, {[2]int{3000, 30_000}, 120}, {[2]int{10_000, 10_000}, 10}} {
		r := rand.New(rand.NewPCG(4, uint64(test.size[1])))
		alarms, misses := 0, 0
		for range pairs {
			changed := func(q []float64) (hot, any bool) {
				n, m := float64(test.size[0]), float64(test.size[1])
				x, y := draw(r, p, test.size[0]), draw(r, q, test.size[1])
				pair := pairOf(x, y, test.size[0], test.size[1], false)
				level := pair.Level()
				for k := range x {
					if !pair.Change(x[k]/n, y[k]/m, level).HasZero() {
						any, hot = true, hot || k == 0
					}
				}
				return hot, any
			}
			if _, any := changed(p); any {
				alarms++
			}
			if hot, _ := changed(slower(p, 0, 1.2)); !hot {
				misses++
			}
		}
		if alarms > 15 || misses > test.mayMisses {
			t.Errorf("%v: %d false alarms and %d misses of %d", test.size, alarms, misses, pairs)
		}
	}
}

// In equal profiles no cell is missing but by chance.
func TestCoverageHolds(t *testing.T) {
	t.Parallel()
	const trials = 400
	for _, w := range worlds[:2] {
		t.Run(w.name, func(t *testing.T) {
			for _, size := range sizes {
				for _, byNumber := range []bool{false, true} {
					r := rand.New(rand.NewPCG(6, uint64(size[0])))
					held := 0
					for range trials {
						pair := pairOf(draw(r, w.p, size[0]), draw(r, w.p, size[1]), size[0], size[1], true)
						found := pair.Coverage(byNumber)
						if found.Low > found.Value || found.High < found.Value {
							t.Fatalf("%v does not contain its value", found)
						}
						if found.High >= 1-1e-9 {
							held++
						}
					}
					checkCoverage(t, fmt.Sprint(size, byNumber), held, trials, false)
				}
			}
		})
	}
}

// A cell of the first profile that the second one lacks lowers the upper end if it is too frequent for chance.
func TestMissingCells(t *testing.T) {
	t.Parallel()
	for samples, certain := range map[float64]bool{1: false, 3: false, 30: true} {
		pair := sampling.Pair{N: 100, M: 100}
		pair.Add(1-samples/100, 1)
		pair.Add(samples/100, 0)
		if high := pair.Coverage(false).High; high < 1 != certain {
			t.Errorf("%v samples are missing: at most %v are covered", samples, high)
		}
	}
}

// Profiles of the predicted sizes decide what the first ones could not.
func TestNeedsAreEnough(t *testing.T) {
	t.Parallel()
	const pairs = 40
	p := zipf(1000, 1)
	for _, test := range []struct {
		name   string
		bound  float64
		decide func(*sampling.Pair) sampling.Estimate
		needs  func(*sampling.Pair, float64) (sampling.Needs, bool)
	}{
		{"overlap", 0.7, (*sampling.Pair).Overlap, (*sampling.Pair).OverlapNeeds},
		{"coverage", 0.9, func(p *sampling.Pair) sampling.Estimate { return p.Coverage(false) },
			func(p *sampling.Pair, bound float64) (sampling.Needs, bool) { return p.CoverageNeeds(false, bound) }},
		{"spread", 0.5, func(p *sampling.Pair) sampling.Estimate { return p.Coverage(true) },
			func(p *sampling.Pair, bound float64) (sampling.Needs, bool) { return p.CoverageNeeds(true, bound) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 8))
			enough, all := 0, 0
			for range pairs {
				pair := pairOf(draw(r, p, 200), draw(r, p, 200), 200, 200, test.name != "overlap")
				if found := test.decide(pair); found.Low >= test.bound || found.High < test.bound {
					continue
				}
				needs, ok := test.needs(pair, test.bound)
				if !ok {
					t.Fatalf("no number of samples decides %+v", test.decide(pair))
				}
				all++
				n, m := int(needs.N), int(needs.M)
				longer := pairOf(draw(r, p, n), draw(r, p, m), n, m, test.name != "overlap")
				if test.decide(longer).Low >= test.bound {
					enough++
				}
			}
			if all < pairs/2 || enough < all*3/4 {
				t.Errorf("of %d pairs %d have too few samples, and the advice is enough for %d", pairs, all, enough)
			}
		})
	}
}
