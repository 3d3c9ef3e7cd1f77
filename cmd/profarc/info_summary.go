package main

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// summaryShares are the shares of all counts that a summary has a row for, in
// millionths: those of LLVM's summaries.
var summaryShares = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const millionth = builder.One / 1e6

// A cutoffSummary says how few methods and counts make most of all.
type cutoffSummary struct {
	Methods uint64       `json:"methods"` // that count anything
	Counts  uint64       `json:"counts"`  // of LLVM all, elsewhere those that are not 0
	Cutoffs []summaryRow `json:"cutoffs"`
}

// A summaryRow says what makes a share of all counts: so many methods, the
// coldest with that weight; so many counts, the lowest that high.
type summaryRow struct {
	Percent   float64 `json:"percent"`
	Methods   int     `json:"methods"`
	MinWeight uint64  `json:"min_weight"`
	Counts    uint64  `json:"counts"`
	MinCount  uint64  `json:"min_count"`
}

// summarize reads all profiles of an archive.
func summarize(s *reader.Store) (*cutoffSummary, error) {
	weights, err := builder.WeighMethods(s)
	if err != nil {
		return nil, err
	}
	r := &cutoffSummary{Methods: uint64(weights.Methods())}
	for _, share := range summaryShares {
		n, least := weights.Needed(builder.Weight(share) * millionth)
		r.Cutoffs = append(r.Cutoffs, summaryRow{Percent: float64(share) / 1e4, Methods: n, MinWeight: least})
	}
	if s.Header().Domain.LLVM() {
		return r, r.addBlocks(s)
	}
	return r, r.addCounts(s)
}

// addBlocks takes what LLVM's own summary says of blocks; where there are only
// context-sensitive profiles, theirs.
func (r *cutoffSummary) addBlocks(s *reader.Store) error {
	sum, cs, err := llvm.Summarize(s)
	if err != nil {
		return err
	}
	if sum.Functions == 0 {
		sum = cs
	}
	r.Counts = sum.Blocks
	for i, c := range sum.Cutoffs {
		r.Cutoffs[i].Counts, r.Cutoffs[i].MinCount = c.Blocks, c.MinCount
	}
	return nil
}

// addCounts does the same for the counts of other domains.
func (r *cutoffSummary) addCounts(s *reader.Store) error {
	times, err := countsAndTimes(s)
	if err != nil {
		return err
	}
	total := new(big.Int)
	for count, n := range times {
		r.Counts += n
		total.Add(total, product(count, n))
	}
	high := make([]uint64, 0, len(times))
	for count := range times {
		high = append(high, count)
	}
	slices.SortFunc(high, func(a, b uint64) int { return cmp.Compare(b, a) })
	sum, row := new(big.Int), summaryRow{}
	for i, share := range summaryShares {
		want := new(big.Int).Mul(total, new(big.Int).SetUint64(share))
		for len(high) > 0 && new(big.Int).Mul(sum, big.NewInt(1e6)).Cmp(want) < 0 {
			n := times[high[0]]
			sum.Add(sum, product(high[0], n))
			row.Counts, row.MinCount = row.Counts+n, high[0]
			high = high[1:]
		}
		r.Cutoffs[i].Counts, r.Cutoffs[i].MinCount = row.Counts, row.MinCount
	}
	return nil
}

func product(a, b uint64) *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// countsAndTimes says how often each count that is not 0 occurs.
func countsAndTimes(s *reader.Store) (map[uint64]uint64, error) {
	times, shape := map[uint64]uint64{}, s.Header().Params.Shape()
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			for e := range p.Entries() {
				raw := e.Raw()
				shape.Counts(raw, func(cell int) bool {
					if n := raw.Cell(cell); n > 0 && (!raw.SignedCounts() || int64(n) > 0) {
						times[n]++
					}
					return true
				})
			}
		}
	}
	return times, nil
}

func (r *cutoffSummary) print(a *app, d layout.Domain) {
	counts := "counts"
	if d.LLVM() {
		counts = "blocks"
	}
	fmt.Fprintf(a.out, "\nsummary of %d methods and %d %s\n", r.Methods, r.Counts, counts)
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "share\tmethods\tlowest sum\t%s\tlowest\t\n", counts)
	for _, c := range r.Cutoffs {
		fmt.Fprintf(w, "%s%%\t%d\t%d\t%d\t%d\t\n", strconv.FormatFloat(c.Percent, 'f', -1, 64), c.Methods, c.MinWeight, c.Counts, c.MinCount)
	}
	w.Flush()
}
