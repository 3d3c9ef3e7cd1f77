package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/fit"
)

const nameOfMoves = "moves"

var movesView = &view{
	name:    nameOfMoves,
	title:   "Moved points",
	about:   "Where the profile points of the old code are in the new code.",
	offered: hasClasses,
	build:   buildMoves,
	pages:   movesWithPages,
}

// A movesPage is what the page about a profile of changed code shows.
type movesPage struct {
	Name    analyze.MethodName
	State   string
	Reason  string
	Method  link
	Drawing *moveDrawing
	Moves   *table
}

func (p *movesPage) title() string { return p.Name.Display }

func buildMoves(r *request) (any, error) {
	f, err := checked(r)
	if err != nil {
		return nil, err
	}
	if f.found == nil {
		return nil, errNoPage
	}
	at := slices.IndexFunc(f.found.Misfits, func(v fit.Verdict) bool {
		return len(v.Moves) > 0 && refText(v.Profile.Ref()) == r.query.get("at")
	})
	if at < 0 {
		return nil, errNoPage
	}
	v := &f.found.Misfits[at]
	name, err := analyze.NameOf(r.archive(), v.Method)
	if err != nil {
		return nil, err
	}
	return &movesPage{Name: name, State: capital(string(v.State)), Reason: v.Reason,
		Method:  linkTo("The profile", nameOfMethod, methodQuery(v.Method)),
		Drawing: drawMoves(v.Moves), Moves: moveTable(r, v.Moves)}, nil
}

// moveTable returns the moves as a table.
func moveTable(r *request, moves []fit.Move) *table {
	t := newTable(r, "moves", "Points of the old code and of the new", number("from", "old bci"), number("to", "new bci"),
		column{Key: "kind", Name: "Kind"}, number("weight", "counts"),
		number("confidence", "confidence"), column{Key: "note", Name: "Note"})
	var rows []row
	for _, m := range moves {
		rows = append(rows, row{Cells: []cell{bciCell(m.From), bciCell(m.To), textCell(capital(m.Kind)),
			realCell(m.Weight), confidenceCell(m), textCell(capital(moveNote(m)))}})
	}
	return t.fill(rows)
}

// confidenceCell returns a cell with the confidence of a move, empty for a point that was not found.
func confidenceCell(m fit.Move) cell {
	if m.From < 0 || m.To < 0 {
		return cell{Number: true}
	}
	return shareCell(m.Confidence)
}

// bciCell returns a cell with a bci, empty if there is none.
func bciCell(bci int32) cell {
	if bci < 0 {
		return cell{Value: -1, Number: true}
	}
	return countCell(uint64(bci))
}

// moveNote names the peculiarity of a move.
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

// A moveDrawing draws the points of the old code at the left and the points of the new code at the
// right, with a line for each that was found.
type moveDrawing struct {
	Label  string
	Height float64
	Left   []movePoint
	Right  []movePoint
	Lines  []moveLine
	More   int // points of either side that are not drawn
}

// A movePoint is a point of one side.
type movePoint struct {
	Y     float64
	Text  string
	Class string
	Title string
}

// A moveLine leads from a point of the old code to its point in the new code.
type moveLine struct {
	From, To float64
	Class    string
	Title    string
}

// Sizes of a drawing, in units of its SVG.
const (
	moveStep   = 18.0
	moveTop    = 40.0 // below the headings
	movesDrawn = 200  // points of either side
)

// drawMoves draws moves.
func drawMoves(moves []fit.Move) *moveDrawing {
	d := &moveDrawing{}
	inOld := slices.DeleteFunc(slices.Clone(moves), func(m fit.Move) bool { return m.From < 0 })
	inNew := slices.DeleteFunc(slices.Clone(moves), func(m fit.Move) bool { return m.To < 0 })
	slices.SortStableFunc(inOld, func(a, b fit.Move) int { return cmp.Compare(a.From, b.From) })
	slices.SortStableFunc(inNew, func(a, b fit.Move) int { return cmp.Compare(a.To, b.To) })
	d.More = max(len(inOld)-movesDrawn, 0) + max(len(inNew)-movesDrawn, 0)
	right := map[int32]float64{}
	for i, m := range inNew[:min(len(inNew), movesDrawn)] {
		right[m.To] = moveTop + moveStep*float64(i)
		d.Right = append(d.Right, movePoint{right[m.To], fmt.Sprintf("%d %s", m.To, m.Kind), moveClass(m),
			moveNote(m)})
	}
	for i, m := range inOld[:min(len(inOld), movesDrawn)] {
		y := moveTop + moveStep*float64(i)
		d.Left = append(d.Left, movePoint{y, fmt.Sprintf("%d %s", m.From, m.Kind), moveClass(m), moveNote(m)})
		if to, drawn := right[m.To]; drawn && m.To >= 0 {
			d.Lines = append(d.Lines, moveLine{y - 4, to - 4, moveClass(m),
				fmt.Sprintf("%d is now at %d, confidence %s", m.From, m.To, percent(m.Confidence))})
		}
	}
	d.Height = moveTop + moveStep*float64(max(len(d.Left), len(d.Right)))
	d.Label = fmt.Sprintf("%d points of the old code, %d of the new, %d lines between them. The table below says the "+
		"same.", len(inOld), len(inNew), len(d.Lines))
	return d
}

// moveClass returns the class of a point or line.
func moveClass(m fit.Move) string {
	switch {
	case m.From < 0:
		return "new"
	case m.To < 0:
		return "lost"
	case m.Swapped:
		return "swapped"
	}
	return "found"
}

// movesInReport is how many profiles have pages of their moves in a report.
const movesInReport = 50

// movesWithPages returns the queries of the heaviest misfits whose points are known.
func movesWithPages(r *request) ([]query, error) {
	f, err := checked(r)
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
