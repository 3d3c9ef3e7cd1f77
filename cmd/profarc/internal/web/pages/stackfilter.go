package pages

import (
	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
)

// Keys of a query for methods in stacks. They require them in the shown stacks, or exclude stacks with them.
const (
	keyOfFocus  = "focus"
	keyOfIgnore = "ignore"
)

func (b *flameGraph) filterStacks() {
	focus := b.nameMatcher(keyOfFocus)
	ignore := b.nameMatcher(keyOfIgnore)
	if focus != nil || ignore != nil {
		b.tree = b.tree.Filtered(focus, ignore)
	}
}

func (b *flameGraph) nameMatcher(key string) func(frame uint32) bool {
	text := b.request.query.valueOf(key)
	if text == "" {
		return nil
	}
	s := newSearch(b.request.archive().Header().Domain, text)
	known := map[uint32]bool{}
	return func(frame uint32) bool {
		found, ok := known[frame]
		if !ok {
			name := b.nameOfFrame(frame)
			found = s.selects(match.Fold(name.full) + betweenNames + match.Fold(name.raw))
			known[frame] = found
		}
		return found
	}
}

// addFilters adds links that filter by the current method or by the marked methods, and a link to all stacks.
func (p *flamePage) addFilters(b *flameGraph) {
	q := b.request.query
	if p.Filtered() {
		p.Filters = append(p.Filters, linkToPage("All stacks", nameOfFlame,
			q.withValues(keyOfFocus, "", keyOfIgnore, "", "frames.page", "")))
	}
	if p.Find != "" {
		p.Filters = append(p.Filters, filterLink(q, "Only through what is highlighted", keyOfFocus, p.Find),
			filterLink(q, "Only without it", keyOfIgnore, p.Find))
	}
	if b.at == flame.Root {
		return
	}
	frame := b.tree.Nodes[b.at].Frame
	if around := b.linkAround(frame); around.view != "" && q.valueOf(keyOfAround) == "" {
		around.Text = "Callers and callees"
		p.Filters = append(p.Filters, around)
	}
	if name := b.nameOfFrame(frame); fitsField(name.full) {
		p.Filters = append(p.Filters, filterLink(q, "Only through "+name.label.Head+name.label.Tail, keyOfFocus, name.full),
			filterLink(q, "Only without "+name.label.Head+name.label.Tail, keyOfIgnore, name.full))
	}
}

func fitsField(name string) bool {
	return name != "" && len(name) <= mostTitle && escape.Printable(name) == name
}

func filterLink(q query, text, key, value string) link {
	return linkToPage(text, nameOfFlame, q.withValues(key, value, "at", "", keyOfFind, "", "frames.page", ""))
}

func (p *flamePage) Filtered() bool       { return p.Focus != "" || p.Ignore != "" }
func (p *flamePage) PassedShare() float64 { return cli.Share(p.Passed, p.Whole) }
