package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A report is what this table takes of the JSON report of profarc warm.
type report struct {
	Rounds   int     `json:"rounds"`
	Others   float64 `json:"others"`
	Profiles uint64  `json:"profiles"`
	Measures []struct {
		Name, Unit string
		Rows       []row
	}
	Verdicts []struct {
		Contender, Against string
		Wall, CPU          *ratio
	}
}

// A row is a contender's figure.
type row struct {
	Contender           string
	Median, Least, Most float64
	Ratio               *ratio
}

// A ratio is that of two contenders, with its interval.
type ratio struct {
	Estimate, Low, High, Confidence float64
}

func (r *ratio) String() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", r.Estimate, r.Low, r.High)
}

// printTable prints the reports of a folder as a table in Markdown.
func printTable(w io.Writer, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	fmt.Fprintln(w,
		"| program, JDK | | wall | range | to the base line | CPU | to the base line | largest process "+
			"|\n|---|---|---|---|---|---|---|---|")
	for _, f := range files {
		if err := printReport(w, f); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	return nil
}

func printReport(w io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := report{}
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	title := fmt.Sprintf("%s, n = %d, others %.0f%%", strings.TrimSuffix(filepath.Base(file), ".json"), r.Rounds,
		100*r.Others)
	for _, wall := range r.rows("wall time") {
		cpu, size := r.row("processor time", wall.Contender), r.row("largest process", wall.Contender)
		fmt.Fprintf(w, "| %s | %s | %s | %s–%s | %s | %s | %s | %.0f MB |\n", title, wall.Contender, seconds(wall.Median),
			seconds(wall.Least),
			seconds(wall.Most), wall.Ratio, seconds(cpu.Median), cpu.Ratio, size.Median/1e6)
		title = ""
	}
	for _, v := range r.Verdicts {
		if v.Wall != nil {
			fmt.Fprintf(w, "| | *%s to %s* | | | %s | | %s | |\n", v.Contender, v.Against, v.Wall, v.CPU)
		}
	}
	return nil
}

// rows returns the rows of a measure.
func (r *report) rows(name string) []row {
	for _, m := range r.Measures {
		if m.Name == name {
			return m.Rows
		}
	}
	return nil
}

// row returns a contender's row of a measure.
func (r *report) row(name, contender string) row {
	for _, x := range r.rows(name) {
		if x.Contender == contender {
			return x
		}
	}
	return row{}
}

// seconds prints nanoseconds with three digits.
func seconds(ns float64) string {
	switch s := ns / 1e9; {
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	default:
		return fmt.Sprintf("%.1f s", s)
	}
}
