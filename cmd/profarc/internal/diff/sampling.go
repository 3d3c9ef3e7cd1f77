package diff

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// hotShare is the share of all counts in the hot functions of an instrumented program.
const hotShare = 0.99

// A samplingReport compares the functions of an instrumented archive with a sampled one of the same program.
type samplingReport struct {
	Instrumented string            `json:"instrumented"`
	Sampled      string            `json:"sampled"`
	Executed     int               `json:"executed"`       // functions with counts
	Hot          int               `json:"hot"`            // fewest functions with 99% of all counts
	Missed       int               `json:"missed"`         // hot functions without samples
	MissedShare  float64           `json:"missed_share"`   // their share of all counts
	RankAgreed   float64           `json:"rank_agreement"` // Spearman's correlation of the functions that both have
	Both         int               `json:"both"`           // functions that both have
	Functions    []sampledFunction `json:"functions"`      // missed ones first, then the most counts
}

type sampledFunction struct {
	Name    string  `json:"name"`
	Counts  float64 `json:"counts_share"`
	Samples float64 `json:"samples_share"`
	Missed  bool    `json:"missed"` // hot without samples
}

// compareSampling compares the selected functions of an instrumented archive with a sampled one.
func compareSampling(ctx context.Context, instrumented, sampled *reader.Store,
	selected func(layout.Key) bool) (*samplingReport, error) {
	counts, _ := analyze.MeasureNamed("counts")
	counted, err := analyze.Hottest(ctx, instrumented, counts, analyze.RankOptions{Methods: selected})
	if err != nil {
		return nil, err
	}
	found, err := facts.MostSampled(ctx, sampled, facts.Samples, analyze.RankOptions{})
	if err != nil {
		return nil, err
	}
	samples := map[uint64]float64{}
	for _, m := range found.Methods {
		samples[guidOf(m.Name)] += m.SelfShare
	}
	r := &samplingReport{Instrumented: counted.Archive, Sampled: found.Archive, Executed: counted.Of}
	covered := 0.0
	var others, both []sampledFunction
	for _, m := range counted.Methods {
		f := sampledFunction{Name: m.Display, Counts: m.Share, Samples: samples[guidOf(m.Name)]}
		if covered < hotShare {
			r.Hot++
			f.Missed = f.Samples == 0
		}
		covered += f.Counts
		switch {
		case f.Missed:
			r.Functions = append(r.Functions, f)
			r.MissedShare += f.Counts
		case f.Samples > 0:
			both = append(both, f)
			fallthrough
		default:
			others = append(others, f)
		}
	}
	r.Missed, r.Both, r.RankAgreed = len(r.Functions), len(both), rankAgreement(both)
	r.Functions = slices.Concat([]sampledFunction{}, r.Functions, others)
	return r, nil
}

// guidOf returns LLVM's number of a function without its file and without the suffixes of copies.
func guidOf(name string) uint64 {
	if _, function, ok := scopes.SplitLocal(name); ok {
		name = function
	}
	name, _, _ = strings.Cut(name, ".__uniq.")
	name, _, _ = strings.Cut(name, ".llvm.")
	return sample.GUID(name)
}

// rankAgreement returns Spearman's correlation of counts and samples.
func rankAgreement(functions []sampledFunction) float64 {
	var counts, samples []float64
	for _, f := range functions {
		counts = append(counts, f.Counts)
		samples = append(samples, f.Samples)
	}
	slices.Sort(counts)
	slices.Sort(samples)
	middle := float64(len(functions)) / 2
	var product, x2, y2 float64
	for _, f := range functions {
		x := rankOf(counts, f.Counts) - middle
		y := rankOf(samples, f.Samples) - middle
		product += x * y
		x2 += x * x
		y2 += y * y
	}
	return product / cmp.Or(math.Sqrt(x2*y2), 1)
}

// rankOf returns the mean rank of a number in a sorted list.
func rankOf(sorted []float64, n float64) float64 {
	first, _ := slices.BinarySearch(sorted, n)
	end, _ := slices.BinarySearch(sorted, math.Nextafter(n, math.Inf(1)))
	return float64(first+end) / 2
}

func (r *samplingReport) print(to io.Writer, screen *terminal.Screen, top int) {
	w := bufio.NewWriter(to)
	defer w.Flush()
	fmt.Fprintf(w, "what the sample misses: %d of %s with 99%% of the counts, %s of all counts\n", r.Missed,
		cli.Amount(r.Hot, "hot function"), cli.FormatPercent(r.MissedShare))
	fmt.Fprintf(w, "ranks agree by %.2f, from -1 to 1, for the %s that both have\n\n", r.RankAgreed,
		cli.Amount(r.Both, "function"))
	t := terminal.NewTable(screen, w)
	t.AddHeader([]string{"counts", "samples"}, "function")
	for _, f := range r.Functions[:min(top, len(r.Functions))] {
		note := ""
		if f.Missed {
			note = "  missed"
		}
		t.AddRow([]string{cli.FormatPercent(f.Counts), cli.FormatPercent(f.Samples)}, uint64(f.Counts*1e9), f.Name, note)
	}
	t.Print()
}
