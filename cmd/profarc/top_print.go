package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/reader"
)

// c2 is the level of compilation at which HotSpot counts no more.
const c2 = 4

// compileLevel is the highest level at which a method was compiled, nil if no
// profile says it.
func compileLevel(m reader.Method) (highest *uint8, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if c, ok := p.Compile(); ok && (highest == nil || c.Level > *highest) {
			highest = &c.Level
		}
	}
	return highest, nil
}

func (r *topReport) print(a *app.App) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	levels := slices.ContainsFunc(r.Methods, func(m topMethod) bool { return m.Level != nil })
	column := func(shown bool, text string) string {
		if !shown {
			return ""
		}
		return text + "\t"
	}
	summed := r.ShareOf.addsUp()
	fmt.Fprintf(w, "%s%s\tshare\t%s  method\n", column(levels, "level"), r.By, column(summed, "sum"))
	for _, m := range r.Methods {
		fmt.Fprintf(w, "%s%d\t%.1f%%\t%s  %s%s\n", column(levels, m.level()), m.Value, 100*m.Share, column(summed, m.sum()), escape.Printable(m.String()), app.Note(m.Cut, "cut off"))
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %d methods with any, %s\n", len(r.Methods), r.Of, r.totalText())
	if levels && r.compiled() {
		fmt.Fprintln(a.Out, "level 4: C2 compiled it and counts no more, so that it ran more often than this")
	}
	if r.Total == 0 {
		fmt.Fprintf(a.ErrOut, "profarc: nothing in %s counts %s: without --by top takes what it counts\n", escape.Printable(r.Archive), r.By)
	}
}

func (m *topMethod) level() string {
	if m.Level == nil {
		return "-"
	}
	return fmt.Sprint(*m.Level)
}

func (m *topMethod) sum() string {
	if m.Sum == nil {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100**m.Sum)
}

// compiled reports whether counts of any method that is listed ended with C2.
func (r *topReport) compiled() bool {
	counted := slices.Contains([]string{"invocations", "backedges", "counts", "calls"}, r.By)
	return counted && slices.ContainsFunc(r.Methods, func(m topMethod) bool { return m.Level != nil && *m.Level >= c2 })
}

// totalText says what shares are of.
func (r *topReport) totalText() string {
	switch {
	case r.Total == 0:
		return "0 in total"
	case r.ShareOf == ofRun:
		return fmt.Sprintf("%d in the run at least, %d of them in the archive", r.Total, r.sum)
	case r.ShareOf == ofThreads:
		return fmt.Sprintf("shares are of the %d of all threads: each has those of the methods that it calls", r.Total)
	case r.ShareOf == ofHighest:
		return "shares are of the highest: each has those of the methods that it calls"
	}
	return fmt.Sprintf("%d in total", r.Total)
}
