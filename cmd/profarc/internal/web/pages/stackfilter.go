package pages

import (
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/origins"
	"github.com/profarc/profarc/layout"
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

func (p *flamePage) Filtered() bool { return p.Focus != "" || p.Ignore != "" }

// keyOfCode is the key of a query for the origin of the code that a page shows. Without it a page shows all code.
const keyOfCode = "code"

// codeChoices returns links to the page for all code and for the code of each origin.
func (r *request) codeChoices() (list []menuItem) {
	for _, c := range []struct {
		text string
		from origins.Origin
	}{{"All code", ""}, {"Own code", origins.Own}, {"Libraries", origins.Library}, {"Runtime", origins.Runtime}} {
		q := r.query.withValues(keyOfCode, string(c.from), "at", "", r.view.name+".page", "")
		list = append(list, menuItem{linkToPage(c.text, r.view.name, q), r.query.valueOf(keyOfCode) == string(c.from)})
	}
	return list
}

// isOfCode reports whether the code of a class is shown.
func (f *packageIndex) isOfCode(r *request, class int32) bool {
	asked := r.query.valueOf(keyOfCode)
	return asked == "" || string(f.origins[f.classes[class].in]) == asked
}

// foldOtherCode removes the frames that the page does not show. Their counts go to their callers.
func (b *flameGraph) foldOtherCode() {
	if asked := b.request.query.valueOf(keyOfCode); asked != "" {
		d := b.request.archive().Header().Domain
		b.tree = b.tree.Folded(func(frame uint32) bool { return string(origins.Of(d, b.nameOfFrame(frame).in)) == asked })
	}
}

// keyOfAround is the key of a query for the callers and callees of a method.
const keyOfAround = "around"

// linkAround returns a link to the callers and callees of a method, and the zero link for other frames.
func (b *flameGraph) linkAround(frame uint32) link {
	if frame == noMethod || frame == 0 || b.request.view.name != nameOfFlame {
		return link{}
	}
	return linkToPage("", nameOfFlame, b.request.query.withValues(keyOfAround, recordRefText(layout.Ref(frame)), "at", "",
		"frames.page", ""))
}

// turnAroundMethod keeps the stacks below the method that the query names, and returns those above it, from it to the
// outermost caller. It returns nil if the query names none.
func (b *flameGraph) turnAroundMethod() (callers *flame.Tree, err error) {
	if b.request.query.valueOf(keyOfAround) == "" {
		return nil, nil
	}
	m, err := b.request.askedMethodIn(b.request.archive(), keyOfAround)
	if err != nil {
		return nil, err
	}
	callers, b.tree = b.tree.Around(frameOfMethod(m))
	b.at = min(1, len(callers.Nodes)-1) // the method itself, if a stack has it
	return callers, nil
}

// drawCallers returns the graph of the callers, which are above their callees.
func (b *flameGraph) drawCallers(callers *flame.Tree) *flamePage {
	above := *b
	above.tree = callers
	above.page = &flamePage{What: "Callers", Unit: b.page.Unit, Up: true, Find: b.page.Find, Whole: b.page.Whole,
		Total: b.page.Total, Packages: true}
	above.told = func(at flame.Box) (class, title string) {
		class, title = above.ownCounts(at)
		title, _, _ = strings.Cut(title, "\nself") // which would be of the outermost callers
		return class, title
	}
	above.drawBoxes()
	b.page.Cut = max(b.page.Cut, callers.Cut)
	return above.page
}
