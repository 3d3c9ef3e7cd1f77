package pages

import (
	"fmt"
	"html/template"
	"strings"
)

// stackElement returns a bar of several parts. What they are stands beside it, so that the bar
// is hidden from screen readers.
func stackElement(parts []segment) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="stack" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">`)
	at := 0.0
	for _, p := range parts {
		wide := min(max(100*p.Share, 0), 100-at)
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" width="%.1f" height="10"/>`, p.Class, at, wide)
		at += wide
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
