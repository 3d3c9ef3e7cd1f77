// Package report holds what a run of measurements found, and writes it as a table and as Markdown.
package ratios

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A Report is what one or several programs measured on one machine.
type Report struct {
	Machine string // processor, system, release of Go
	Tables  []Table
}

// A Table is contenders that took turns.
type Table struct {
	Title   string
	Methods int
	Note    string // what one must know to read it; may be empty
	Rows    []Row
	Noise   Noise
}

// A Row is one contender.
type Row struct {
	Name  string
	Value float64 // in nanoseconds, or in Unit
	Unit  string  // empty for nanoseconds
	Ratio float64 // to the contender that the table compares with; 0 if there is none
	Goals []Goal
}

// A Goal is a limit of the ratio of a row to another.
type Goal struct {
	Against string // the other row; empty if the limit is of the value itself
	Limit   float64
	Ratio   float64
}

// Met reports whether the goal was reached.
func (g Goal) Met() bool { return g.Ratio <= g.Limit }

// A Noise says how quiet the machine was, see [Guard].
type Noise struct {
	Spread   float64 // of the fixed loop within a round, median of the rounds
	Repeated int     // rounds that were too noisy, and were repeated
	Noisy    int     // rounds that count although they were too noisy
}

const stored = "report.json"

// Open reads the report that another program left in dir, if there is one. It is empty if dir is.
func Open(dir string) (*Report, error) {
	r := &Report{Machine: machine()}
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

// Add adds a table, in place of one of the same title and size.
func (r *Report) Add(t Table) {
	for i, old := range r.Tables {
		if old.Title == t.Title && old.Methods == t.Methods {
			r.Tables[i] = t
			return
		}
	}
	r.Tables = append(r.Tables, t)
}

// Write writes report.json and report.md into dir.
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

// titles returns the titles of the tables, each once, in order.
func (r *Report) titles() (titles []string) {
	for _, t := range r.Tables {
		if !slices.Contains(titles, t.Title) {
			titles = append(titles, t.Title)
		}
	}
	return titles
}

// sizes returns the tables of a title, the smallest first.
func (r *Report) sizes(title string) (tables []Table) {
	for _, t := range r.Tables {
		if t.Title == title {
			tables = append(tables, t)
		}
	}
	slices.SortStableFunc(tables, func(a, b Table) int { return a.Methods - b.Methods })
	return tables
}
