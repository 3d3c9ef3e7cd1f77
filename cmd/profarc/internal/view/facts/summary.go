package facts

import (
	"cmp"
	"context"
	"math/big"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var summaryShares = [...]uint64{10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000,
	950000, 990000, 999000, 999900, 999990, 999999}

const millionth = layout.WeightOne / 1e6

// A Summary tells how few methods and counts make up most of all counts, by unit.
type Summary struct {
	Methods uint64        `json:"methods"` // methods with invocations or counts
	Without uint64        `json:"without"` // methods whose counts are all 0
	Units   []UnitSummary `json:"units"`
	Cutoffs []KeptRow     `json:"cutoffs"`
	// Undecoded counts profiles with raw words, which are not adopted.
	Undecoded []UndecodedFact `json:"undecoded,omitempty"`
}

// An UndecodedFact counts the profiles in which decoding stopped at a HotSpot tag.
type UndecodedFact struct {
	Tag      uint8 `json:"tag"`
	Profiles int   `json:"profiles"`
}

func countUndecoded(ctx context.Context, s *reader.Store) (facts []UndecodedFact, err error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return nil, nil
	}
	profiles := [256]int{}
	err = poll.Each(poll.New(ctx), s.Profiles(), func(p reader.Profile) error {
		if tag, undecoded := p.Undecoded(); undecoded {
			profiles[tag]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for tag, n := range profiles {
		if n > 0 {
			facts = append(facts, UndecodedFact{uint8(tag), n})
		}
	}
	return facts, nil
}

// A KeptRow is the number of methods that reduce --hot keeps for a share of every unit.
type KeptRow struct {
	Percent float64 `json:"percent"`
	Methods int     `json:"methods"`
}

// A UnitSummary covers the counts of one unit. The weight of a method is the total of its invocations and counts, as in
// package weigh. If the unit is inclusive, counts include called methods, and a share selects each method with at least
// the rest of the highest count.
type UnitSummary struct {
	Unit      string       `json:"unit"`
	Inclusive bool         `json:"inclusive"`
	Methods   int          `json:"methods"` // methods with any weight
	Counts    uint64       `json:"counts"`  // number of LLVM's counts; elsewhere of nonzero counts
	Cutoffs   []SummaryRow `json:"cutoffs"`
}

// A SummaryRow tells how many methods and counts make up a share of all counts. MinWeight is the weight of the coldest
// method, MinCount the lowest count. An inclusive unit has no counts.
type SummaryRow struct {
	Percent   float64 `json:"percent"`
	Methods   int     `json:"methods"`
	MinWeight uint64  `json:"min_weight"`
	Counts    uint64  `json:"counts"`
	MinCount  uint64  `json:"min_count"`
}

func Summarize(ctx context.Context, s *reader.Store) (*Summary, error) {
	r, units, errR := summarizeCutoffs(ctx, s)
	counts, errCounts := countsAndTimes(s)
	undecoded, errUndecoded := countUndecoded(ctx, s)
	if err := cmp.Or(errR, errCounts, errUndecoded); err != nil {
		return nil, err
	}
	r.Undecoded = undecoded
	for i, unit := range units {
		if err := r.Units[i].addCounts(ctx, counts[unit]); err != nil {
			return nil, err
		}
	}
	if s.Header().Domain.LLVM() {
		return r, r.Units[0].addBlocks(s)
	}
	return r, nil
}

// Cutoffs is Summarize without numbers of counts. It takes some bytes per method, instead of memory per distinct count.
func Cutoffs(ctx context.Context, s *reader.Store) (*Summary, error) {
	r, _, err := summarizeCutoffs(ctx, s)
	return r, err
}

func summarizeCutoffs(ctx context.Context, s *reader.Store) (r *Summary, units []layout.CountUnit, err error) {
	weights, err := weigh.Methods(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	r = &Summary{Methods: uint64(weights.Methods()), Units: []UnitSummary{}}
	r.Without = s.Header().Counts.Methods - min(r.Methods, s.Header().Counts.Methods)
	for _, share := range summaryShares {
		r.Cutoffs = append(r.Cutoffs, KeptRow{float64(share) / 1e4, weights.Kept(layout.Weight(share) * millionth)})
	}
	units = weights.Units()
	if s.Header().Domain.LLVM() || len(units) == 0 {
		units = []layout.CountUnit{disk.UnitExecutions}
	}
	for _, unit := range units {
		u := UnitSummary{Unit: disk.UnitName(unit, s.Header().Domain), Inclusive: disk.IsInclusive(unit),
			Methods: weights.MethodsOf(unit)}
		for _, share := range summaryShares {
			n, least := weights.Needed(unit, layout.Weight(share)*millionth)
			u.Cutoffs = append(u.Cutoffs, SummaryRow{Percent: float64(share) / 1e4, Methods: n, MinWeight: least})
		}
		r.Units = append(r.Units, u)
	}
	return r, units, nil
}

// WithoutText explains why a method has no weight.
func WithoutText(d layout.Domain) string {
	if d == layout.DomainSampled {
		return "they are on stacks, and no sample was taken in them"
	}
	return "they did not run, or ran uncounted"
}

func (r *UnitSummary) addBlocks(s *reader.Store) error {
	sum, cs, err := llvm.Summarize(s)
	if err != nil {
		return err
	}
	if sum.Functions == 0 {
		sum = cs
	}
	r.Counts = sum.Blocks
	for i, c := range sum.Cutoffs {
		r.Cutoffs[i].Counts = c.Blocks
		r.Cutoffs[i].MinCount = c.MinCount
	}
	return nil
}

func (r *UnitSummary) addCounts(ctx context.Context, times map[uint64]uint64) error {
	steps := poll.New(ctx)
	total := new(big.Int)
	high := make([]uint64, 0, len(times))
	for count, n := range times {
		r.Counts += n
		if r.Inclusive {
			continue
		}
		if err := steps.Err(); err != nil {
			return err
		}
		total.Add(total, bigProduct(count, n))
		high = append(high, count)
	}
	if err := poll.SortStable(ctx, high, func(a, b uint64) int { return cmp.Compare(b, a) }); err != nil || r.Inclusive {
		return err
	}
	sum := new(big.Int)
	row := SummaryRow{}
	for i, share := range summaryShares {
		want := new(big.Int).Mul(total, new(big.Int).SetUint64(share))
		for len(high) > 0 && new(big.Int).Mul(sum, big.NewInt(1e6)).Cmp(want) < 0 {
			if err := steps.Err(); err != nil {
				return err
			}
			n := times[high[0]]
			sum.Add(sum, bigProduct(high[0], n))
			row.Counts += n
			row.MinCount = high[0]
			high = high[1:]
		}
		r.Cutoffs[i].Counts = row.Counts
		r.Cutoffs[i].MinCount = row.MinCount
	}
	return nil
}

func bigProduct(a, b uint64) *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

func countsAndTimes(s *reader.Store) (times [disk.NumCountUnits]map[uint64]uint64, err error) {
	for u := range times {
		times[u] = map[uint64]uint64{}
	}
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	if s.Header().Domain.LLVM() {
		return times, nil // addBlocks counts its blocks
	}
	for p := range poll.Values(s.Profiles(), &err) {
		for e := range p.Entries() {
			raw := disk.Entry(e.Bytes())
			of := times[shape.CountUnit(raw)]
			for cell := range shape.Counts(raw) {
				if n := raw.Cell(cell); n > 0 && (!raw.SignedCount() || int64(n) > 0) {
					of[n]++
				}
			}
		}
	}
	return times, err
}

func CountersOf(q reader.Profile) []uint64 {
	counters := []uint64{}
	for _, at := range analyze.Trained(q) {
		if at.RowNoun != "counters" {
			continue
		}
		for _, o := range at.Outcomes {
			counters = append(counters, o.Count)
		}
	}
	return counters
}
