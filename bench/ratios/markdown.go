package ratios

import (
	"fmt"
	"strings"
)

// Text formats a table for a terminal.
func (t Table) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.heading())
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "  %-30s%12s%8s  %s\n", r.Name, r.value(), r.ratio(), r.goals())
	}
	return b.String()
}

func (t Table) heading() string {
	s := fmt.Sprintf("%s, %s methods", t.Title, groupDigits(t.Methods))
	if t.Noise == (Noise{}) {
		return s
	}
	return fmt.Sprintf("%s (%s)", s, t.Noise)
}

// String describes the noise.
func (n Noise) String() string {
	s := fmt.Sprintf("spread of a fixed loop %.0f %%", 100*n.Spread)
	if n.Repeated > 0 {
		s += fmt.Sprintf(", %d noisy rounds repeated", n.Repeated)
	}
	if n.Noisy > 0 {
		s += fmt.Sprintf(", %d noisy rounds count", n.Noisy)
	}
	return s
}

func (r Row) value() string {
	if r.Unit == "" {
		return formatAmount(r.Value) + " ns"
	}
	return formatAmount(r.Value) + " " + r.Unit
}

func (r Row) ratio() string {
	if r.Ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", r.Ratio)
}

func (r Row) goals() string {
	var texts []string
	for _, g := range r.Goals {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, "; ")
}

// String describes the goal and the result.
func (g Goal) String() string {
	met := "met"
	if !g.Met() {
		met = "not met"
	}
	if g.Against == "" {
		return fmt.Sprintf("at most %.4g: %s", g.Limit, met)
	}
	return fmt.Sprintf("%.2f of %s, at most %.4g: %s", g.Ratio, g.Against, g.Limit, met)
}

// formatAmount formats a number with three digits.
func formatAmount(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func groupDigits(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Markdown returns the whole report.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Measurements\n\n%s\n\n%s\n", r.Machine, r.summarizeGoals())
	for _, title := range r.titles() {
		fmt.Fprintf(&b, "\n## %s\n", title)
		for _, t := range r.tablesOfTitle(title) {
			t.markdown(&b)
		}
		if growth := r.growthTexts(title); len(growth) > 0 {
			fmt.Fprintf(&b, "\nGrowth with the number of methods, time ~ n^e: %s.\n", strings.Join(growth, "; "))
		}
	}
	return b.String()
}

// summarizeGoals counts the goals.
func (r *Report) summarizeGoals() string {
	met, all := 0, 0
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for _, g := range row.Goals {
				if all++; g.Met() {
					met++
				}
			}
		}
	}
	return fmt.Sprintf("%d of %d goals are met. Figures are medians; ratios are to the first map of a table, or to "+
		"what its heading says.", met, all)
}

func (t Table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s.\n\n", t.heading())
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n\n", t.Note)
	}
	b.WriteString("| | time | ratio | goal |\n|---|---|---|---|\n")
	for _, r := range t.Rows {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Name, r.value(), r.ratio(), r.goals())
	}
}
