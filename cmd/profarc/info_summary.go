package main

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"strconv"
	"text/tabwriter"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// summaryShares are the shares of all counts that a summary has a row for, in
// millionths: those of LLVM's summaries.
var summaryShares = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const millionth = builder.One / 1e6

// A cutoffSummary says how few methods and counts make most of all, unit by
// unit.
type cutoffSummary struct {
	Methods uint64        `json:"methods"` // that count anything
	Units   []unitSummary `json:"units"`
	Cutoffs []keptRow     `json:"cutoffs"`
}

// A keptRow is how many methods reduce --hot keeps for a share of every unit.
type keptRow struct {
	Percent float64 `json:"percent"`
	Methods int     `json:"methods"`
}

// A unitSummary is of the counts of one unit. Where they are inclusive, those of
// a method are in those of its callers, and what makes a share is each method
// that has the rest of the highest.
type unitSummary struct {
	Unit      string       `json:"unit"`
	Inclusive bool         `json:"inclusive"`
	Methods   int          `json:"methods"`
	Counts    uint64       `json:"counts"` // of LLVM all, elsewhere those that are not 0
	Cutoffs   []summaryRow `json:"cutoffs"`
}

// A summaryRow says what makes a share of all counts: so many methods, the
// coldest with that weight; so many counts, the lowest that high. Counts that are
// inclusive make no share.
type summaryRow struct {
	Percent   float64 `json:"percent"`
	Methods   int     `json:"methods"`
	MinWeight uint64  `json:"min_weight"`
	Counts    uint64  `json:"counts"`
	MinCount  uint64  `json:"min_count"`
}

// summarize reads all profiles of an archive.
func summarize(ctx context.Context, s *reader.Store) (*cutoffSummary, error) {
	weights, err := builder.WeighMethods(ctx, s)
	if err != nil {
		return nil, err
	}
	counts, err := countsAndTimes(s)
	if err != nil {
		return nil, err
	}
	r := &cutoffSummary{Methods: uint64(weights.Methods()), Units: []unitSummary{}}
	for _, share := range summaryShares {
		r.Cutoffs = append(r.Cutoffs, keptRow{float64(share) / 1e4, weights.Kept(builder.Weight(share) * millionth)})
	}
	units := weights.Units()
	if s.Header().Domain.LLVM() || len(units) == 0 {
		units = []layout.CountUnit{layout.UnitExecutions}
	}
	for _, unit := range units {
		u := unitSummary{Unit: unitText(s.Header().Domain, unit), Inclusive: unit.Inclusive(), Methods: weights.MethodsOf(unit)}
		for _, share := range summaryShares {
			n, least := weights.Needed(unit, builder.Weight(share)*millionth)
			u.Cutoffs = append(u.Cutoffs, summaryRow{Percent: float64(share) / 1e4, Methods: n, MinWeight: least})
		}
		if err := u.addCounts(ctx, counts[unit]); err != nil {
			return nil, err
		}
		r.Units = append(r.Units, u)
	}
	if s.Header().Domain.LLVM() {
		return r, r.Units[0].addBlocks(s)
	}
	return r, nil
}

// unitText names a unit in the words of a domain.
func unitText(d layout.Domain, u layout.CountUnit) string {
	if d == layout.DomainJamaica && u == layout.UnitExecutions {
		return "calls"
	}
	return u.String()
}

// addBlocks takes what LLVM's own summary says of blocks; where there are only
// context-sensitive profiles, theirs.
func (r *unitSummary) addBlocks(s *reader.Store) error {
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

// addCounts does the same for the counts of other domains, by how often each
// occurs.
func (r *unitSummary) addCounts(ctx context.Context, times map[uint64]uint64) error {
	steps, total, high := poll.New(ctx), new(big.Int), make([]uint64, 0, len(times))
	for count, n := range times {
		r.Counts += n
		if r.Inclusive {
			continue
		}
		if err := steps.Err(); err != nil {
			return err
		}
		total.Add(total, product(count, n))
		high = append(high, count)
	}
	if err := poll.SortStable(ctx, high, func(a, b uint64) int { return cmp.Compare(b, a) }); err != nil || r.Inclusive {
		return err
	}
	sum, row := new(big.Int), summaryRow{}
	for i, share := range summaryShares {
		want := new(big.Int).Mul(total, new(big.Int).SetUint64(share))
		for len(high) > 0 && new(big.Int).Mul(sum, big.NewInt(1e6)).Cmp(want) < 0 {
			if err := steps.Err(); err != nil {
				return err
			}
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

// countsAndTimes says of each unit how often each count that is not 0 occurs.
func countsAndTimes(s *reader.Store) (times [layout.NumCountUnits]map[uint64]uint64, err error) {
	for u := range times {
		times[u] = map[uint64]uint64{}
	}
	shape := disk.ShapeOf(&s.Header().Params)
	if s.Header().Domain.LLVM() {
		return times, nil // its blocks are counted instead
	}
	for m, err := range s.Methods() {
		if err != nil {
			return times, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return times, err
			}
			for e := range p.Entries() {
				raw := e.Raw()
				of := times[raw.CountUnit()]
				for cell := range shape.Counts(raw) {
					if n := raw.Cell(cell); n > 0 && (!raw.SignedCount() || int64(n) > 0) {
						of[n]++
					}
				}
			}
		}
	}
	return times, nil
}

func (r *cutoffSummary) print(a *app.App, d layout.Domain) {
	for i := range r.Units {
		r.Units[i].print(a, d)
	}
	if len(r.Units) < 2 {
		return
	}
	fmt.Fprintf(a.Out, "\nreduce --hot, over all units of %d methods\n", r.Methods)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "share\tmethods\t\n")
	for _, c := range r.Cutoffs {
		fmt.Fprintf(w, "%s\t%d\t\n", cutoffText(c.Percent), c.Methods)
	}
	w.Flush()
}

func cutoffText(percent float64) string { return strconv.FormatFloat(percent, 'f', -1, 64) + "%" }

func (r *unitSummary) print(a *app.App, d layout.Domain) {
	if d.LLVM() {
		r.Unit = "blocks"
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	if r.Inclusive {
		fmt.Fprintf(a.Out, "\nsummary of %d methods with %s, which include those of called methods: a share takes each with the rest of the highest\n", r.Methods, r.Unit)
		fmt.Fprint(w, "share\tmethods\tlowest\t\n")
	} else {
		fmt.Fprintf(a.Out, "\nsummary of %d methods and %d %s\n", r.Methods, r.Counts, r.countsText())
		fmt.Fprintf(w, "share\tmethods\tlowest sum\t%s\tlowest\t\n", r.countsText())
	}
	for _, c := range r.Cutoffs {
		fmt.Fprintf(w, "%s\t%d\t%d\t", cutoffText(c.Percent), c.Methods, c.MinWeight)
		if !r.Inclusive {
			fmt.Fprintf(w, "%d\t%d\t", c.Counts, c.MinCount)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// countsText is what the counts of a unit are called.
func (r *unitSummary) countsText() string {
	if r.Unit == "counts" || r.Unit == "blocks" {
		return r.Unit
	}
	return "counts of " + r.Unit
}
