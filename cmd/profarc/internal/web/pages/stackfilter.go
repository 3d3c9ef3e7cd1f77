package pages

import (
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/internal/names/escape"
)

// The keys of a query by which methods in stacks are named: those to be marked, those through
// which all stacks go that are shown, and those through which none does.
const (
	keyOfFind   = "find"
	keyOfFocus  = "focus"
	keyOfIgnore = "ignore"
)

// filterStacks leaves the stacks out that the query does not want.
func (b *flameGraph) filterStacks() {
	focus := b.nameMatcher(keyOfFocus)
	ignore := b.nameMatcher(keyOfIgnore)
	if focus != nil || ignore != nil {
		b.tree = b.tree.Filtered(focus, ignore)
	}
}

// nameMatcher returns what reports whether the name of a frame has the text that a key of the query
// says, also with dots for slashes; nil if it says none.
func (b *flameGraph) nameMatcher(key string) func(frame uint32) bool {
	text := b.request.query.valueOf(key)
	if text == "" {
		return nil
	}
	dotted := strings.ReplaceAll(text, "/", ".")
	known := map[uint32]bool{}
	return func(frame uint32) bool {
		found, ok := known[frame]
		if !ok {
			name := b.nameOfFrame(frame).full
			found = containsFold(name, text) || containsFold(name, dotted)
			known[frame] = found
		}
		return found
	}
}

// addFilters adds what the page says of its filters: the links that filter by the method that is
// shown, or by those that are marked, and the one to all stacks.
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
	if name := b.nameOfFrame(b.tree.Nodes[b.at].Frame); fitsField(name.full) {
		p.Filters = append(p.Filters, filterLink(q, "Only through "+name.short, keyOfFocus, name.full),
			filterLink(q, "Only without "+name.short, keyOfIgnore, name.full))
	}
}

// fitsField reports whether a name can stand in an address and in a field: it is not too long, and
// shows all that it has.
func fitsField(name string) bool {
	return name != "" && len(name) <= mostTitle && escape.Printable(name) == name
}

func filterLink(q query, text, key, value string) link {
	return linkToPage(text, nameOfFlame, q.withValues(key, value, "at", "", keyOfFind, "", "frames.page", ""))
}

// Filtered reports whether stacks are left out.
func (p *flamePage) Filtered() bool { return p.Focus != "" || p.Ignore != "" }

// PassedShare returns the share of all stacks that pass the filters.
func (p *flamePage) PassedShare() float64 { return shareOf(p.Passed, p.Whole) }
