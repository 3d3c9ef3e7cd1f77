package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	classpath "github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/layout"
)

func hasClasses(s *Site) bool {
	return len(s.ClassPath) > 0 && s.Archive.Header().Domain == layout.DomainHotSpot
}

// A fitPage is the page about the fit with the class path. If Refused is set, there was no comparison, and the page
// shows only that.
type fitPage struct {
	*report.Check
	Refused   string
	OfEvents  string // shares of all events by verdict
	Advice    string // what to name so that more is compared; "" if enough was
	ClassPath string
	Profiles  *table // number of profiles by state
	Points    *table // points of moved profiles by outcome; nil if none moved
	Misfits   *table
	Unchecked *table // unchecked profiles, or nil
	Renames   *table // renamed methods, or nil
}

const misfitsListed = 200

// A fitted is the report on the fit with the verdicts of methods. The report has only their names.
type fitted struct {
	*report.Check
	found     *fit.Report
	unchecked []fit.Verdict // the uncheckedListed verdicts with the highest counts
	refused   string
}

const uncheckedListed = 5000

func (f *fitted) addUnchecked(v *fit.Verdict) error {
	if v.State != fit.Unchecked {
		return nil
	}
	f.unchecked = append(f.unchecked, *v)
	if len(f.unchecked) >= 2*uncheckedListed {
		f.trimUnchecked()
	}
	return nil
}

// trimUnchecked sorts the unchecked profiles by their counts and truncates the list.
func (f *fitted) trimUnchecked() {
	slices.SortStableFunc(f.unchecked, func(a, b fit.Verdict) int { return cmp.Compare(b.Weight, a.Weight) })
	f.unchecked = f.unchecked[:min(len(f.unchecked), uncheckedListed)]
}

func classPathFitOf(r *request) (*fitted, error) {
	return resultOf(r, "the fit of all profiles with the class path",
		func(ctx context.Context, s *Site, _ *Progress) (*fitted, error) {
			against, err := classpath.OpenClassPath(s.ClassPath, int(s.Archive.Header().Params.VMRelease))
			if err != nil {
				return &fitted{refused: err.Error()}, nil
			}
			defer against.Close()
			f := &fitted{}
			found, err := fit.Check(ctx, s.Archive, against, fit.Options{Top: misfitsListed, Each: f.addUnchecked})
			if err != nil {
				return nil, err
			}
			f.trimUnchecked()
			f.Check = &report.Check{Archive: s.Archive.Mapping().Name(), Against: strings.Join(s.ClassPath, ", "),
				Domain: s.Archive.Header().Domain.String()}
			f.found = found
			if err := against.CheckRelated(); err != nil {
				f.refused = err.Error()
			} else if found.Checked == 0 {
				f.refused = "nothing of the archive can be checked against this class path"
			}
			err = cmp.Or(f.CompareLoaders(s.Archive, nil),
				f.SetResult(s.Archive, found, cli.DefaultKept, cli.DefaultChecked))
			return f, err
		})
}

func buildFit(r *request) (any, error) {
	f, err := classPathFitOf(r)
	if err != nil {
		return nil, err
	}
	if f.refused != "" {
		return &fitPage{Refused: r.withoutFileFolders(f.refused)}, nil
	}
	p := &fitPage{Check: f.Check, OfEvents: f.SharesText(), ClassPath: r.withoutFileFolders(f.Against),
		Profiles: stateTable(r, f.Check), Points: movedTable(r, &f.Check.Points),
		Misfits: misfitTable(r, f), Unchecked: uncheckedTable(r, f), Renames: renameTable(r, f.Check.Renames)}
	if f.Verdict == fit.Unchecked {
		p.Advice = "name the program with its libraries and JDK, as --class-path app.jar:'lib/*':\"$JAVA_HOME\""
	}
	return p, nil
}

func uncheckedTable(r *request, f *fitted) *table {
	caption := "Profiles that could not be checked"
	if all := f.found.Profiles[fit.Unchecked]; all > len(f.unchecked) {
		caption = fmt.Sprintf("%s: the first %s of %s by their events", caption, cli.Grouped(uint64(len(f.unchecked))),
			cli.Grouped(uint64(all)))
	}
	t := newTable(r, "unchecked", caption, textColumn("method", "Method"), textColumn("reason", "Why"),
		numberColumn("weight", "events"))
	for i := range f.unchecked {
		v := &f.unchecked[i]
		t.addTableRow(linkCell(r.linkToMethod(v.Method)), textCell(capitalized(v.Reason)), realCell(v.Weight))
	}
	return t.finishUnlessEmpty()
}

var statesAbout = map[fit.State]string{
	fit.Exact:     "the code is as it was",
	fit.Renamed:   "the same code, in a class or method of another name",
	fit.Moved:     "the code has changed, and its points were found in it",
	fit.Stale:     "the code has changed, and cannot be matched",
	fit.Gone:      "there is no such class or method any more",
	fit.Unchecked: "nothing is known: see the reasons and the list below",
}

func stateTable(r *request, c *report.Check) *table {
	t := newTable(r, "states", "Profiles by state", textColumn("state", "State"), textColumn("about", "What it means"),
		numberColumn("profiles", "profiles"), numberColumn("weight", "events"), numberColumn("share", "share of all events"),
		textColumn("verdict", "Verdict"))
	for _, state := range fit.States() {
		s := c.States[string(state)]
		t.addTableRow(textCell(capitalized(string(state))), textCell(capitalized(statesAbout[state])),
			countCell(s.Profiles), realCell(s.Weight), shareCell(s.Share), textCell(capitalized(string(state.Verdict()))))
	}
	return t.finishRows()
}

// movedTable returns the outcomes of the points in changed code, or nil.
func movedTable(r *request, p *report.CheckPoints) *table {
	if p.Old == 0 {
		return nil
	}
	all := max(p.TotalCounts(), 1)
	t := newTable(r, "points", "Points of changed code that have counts", textColumn("what", "What became of them"),
		numberColumn("points", "points"), numberColumn("counts", "counts"), numberColumn("share", "share"))
	add := func(what string, l fit.Loss) {
		t.addTableRow(textCell(what), countCell(l.Points), realCell(l.Counts), shareCell(l.Counts/all))
	}
	add("Found", p.Found)
	if p.Swapped.Points > 0 {
		add("Of these, branches of the opposite sense", p.Swapped)
	}
	for _, l := range p.Dropped {
		add("Dropped: "+l.Reason, l)
	}
	return t.finishRows()
}

func renameTable(r *request, renames []fit.Rename) *table {
	t := newTable(r, "renames", "Renamed classes and methods", textColumn("from", "From"),
		textColumn("to", "To"), numberColumn("profiles", "profiles"), numberColumn("weight", "events"),
		numberColumn("methods", "methods"), numberColumn("same", "with the same code"))
	for _, n := range renames {
		t.addTableRow(textCell(report.RenameText(n.From)), textCell(report.RenameText(n.To)), countCell(n.Profiles),
			realCell(n.Weight), countCell(n.Methods), countCell(n.Same))
	}
	return t.finishUnlessEmpty()
}

// misfitTable returns the misfits, the heaviest losses first. A name links to the moves of its points, or to the method
// if the moves are unknown.
func misfitTable(r *request, f *fitted) *table {
	t := newTable(r, "misfits", "Profiles that do not fit", textColumn("method", "Method"),
		textColumn("state", "State"), textColumn("reason", "Why"), numberColumn("confidence", "confidence"),
		numberColumn("matched", "points found"), numberColumn("points", "of"), numberColumn("weight", "events"))
	t.None = "Every profile that could be checked fits."
	for i, m := range f.Misfits {
		v := &f.found.Misfits[i]
		name := linkToPage(m.Spelled(), nameOfMethod, methodQuery(v.Method))
		if len(v.Moves) > 0 {
			name = linkToPage(m.Spelled(), nameOfMoves, moveQuery(v))
		}
		t.addTableRow(linkCell(name), textCell(capitalized(string(m.State))), textCell(capitalized(m.Reason)),
			shareCell(m.Confidence), countCell(m.Matched), countCell(m.Points), realCell(m.Weight))
	}
	return t.finishRows()
}

func moveQuery(v *fit.Verdict) query { return newQuery("at", recordRefText(v.Profile.Ref())) }

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
	return &movesPage{Name: r.nameOf(v.Method), State: capitalized(string(v.State)), Reason: v.Reason,
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
