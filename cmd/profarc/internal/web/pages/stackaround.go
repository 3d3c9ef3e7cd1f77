package pages

import (
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/layout"
)

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
	b.err = above.err
	b.page.Cut = max(b.page.Cut, callers.Cut)
	return above.page
}
