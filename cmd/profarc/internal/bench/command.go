// Package bench measures lookup, start-up and adoption of an archive.
package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/reader"
)

// A result is one measurement, with that of a Go map if there is one.
type result struct {
	Name     string  `json:"name"`
	Rounds   int     `json:"rounds"`
	MedianNS float64 `json:"median_ns"`
	BestNS   float64 `json:"best_ns"`
	MapNS    float64 `json:"map_ns,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"` // to the median of the map
}

// samples are times in nanoseconds, one for each round.
type samples []float64

func (s samples) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

func (s samples) result(name string) result {
	best := 0.0
	if len(s) > 0 {
		best = slices.Min(s)
	}
	return result{Name: name, Rounds: len(s), MedianNS: s.median(), BestNS: best}
}

func (b *bench) add(r result) { b.report.Results = append(b.report.Results, r) }

type benchOptions struct {
	time time.Duration
	json bool
}

const commandHelp = `Bench measures on this machine, with this archive: opening up to the first lookup; lookups that hit
and that miss, by id and by key, compared with Go maps with the same keys in the same run; adoption at the
requested base and elsewhere, lazy and eager; and the memory used.

Figures are medians of rounds. The rounds of all kinds of lookup are interleaved, so that ratios hold
on a machine whose speed changes; absolute figures do not.`

// Command returns the command bench.
func Command(a *app.App) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench ARCHIVE",
		Short: "Measure lookup, start-up and adoption of an archive on this machine",
		Long:  commandHelp,
		Example: `  profarc bench app.parc
  profarc bench --time 10s --json app.parc`,
		Args:              app.Args(1, 1, "one archive"),
		ValidArgsFunction: app.CompleteArchives(1),
		RunE:              a.Run(func(ctx context.Context, args []string) error { return runBench(ctx, a, args[0], o) }),
	}
	cmd.Flags().DurationVar(&o.time, "time", time.Second, "time for each of opening, lookups and adoption")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// A benchReport holds all measurements.
type benchReport struct {
	Archive  string     `json:"archive"`
	Bytes    int64      `json:"bytes"`
	Methods  uint64     `json:"methods"`
	Pointers uint64     `json:"pointers"`
	Go       string     `json:"go"`
	System   string     `json:"system"`
	CPUs     int        `json:"cpus"`
	Results  []result   `json:"results"`
	Memory   memoryFact `json:"memory"`
}

// A memoryFact is the memory of the archive and of the maps.
type memoryFact struct {
	IndexBytes int64  `json:"index_bytes"`
	StoreHeap  uint64 `json:"store_heap_bytes"` // of an open archive, all of it touched
	MapsHeap   uint64 `json:"maps_heap_bytes"`  // of both Go maps, keys included
}

func runBench(ctx context.Context, a *app.App, path string, o benchOptions) error {
	if o.time <= 0 {
		return app.Usagef("--time %s: it must be more than 0", o.time)
	}
	r := &benchReport{Archive: path, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)}
	err := a.WithStore(ctx, path, func(s *reader.Store) error {
		h := s.Header()
		r.Bytes, r.Methods, r.Pointers = h.FileSize, h.Counts.Methods, h.Counts.Pointers
		if r.Methods == 0 {
			return fmt.Errorf("%s: it has no methods to look up: bench another archive", path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b := &bench{a: a, ctx: ctx, path: path, time: o.time, report: r}
	for _, step := range []func() error{b.opening, b.lookups, b.adoption} {
		if err := step(); err != nil {
			return err
		}
	}
	if o.json {
		return a.PrintJSON(r)
	}
	r.print(a)
	return nil
}

// A bench is one run of the command.
type bench struct {
	a      *app.App
	ctx    context.Context
	path   string
	time   time.Duration
	report *benchReport
}

func (r *benchReport) print(a *app.App) {
	fmt.Fprintf(a.Out, "%s: %s, %d methods, %d pointers; %s, %s, %d CPUs\n\n", escape.Printable(r.Archive), app.FormatSize(r.Bytes), r.Methods, r.Pointers, r.Go, r.System, r.CPUs)
	fmt.Fprintf(a.Out, "%-34s%10s%10s%10s%8s\n", "", "median", "best", "Go map", "ratio")
	for _, x := range r.Results {
		fmt.Fprintf(a.Out, "%-34s%10s%10s", x.Name, nsText(x.MedianNS), nsText(x.BestNS))
		if x.MapNS > 0 {
			fmt.Fprintf(a.Out, "%10s%8.2f", nsText(x.MapNS), x.Ratio)
		}
		fmt.Fprintln(a.Out)
	}
	fmt.Fprintf(a.Out, "\nmemory: index %s in the file; heap %s for the open archive, %s for the Go maps\n",
		app.FormatSize(r.Memory.IndexBytes), app.FormatSize(int64(r.Memory.StoreHeap)), app.FormatSize(int64(r.Memory.MapsHeap)))
}

// nsText returns a time that is mostly nanoseconds.
func nsText(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.1f ns", ns)
	}
	return app.FormatDuration(time.Duration(ns))
}
