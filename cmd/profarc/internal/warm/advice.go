package warm

import (
	"fmt"
	"slices"
)

// The contenders that use the archive, and those that do without it.
var (
	withArchive    = []string{"archive", "archive+flag", "aot+archive"}
	withoutArchive = []string{"plain", "appcds", "flag", "aot", "c1"}
)

// adviceText compares the fastest contender with the archive and the fastest without it. It returns "" if one is
// missing.
func (r *report) adviceText() string {
	with := r.fastestOf(withArchive)
	without := r.fastestOf(withoutArchive)
	if with == "" || without == "" {
		return ""
	}
	p := r.compareFigure(figures[0], with, without)
	if p == nil || p.Confidence == 0 {
		return ""
	}
	switch p.Verdict {
	case verdictLess:
		return fmt.Sprintf("use %s: %.2f of the wall time with %s, the fastest without the archive", with,
			p.Estimate, without)
	case verdictMore:
		return fmt.Sprintf("do without the archive: %s takes %.2f of the wall time with %s%s", with, p.Estimate, without,
			peakCaveat(without))
	}
	return fmt.Sprintf("do without the archive, or measure more rounds: %s is not shown to be faster than %s%s", with,
		without, peakCaveat(without))
}

// peakCaveat returns the disadvantage of a contender in longer runs, or "".
func peakCaveat(name string) string {
	if name != "c1" {
		return ""
	}
	return "; runs that are longer, and servers, lose by C1 alone"
}

// fastestOf returns the contender with the least median wall time, or "".
func (r *report) fastestOf(of []string) (name string) {
	if len(r.Measures) == 0 {
		return ""
	}
	least := 0.0
	for _, x := range r.Measures[0].Rows {
		if slices.Contains(of, x.Contender) && (name == "" || x.Median < least) {
			name = x.Contender
			least = x.Median
		}
	}
	return name
}
