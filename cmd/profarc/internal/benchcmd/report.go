package benchcmd

import (
	"fmt"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

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
	Changes  []change `json:"changes,omitempty"`
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
	r.printChanges(a)
	for _, text := range r.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", escape.Printable(text))
	}
}

// printRow prints a row, with the lookups per second for several goroutines.
func (r *row) printRow(a *cli.App) {
	fmt.Fprintf(a.Out, "%-33s%s", r.Name, r.Archive.columns())
	if r.Map != nil {
		fmt.Fprintf(a.Out, "  %s%7.2f", r.Map.columns(), r.Ratio.Median)
	}
	if r.Goroutines > 0 && r.Archive.MedianNS > 0 {
		fmt.Fprintf(a.Out, "  %.1f million/s", 1e3/r.Archive.MedianNS)
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
