package pages

import "github.com/profarc/profarc/internal/names/origins"

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
