package ratios

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func sample() *Report {
	r := &Report{Machine: "a <machine>"}
	for _, n := range []int{1000, 1_000_000} {
		r.Add(Table{Title: "id, independent", Methods: n, Noise: Noise{Spread: 0.04, Repeated: 2}, Rows: []Row{
			{Name: "ProfileID", Value: float64(n) / 100, Ratio: 0.5,
				Goals: []Goal{{"map[uint64]", 0.55, 0.5}}},
			{Name: "map[uint64]", Value: float64(n) / 50, Ratio: 1, Goals: []Goal{{"", 1, 2}}},
		}})
	}
	return r
}

const sampleMarkdown = `# Measurements

a <machine>

2 of 4 goals are met. Figures are medians; ratios are to the first map of a table, or to what its heading says.

## id, independent

id, independent, 1,000 methods (spread of a fixed loop 4 %, 2 noisy rounds repeated).

| | time | ratio | goal |
|---|---|---|---|
| ProfileID | 10.0 ns | 0.50 | 0.50 of map[uint64], at most 0.55: met |
| map[uint64] | 20.0 ns | 1.00 | at most 1: not met |

id, independent, 1,000,000 methods (spread of a fixed loop 4 %, 2 noisy rounds repeated).

| | time | ratio | goal |
|---|---|---|---|
| ProfileID | 10000 ns | 0.50 | 0.50 of map[uint64], at most 0.55: met |
| map[uint64] | 20000 ns | 1.00 | at most 1: not met |

Growth with the number of methods, time ~ n^e: ProfileID 1.00; map[uint64] 1.00.
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	if got := sample().Markdown(); got != sampleMarkdown {
		t.Errorf("got\n%s\nwant\n%s", got, sampleMarkdown)
	}
}

// TestReportsOfSeveralPrograms: a table replaces the one of an earlier run, and others stay.
func TestReportsOfSeveralPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := sample().Write(dir); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Add(Table{Title: "id, independent", Methods: 1000})
	r.Add(Table{Title: "others", Methods: 1000})
	if len(r.Tables) != 3 || len(r.Tables[0].Rows) != 0 || len(r.Tables[1].Rows) != 2 {
		t.Errorf("tables %v", r.Tables)
	}
	if s, err := os.Stat(filepath.Join(dir, "report.md")); err != nil || s.Size() == 0 {
		t.Errorf("report.md: %v", err)
	}
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	if got := Spread([]float64{9, 10, 12}); got != 0.3 {
		t.Errorf("spread %v", got)
	}
	if got := Exponent([]float64{10, 100, 1000}, []float64{3, 9.4868, 30}); math.Abs(got-0.5) > 0.001 {
		t.Errorf("exponent %v", got)
	}
	if got := Exponent([]float64{10}, []float64{3}); got != 0 {
		t.Errorf("exponent of one point %v", got)
	}
}

// TestGuardRepeatsNoisyRounds: a round with a spread is made again, and after twice
// as many rounds as asked for the quietest count.
func TestGuardRepeatsNoisyRounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noisyUntil int
		want       Noise
	}{
		{0, Noise{}},
		{2, Noise{Repeated: 2}},
		{100, Noise{Spread: 1, Repeated: 3, Noisy: 3}},
	} {
		round, loops := 0, 0
		g := Guard{
			Rounds: 3,
			Round:  func(n int) { round, loops = n, 0 },
			Loop: func() float64 {
				if loops++; loops == 2 && round < c.noisyUntil {
					return 2
				}
				return 1
			},
			Turns: []func() (float64, error){func() (float64, error) { return float64(round), nil },
				func() (float64, error) { return -1, nil }},
		}
		costs, noise, err := g.Run()
		if err != nil || noise != c.want {
			t.Errorf("noisy until round %d: %v, %v, want %v", c.noisyUntil, noise, err, c.want)
		}
		if len(costs[0]) != 3 || costs[1][0] != -1 || costs[0][0] != float64(c.noisyUntil%100) {
			t.Errorf("noisy until round %d: costs %v", c.noisyUntil, costs)
		}
	}
}

// TestGuardEndsWithTheFirstError: no contender has a turn after one that failed.
func TestGuardEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	failed, calls := errors.New("failed"), 0
	g := Guard{Rounds: 3, Loop: func() float64 { return 1 }, Turns: []func() (float64, error){
		func() (float64, error) { calls++; return 0, failed },
		func() (float64, error) { calls++; return 1, nil },
	}}
	if _, _, err := g.Run(); !errors.Is(err, failed) || calls != 1 {
		t.Errorf("%v after %d turns", err, calls)
	}
}
