package pages

import (
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/fit"
)

const nameOfMoves = "moves"

var movesView = &view{
	name:    nameOfMoves,
	title:   "Moved points",
	about:   "Where the profile points of the old code are in the new code.",
	offered: hasClasses,
	build:   buildMoves,
	pages:   movesWithPages,
	linked:  true,
}

type movesPage struct {
	Name   analyze.MethodName
	State  string
	Reason string
	Method link
	Moves  *table
}

func (p *movesPage) title() string { return p.Name.Display }

func buildMoves(r *request) (any, error) {
	f, err := classPathFitOf(r)
	if err != nil {
		return nil, err
	}
	if f.found == nil {
		return nil, errNoPage
	}
	at := slices.IndexFunc(f.found.Misfits, func(v fit.Verdict) bool {
		return len(v.Moves) > 0 && recordRefText(v.Profile.Ref()) == r.query.valueOf("at")
	})
	if at < 0 {
		return nil, errNoPage
	}
	v := &f.found.Misfits[at]
	name, err := analyze.NameOf(r.archive(), v.Method)
	if err != nil {
		return nil, err
	}
	return &movesPage{Name: name, State: capitalized(string(v.State)), Reason: v.Reason,
		Method: linkToPage("The profile", nameOfMethod, methodQuery(v.Method)),
		Moves:  moveTable(r, v.Moves)}, nil
}

func moveTable(r *request, moves []fit.Move) *table {
	t := newTable(r, "moves", "Points of the old code and of the new", numberColumn("from", "old bci"),
		numberColumn("to", "new bci"), textColumn("kind", "Kind"), numberColumn("weight", "counts"),
		numberColumn("confidence", "confidence"), textColumn("note", "Note"))
	for _, m := range moves {
		confidence := noNumber
		if m.From >= 0 && m.To >= 0 {
			confidence = shareCell(m.Confidence)
		}
		t.addTableRow(bciCell(m.From), bciCell(m.To), textCell(capitalized(m.Kind)),
			realCell(m.Weight), confidence, textCell(capitalized(moveNote(m))))
	}
	return t.finishRows()
}

func bciCell(bci int32) cell {
	if bci < 0 {
		return noNumber
	}
	return countCell(bci)
}

func moveNote(m fit.Move) string {
	switch {
	case m.From < 0:
		return "new"
	case m.Lost != "":
		return m.Lost
	case m.Swapped:
		return "the condition was inverted: its counts change sides"
	}
	return ""
}

const movesInReport = 50

func movesWithPages(r *request) ([]query, error) {
	f, err := classPathFitOf(r)
	if err != nil || f.found == nil {
		return nil, err
	}
	var list []query
	for i := range f.found.Misfits {
		if v := &f.found.Misfits[i]; len(v.Moves) > 0 && len(list) < movesInReport {
			list = append(list, moveQuery(v))
		}
	}
	return list, nil
}
