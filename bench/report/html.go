package report

import (
	"fmt"
	"html"
	"strings"
)

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Measurements</title>
<style>
:root { color-scheme: light dark; --ground: #fff; --ink: #1a1a1a; --faint: #6b6b6b; --line: #d8d8d8; --met: #1a7f4b; --missed: #c0392b;
  --s0: #2563a8; --s1: #c2570c; --s2: #1a7f4b; --s3: #8b3fa8; --s4: #8a6d00; --s5: #0f7f8a; --s6: #b8336a; --s7: #555; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --ink: #e8e8e8; --faint: #a0a0a0; --line: #3a3d42; --met: #4cc38a; --missed: #ff7b6b;
    --s0: #6cb0f5; --s1: #f5a35c; --s2: #4cc38a; --s3: #cf8ff0; --s4: #e0c341; --s5: #4fc9d6; --s6: #f07fae; --s7: #bbb; }
}
body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { border-top: 1px solid var(--line); margin-top: 2.2rem; padding-top: 1rem; }
p.note { color: var(--faint); } div.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; } caption { color: var(--faint); padding-bottom: .3rem; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem .2rem 0; text-align: left; } td.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.met { color: var(--met); } .missed { color: var(--missed); }
svg { display: block; height: auto; max-width: 100%; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg text.faint { fill: var(--faint); }
svg .grid { stroke: var(--line); } svg .limit { stroke: var(--ink); stroke-dasharray: 4 3; } svg .bar-met { fill: var(--met); } svg .bar-missed { fill: var(--missed); }
</style>
</head>
<body>
`

// HTML returns the whole report as one page, which needs neither a script nor another file.
func (r *Report) HTML() string {
	var b strings.Builder
	b.WriteString(pageHead)
	fmt.Fprintf(&b, "<h1>Measurements</h1>\n<p>%s</p>\n<p>%s</p>\n", html.EscapeString(r.Machine),
		html.EscapeString(r.summary()))
	if bars := r.bars(); len(bars) > 0 {
		fmt.Fprintf(&b,
			"<h2>Goals</h2>\n<p class=\"note\">A bar is a ratio as a share of its limit, the dashed line.</p>\n%s",
			barPlot(bars))
	}
	for _, title := range r.titles() {
		fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(title))
		if all := r.seriesOf(title); len(all) > 0 {
			b.WriteString(linePlot("Nanoseconds over methods: "+title, all))
		}
		for _, t := range r.sizes(title) {
			t.html(&b)
		}
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

func (t Table) html(b *strings.Builder) {
	if t.Note != "" {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", html.EscapeString(t.Note))
	}
	fmt.Fprintf(b,
		"<div class=\"wide\"><table><caption>%s</caption>\n<tr><th></th><th>time</th><th>ratio</th><th>goal</th>",
		html.EscapeString(t.heading()))
	if t.hasTails() {
		b.WriteString("<th>p50</th><th>p99</th><th>p99.9</th>")
	}
	b.WriteString("</tr>\n")
	for _, r := range t.Rows {
		fmt.Fprintf(b, "<tr><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td>%s</td>",
			html.EscapeString(r.Name), html.EscapeString(r.value()), r.ratio(), r.goalsHTML())
		if t.hasTails() {
			for _, cell := range r.tailCells() {
				fmt.Fprintf(b, "<td class=\"number\">%s</td>", cell)
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
}

func (r Row) goalsHTML() string {
	var texts []string
	for _, g := range r.Goals {
		texts = append(texts, fmt.Sprintf("<span class=\"%s\">%s</span>", g.class(), html.EscapeString(g.String())))
	}
	return strings.Join(texts, "<br/>")
}

func (g Goal) class() string {
	if g.Met() {
		return "met"
	}
	return "missed"
}

// A bar is a goal and where it stands.
type bar struct {
	name string
	goal Goal
}

func (r *Report) bars() (bars []bar) {
	for _, title := range r.titles() {
		for _, t := range r.sizes(title) {
			for _, row := range t.Rows {
				for _, g := range row.Goals {
					bars = append(bars, bar{fmt.Sprintf("%s, %s: %s", title, grouped(t.Methods), row.Name), g})
				}
			}
		}
	}
	return bars
}
