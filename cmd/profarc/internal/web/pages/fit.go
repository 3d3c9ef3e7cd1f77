package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/report"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/cli"
	classpath "github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/layout"
)

const nameOfFit = "fit"

var fitView = &view{
	name:    nameOfFit,
	title:   "Fit",
	about:   "Whether the profiles still fit the code of the class path, and what became of those that do not.",
	offered: hasClasses,
	build:   buildFit,
}

// hasClasses reports whether a site has class files with which its profiles can be compared.
func hasClasses(s *Site) bool {
	return len(s.ClassPath) > 0 && s.Archive.Header().Domain == layout.DomainHotSpot
}

// A fitPage is what the page about the fit shows. Refused is why nothing can be said; then it
// shows nothing else.
type fitPage struct {
	*report.Check
	Refused   string
	TooLittle bool // was checked
	ClassPath string
	Profiles  *table // by state
	Points    *table // of moved profiles, by what became of them; nil if none moved
	Reasons   *table // why profiles are unchecked; nil if none is
	Misfits   *table
	Unchecked *table // nil if none is
	Renames   *table // nil if nothing was renamed
}

// misfitsListed is how many misfits are listed.
const misfitsListed = 200

// A fitted is the report on the fit, with the verdicts that the report has only names of.
type fitted struct {
	*report.Check
	found     *fit.Report
	unchecked []fit.Verdict // at most uncheckedListed of them, those with the most counts
	refused   string
}

// uncheckedListed is how many unchecked profiles are listed.
const uncheckedListed = 5000

// addUnchecked keeps a verdict if the profile could not be checked.
func (f *fitted) addUnchecked(v *fit.Verdict) error {
	if v.State != fit.Unchecked {
		return nil
	}
	if f.unchecked = append(f.unchecked, *v); len(f.unchecked) >= 2*uncheckedListed {
		f.trimUnchecked()
	}
	return nil
}

// trimUnchecked sorts the unchecked profiles by their counts and keeps the first.
func (f *fitted) trimUnchecked() {
	slices.SortStableFunc(f.unchecked, func(a, b fit.Verdict) int { return cmp.Compare(b.Weight, a.Weight) })
	f.unchecked = f.unchecked[:min(len(f.unchecked), uncheckedListed)]
}

// checked returns how the site's archive fits the class path.
func checked(r *request) (*fitted, error) {
	return gather(r, "the fit of all profiles with the class path",
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
			f.Check, f.found = &report.Check{Archive: s.Archive.Mapping().Name(), Against: strings.Join(s.ClassPath, ", "),
				Domain: s.Archive.Header().Domain.String()}, found
			if err := against.Related(); err != nil {
				f.refused = err.Error()
			} else if found.Checked == 0 {
				f.refused = "nothing of the archive can be checked against this class path"
			}
			err = cmp.Or(f.CompareLoaders(s.Archive, nil), f.Fill(s.Archive, found))
			f.Judge(0, cli.DefaultChecked)
			return f, err
		})
}

func buildFit(r *request) (any, error) {
	f, err := checked(r)
	if err != nil {
		return nil, err
	}
	if f.refused != "" {
		return &fitPage{Refused: r.place(f.refused)}, nil
	}
	p := &fitPage{Check: f.Check, TooLittle: f.Verdict == report.VerdictUnchecked, ClassPath: r.place(f.Against),
		Profiles: stateTable(r, f.Check), Points: movedTable(r, &f.Check.Points), Reasons: reasonTable(r, f.Check.Reasons),
		Renames: renameTable(r, f.Check.Renames)}
	if p.Misfits, err = misfitTable(r, f); err == nil {
		p.Unchecked, err = uncheckedTable(r, f)
	}
	return p, err
}

// uncheckedTable returns the table of profiles that could not be checked, nil if there are none.
func uncheckedTable(r *request, f *fitted) (*table, error) {
	if len(f.unchecked) == 0 {
		return nil, nil
	}
	caption := "Profiles that could not be checked"
	if all := f.found.Profiles[fit.Unchecked]; all > len(f.unchecked) {
		caption = fmt.Sprintf("%s: the first %s of %s by their events", caption, cli.Grouped(uint64(len(f.unchecked))),
			cli.Grouped(uint64(all)))
	}
	t := newTable(r, "unchecked", caption, column{Key: "method", Name: "Method"}, column{Key: "reason", Name: "Why"},
		number("weight", "events"))
	var rows []row
	for i := range f.unchecked {
		v := &f.unchecked[i]
		name, err := methodLink(r.archive(), v.Method)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{Cells: []cell{linkCell(name), textCell(capital(v.Reason)), realCell(v.Weight)}})
	}
	return t.fill(rows), nil
}

// statesAbout says what the states mean.
var statesAbout = map[fit.State]string{
	fit.Exact:     "the code is as it was",
	fit.Renamed:   "the same code, in a class or method of another name",
	fit.Moved:     "the code has changed, and its points were found in it",
	fit.Stale:     "the code has changed, and cannot be matched",
	fit.Gone:      "there is no such class or method any more",
	fit.Unchecked: "nothing is known: see the reasons and the list below",
}

func stateTable(r *request, c *report.Check) *table {
	t := newTable(r, "states", "Profiles by state", column{Key: "state", Name: "State"},
		column{Key: "about", Name: "What it means"}, number("profiles", "profiles"), number("weight", "events"),
		number("share", "share of all events"))
	var rows []row
	for _, state := range fit.States() {
		s := c.States[string(state)]
		rows = append(rows, row{Cells: []cell{textCell(capital(string(state))), textCell(capital(statesAbout[state])),
			numberCell(s.Profiles), realCell(s.Weight), shareCell(s.Share)}})
	}
	return t.fill(rows)
}

// movedTable returns what became of the points of changed code, nil if there are none.
func movedTable(r *request, p *report.CheckPoints) *table {
	if p.Old == 0 {
		return nil
	}
	all := max(p.Counts(), 1)
	t := newTable(r, "points", "Points of changed code that have counts", column{Key: "what", Name: "What became of them"},
		number("points", "points"), number("counts", "counts"), number("share", "share"))
	cells := func(what string, l report.CheckLost) row {
		return row{Cells: []cell{textCell(capital(what)), numberCell(l.Points), realCell(l.Counts),
			shareCell(l.Counts / all)}}
	}
	rows := []row{cells("found", p.Found)}
	if p.Swapped.Points > 0 {
		rows = append(rows, cells("of these, branches of the opposite sense", p.Swapped))
	}
	for _, l := range p.Dropped {
		rows = append(rows, cells("dropped: "+l.Reason, l))
	}
	return t.fill(rows)
}

func reasonTable(r *request, reasons []report.CheckReason) *table {
	if len(reasons) == 0 {
		return nil
	}
	t := newTable(r, "reasons", "Why profiles are unchecked", column{Key: "reason", Name: "Reason"},
		number("profiles", "profiles"))
	var rows []row
	for _, n := range reasons {
		rows = append(rows, row{Cells: []cell{textCell(capital(n.Reason)), numberCell(n.Profiles)}})
	}
	return t.fill(rows)
}

func renameTable(r *request, renames []report.CheckRename) *table {
	if len(renames) == 0 {
		return nil
	}
	t := newTable(r, "renames", "Renamed classes and methods", column{Key: "from", Name: "From"},
		column{Key: "to", Name: "To"}, number("profiles", "profiles"), number("weight", "events"),
		number("methods", "methods"), number("same", "with the same code"))
	var rows []row
	for _, n := range renames {
		rows = append(rows, row{Cells: []cell{textCell(n.From.String()), textCell(n.To.String()), numberCell(n.Profiles),
			realCell(n.Weight), numberCell(n.Methods), numberCell(n.Same)}})
	}
	return t.fill(rows)
}

// misfitTable returns the misfits, the heaviest losses first. A name leads to the moves of its
// points, or to the method if those are not known.
func misfitTable(r *request, f *fitted) (*table, error) {
	t := newTable(r, "misfits", "Profiles that do not fit", column{Key: "method", Name: "Method"},
		column{Key: "state", Name: "State"}, column{Key: "reason", Name: "Why"}, number("confidence", "confidence"),
		number("matched", "points found"), number("points", "of"), number("weight", "events"))
	t.None = "Every profile that could be checked fits."
	var rows []row
	for i, m := range f.Misfits {
		v := &f.found.Misfits[i]
		name := linkTo(m.Spelled(), nameOfMethod, methodQuery(v.Method))
		if len(v.Moves) > 0 {
			name = linkTo(m.Spelled(), nameOfMoves, moveQuery(v))
		}
		rows = append(rows, row{Cells: []cell{linkCell(name), textCell(capital(m.State)), textCell(capital(m.Reason)),
			shareCell(m.Confidence), numberCell(m.Matched), numberCell(m.Points), realCell(m.Weight)}})
	}
	return t.fill(rows), nil
}

// moveQuery returns the query of the page about the moves of a profile.
func moveQuery(v *fit.Verdict) query { return newQuery("at", refText(v.Profile.Ref())) }
