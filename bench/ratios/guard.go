package ratios

import (
	"slices"

	"github.com/profarc/profarc/internal/cli/paired"
)

// Quiet is the spread of the fixed loop below which a round is quiet.
const Quiet = 0.25

// A Guard detects noisy rounds and repeats them. It runs a fixed loop before each turn and after the last one.
type Guard struct {
	Rounds int                       // required number of quiet rounds
	Loop   func() float64            // runs the loop and returns its time
	Turns  []func() (float64, error) // runs a contender and returns its time
	Round  func(round int)           // called before each round unless nil
}

type round struct {
	spread float64
	costs  []float64
}

// Run returns the time of each contender in the quietest g.Rounds rounds. It runs at most 2*g.Rounds rounds. It stops
// at the first error.
func (g Guard) Run() (costs [][]float64, noise Noise, err error) {
	var rounds []round
	for quiet := 0; quiet < g.Rounds && len(rounds) < 2*g.Rounds; {
		r, err := g.runRound(len(rounds))
		if err != nil {
			return nil, noise, err
		}
		if r.spread < Quiet {
			quiet++
		}
		rounds = append(rounds, r)
	}
	slices.SortStableFunc(rounds, func(a, b round) int {
		switch {
		case a.spread < b.spread:
			return -1
		case a.spread > b.spread:
			return 1
		}
		return 0
	})
	costs, noise = g.keepQuietest(rounds)
	return costs, noise, nil
}

func (g Guard) runRound(n int) (r round, err error) {
	if g.Round != nil {
		g.Round(n)
	}
	r.costs = make([]float64, len(g.Turns))
	loops := []float64{g.Loop()}
	for i := range g.Turns {
		c := (i + n) % len(g.Turns)
		r.costs[c], err = g.Turns[c]()
		if err != nil {
			return r, err
		}
		loops = append(loops, g.Loop())
	}
	r.spread = Spread(loops)
	return r, nil
}

// keepQuietest returns the results of the quietest rounds.
func (g Guard) keepQuietest(rounds []round) (costs [][]float64, noise Noise) {
	n := min(g.Rounds, len(rounds))
	noise.Repeated = len(rounds) - n
	costs = make([][]float64, len(g.Turns))
	var spreads []float64
	for _, r := range rounds[:n] {
		spreads = append(spreads, r.spread)
		if r.spread >= Quiet {
			noise.Noisy++
		}
		for i, c := range r.costs {
			costs[i] = append(costs[i], c)
		}
	}
	noise.Spread = paired.Median(spreads)
	return costs, noise
}
