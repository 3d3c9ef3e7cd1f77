package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// samples are times in nanoseconds, or ratios of times, one per round.
type samples []float64

// quantile returns the value below which a share of the samples falls, or 0 without samples.
func (s samples) quantile(share float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// parts is the number of parts of a run whose medians show how steady it was.
const parts = 9

// quartiles returns the median of all samples, and the quartiles of the medians of parts of the run. They show how far
// chance and a changing machine move the median.
func (s samples) quartiles() ratio {
	of := s
	if len(s) >= 3*parts {
		of = nil
		for i := range parts {
			of = append(of, s[i*len(s)/parts:(i+1)*len(s)/parts].quantile(0.5))
		}
	}
	return ratio{s.quantile(0.5), of.quantile(0.25), of.quantile(0.75)}
}

type figure struct {
	MedianNS float64 `json:"median_ns"`
	Q1NS     float64 `json:"q1_ns"`
	Q3NS     float64 `json:"q3_ns"`
	P99NS    float64 `json:"p99_ns,omitempty"`
	P999NS   float64 `json:"p999_ns,omitempty"`
}

type ratio struct {
	Median float64 `json:"median"`
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`
}

type row struct {
	Name    string  `json:"name"`
	Rounds  int     `json:"rounds"`
	Archive figure  `json:"archive"`
	Map     *figure `json:"map,omitempty"`
	Ratio   *ratio  `json:"ratio,omitempty"`
}

type series struct{ rounds, groups samples }

func (s *series) addRound(ns float64) { s.rounds = append(s.rounds, ns) }

func (s *series) summary() figure {
	r := s.rounds.quartiles()
	return figure{r.Median, r.Q1, r.Q3, s.groups.quantile(0.99), s.groups.quantile(0.999)}
}

func (r *report) addRow(name string, archive, peer *series) {
	if len(archive.rounds) == 0 {
		return
	}
	x := row{Name: name, Rounds: len(archive.rounds), Archive: archive.summary()}
	if peer != nil {
		other := peer.summary()
		x.Map, x.Ratio = &other, ratioToMap(archive.rounds, peer.rounds)
	}
	r.Rows = append(r.Rows, x)
}

func ratioToMap(archive, peer samples) *ratio {
	var s samples
	for i := range min(len(archive), len(peer)) {
		if peer[i] > 0 {
			s = append(s, archive[i]/peer[i])
		}
	}
	r := s.quartiles()
	return &r
}

type report struct {
	Archive  string   `json:"archive"`
	Bytes    int64    `json:"bytes"`
	Methods  uint64   `json:"methods"`
	Pointers uint64   `json:"pointers"`
	Keys     int      `json:"keys"` // number of distinct keys looked up
	Go       string   `json:"go"`
	System   string   `json:"system"`
	CPUs     int      `json:"cpus"`
	Rows     []row    `json:"rows"`
	Memory   memory   `json:"memory"`
	Notes    []string `json:"notes,omitempty"`
}

// A memory holds the sizes of the archive and of the maps in bytes.
type memory struct {
	IndexBytes int64 `json:"index_bytes"`
	StoreHeap  int64 `json:"store_heap_bytes"` // heap of an open archive, with all of it read
	MapsHeap   int64 `json:"maps_heap_bytes"`  // heap of both Go maps with their keys
}

// addNote adds a note, unless the report has it.
func (r *report) addNote(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r *report) printReport(a *cli.App) {
	fmt.Fprintf(a.Out, "%s: %s, %d methods, %d pointers; %s, %s, %d CPUs\n\n", escape.Printable(r.Archive),
		cli.FormatSize(r.Bytes), r.Methods, r.Pointers, r.Go, r.System, r.CPUs)
	fmt.Fprintf(a.Out, "%-33s%9s%9s%9s%11s%9s%9s%7s\n", "", "archive", "p99", "p99.9", "map", "p99", "p99.9", "ratio")
	for i := range r.Rows {
		r.Rows[i].printRow(a)
	}
	fmt.Fprintf(a.Out, "\nmemory: index %s in the file; heap %s for the open archive, %s for the Go maps\n",
		cli.FormatSize(r.Memory.IndexBytes), cli.FormatSize(r.Memory.StoreHeap), cli.FormatSize(r.Memory.MapsHeap))
	for _, text := range r.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", escape.Printable(text))
	}
}

func (r *row) printRow(a *cli.App) {
	fmt.Fprintf(a.Out, "%-33s%s", r.Name, r.Archive.columns())
	if r.Map != nil {
		fmt.Fprintf(a.Out, "  %s%7.2f", r.Map.columns(), r.Ratio.Median)
	}
	fmt.Fprintln(a.Out)
}

func (f *figure) columns() string {
	if f.P999NS == 0 {
		return fmt.Sprintf("%9s%9s%9s", formatNS(f.MedianNS), "", "")
	}
	return fmt.Sprintf("%9s%9s%9s", formatNS(f.MedianNS), formatNS(f.P99NS), formatNS(f.P999NS))
}

func formatNS(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.1f ns", ns)
	}
	return cli.FormatDuration(time.Duration(ns))
}
