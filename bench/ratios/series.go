package ratios

import (
	"fmt"
	"slices"
)

// A series has the times of a contender for several numbers of methods.
type series struct {
	name     string
	x, y     []float64
	exponent float64
}

// seriesOf returns the contenders of a title with several numbers of methods.
func (r *Report) seriesOf(title string) (all []series) {
	for _, t := range r.tablesOfTitle(title) {
		for _, row := range t.Rows {
			if row.Unit != "" || t.Methods == 0 || row.Value <= 0 {
				continue
			}
			at := slices.IndexFunc(all, func(s series) bool { return s.name == row.Name })
			if at < 0 {
				at = len(all)
				all = append(all, series{name: row.Name})
			}
			all[at].x = append(all[at].x, float64(t.Methods))
			all[at].y = append(all[at].y, row.Value)
		}
	}
	all = slices.DeleteFunc(all, func(s series) bool { return len(s.x) < 2 })
	for i, s := range all {
		all[i].exponent = Exponent(s.x, s.y)
	}
	return all
}

// growthTexts formats the exponents.
func (r *Report) growthTexts(title string) (texts []string) {
	for _, s := range r.seriesOf(title) {
		texts = append(texts, fmt.Sprintf("%s %.2f", s.name, s.exponent))
	}
	return texts
}
