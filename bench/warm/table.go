package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// figures is a part of the JSON of profarc warm.
type figures struct {
	JVM      string  `json:"jvm"`
	Rounds   int     `json:"rounds"`
	Others   float64 `json:"others"`
	Measures []struct {
		Name string
		Rows []struct {
			Contender string
			Median    float64
			Ratio     *ratio
		}
	}
	Verdicts []struct {
		Contender, Against string
		Wall               *ratio
	}
	Contenders []struct {
		Name                    string
		Runs, Failed, Differing int
	}
}

// A ratio is an estimate with a 95% confidence interval.
type ratio struct{ Estimate, Low, High float64 }

func (r *ratio) String() string {
	if r == nil {
		return ""
	}
	if r.Low == 0 { // too few rounds
		return fmt.Sprintf("%.2f", r.Estimate)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", r.Estimate, r.Low, r.High)
}

// columns lists the contenders of the tables.
var columns = []string{"archive", "earlier", "flag", "c1", "aot", "aot+archive"}

// printTables prints the results in Markdown, with a table of all programs and one for each program with units.
func (b *bench) printTables(w io.Writer) error {
	fmt.Fprintf(w, "| program | JDK | rounds | AppCDS | %s | both to the AOT cache | others |\n|%s\n",
		strings.Join(columns, " | "), strings.Repeat("---|", 6+len(columns)))
	var all []string
	runs, failed, differing := 0, 0, 0
	for _, p := range b.chosen() {
		paths, err := filepath.Glob(filepath.Join(b.dir, p.name+"-*.json"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			f, err := readFigures(path)
			if err != nil {
				return err
			}
			f.printRow(w, p.name)
			for _, c := range f.Contenders {
				runs += c.Runs
				failed += c.Failed
				differing += c.Differing
			}
			if p.unit != "" {
				all = append(all, path)
			}
		}
	}
	fmt.Fprintf(w, "\n%d runs, %d failed, %d printed something else.\n", runs, failed, differing)
	for _, path := range all {
		f, err := readFigures(path)
		if err != nil {
			return err
		}
		f.printMeasures(w, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return nil
}

func readFigures(path string) (*figures, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &figures{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// printRow prints the ratios of the wall time.
func (f *figures) printRow(w io.Writer, name string) {
	fmt.Fprintf(w, "| %s | %s | %d | %.2f s |", name, strings.Fields(f.JVM + " ?")[1], f.Rounds, f.median(0, "appcds")/1e9)
	for _, c := range columns {
		fmt.Fprintf(w, " %v |", f.ratio(0, c))
	}
	both := (*ratio)(nil)
	for _, v := range f.Verdicts {
		if v.Contender == "aot+archive" && v.Against == "aot" {
			both = v.Wall
		}
	}
	fmt.Fprintf(w, " %v | %.0f%% |\n", both, 100*f.Others)
}

// printMeasures prints the ratios of all other measures.
func (f *figures) printMeasures(w io.Writer, title string) {
	fmt.Fprintf(w, "\n| %s | AppCDS | %s |\n|%s\n", title, strings.Join(columns, " | "),
		strings.Repeat("---|", 2+len(columns)))
	for i, m := range f.Measures {
		if m.Name == "largest process" {
			fmt.Fprintf(w, "| %s | %.0f MB |", m.Name, f.median(i, "appcds")/1e6)
		} else {
			fmt.Fprintf(w, "| %s | %.3g ms |", m.Name, f.median(i, "appcds")/1e6)
		}
		for _, c := range columns {
			fmt.Fprintf(w, " %v |", f.ratio(i, c))
		}
		fmt.Fprintln(w)
	}
}

func (f *figures) median(measure int, contender string) float64 {
	for _, r := range f.Measures[measure].Rows {
		if r.Contender == contender {
			return r.Median
		}
	}
	return 0
}

func (f *figures) ratio(measure int, contender string) *ratio {
	for _, r := range f.Measures[measure].Rows {
		if r.Contender == contender {
			return r.Ratio
		}
	}
	return nil
}
