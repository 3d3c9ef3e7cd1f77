// Package ratios runs contenders alternately, and reports the results as tables and as Markdown.
package ratios

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A Report has the results of one or more programs on one machine.
type Report struct {
	Machine string // processor, system and Go version
	Tables  []Table
}

// A Table compares contenders.
type Table struct {
	Title   string
	Methods int
	Note    string // explanation, or ""
	Rows    []Row
	Noise   Noise
}

// A Row is one contender.
type Row struct {
	Name  string
	Value float64 // value in Unit
	Unit  string  // "" for nanoseconds
	Ratio float64 // ratio to the base row of the table, or 0
	Goals []Goal
}

// A Goal is a limit for the ratio of a row to another row.
type Goal struct {
	Against string // other row, or "" if Ratio is the value of the row
	Limit   float64
	Ratio   float64
}

// Met reports whether the goal was reached.
func (g Goal) Met() bool { return g.Ratio <= g.Limit }

// A Noise describes the noise of a measurement by [Guard].
type Noise struct {
	Spread   float64 // median over the rounds of the fixed loop's spread
	Repeated int     // number of repeated rounds
	Noisy    int     // number of noisy rounds in the results
}

const stored = "report.json"

// Open reads the report in dir. It returns an empty report if there is none or dir is "".
func Open(dir string) (*Report, error) {
	r := &Report{Machine: describeMachine()}
	if dir == "" {
		return r, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, stored))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, r)
}

// Add adds a table, or replaces the one with the same title and number of methods.
func (r *Report) Add(t Table) {
	for i, old := range r.Tables {
		if old.Title == t.Title && old.Methods == t.Methods {
			r.Tables[i] = t
			return
		}
	}
	r.Tables = append(r.Tables, t)
}

// Write writes report.json and report.md to dir.
func (r *Report) Write(dir string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{stored: string(data), "report.md": r.Markdown()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// titles returns the different titles of the tables in order.
func (r *Report) titles() (titles []string) {
	for _, t := range r.Tables {
		if !slices.Contains(titles, t.Title) {
			titles = append(titles, t.Title)
		}
	}
	return titles
}

// tablesOfTitle returns the tables with a title, sorted by number of methods.
func (r *Report) tablesOfTitle(title string) (tables []Table) {
	for _, t := range r.Tables {
		if t.Title == title {
			tables = append(tables, t)
		}
	}
	slices.SortStableFunc(tables, func(a, b Table) int { return a.Methods - b.Methods })
	return tables
}
