package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/report"
	"github.com/profarc/profarc/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/reader"
)

const nameOfDiff = "diff"

var diffView = &view{
	name:  nameOfDiff,
	title: "What changed",
	about: "How far the two archives agree, and what changed from A to B. A name leads to the points of both, side " +
		"by side.",
	offered: func(s *Site) bool { return s.Other != nil },
	build:   buildDiff,
	both:    true,
}

// A diffPage is what the page about the difference of two archives shows. Refused is why they
// cannot be compared; then it shows nothing else.
type diffPage struct {
	*compare.Report
	Refused string
	InA     link // to the overview of each archive
	InB     link
	Lowest  *compare.Overlap // the kind of counts that agrees least, nil if the score says so
	Remarks []string
	Tallies *table
	Kinds   *table
	Lists   []diffList
}

// A diffList is one of the lists of what changed.
type diffList struct {
	Title, About string
	Total        int
	Shown        int
	Rows         *table
}

// changesListed is how many changes of each kind are listed.
const changesListed = 500

// compared returns the difference of the site's archives.
func compared(r *request) (*compare.Report, error) {
	return gather(r, "the difference of the two archives",
		func(ctx context.Context, s *Site, _ *Progress) (*compare.Report, error) {
			return report.Compare(ctx, s.Archive, s.Other, compare.Options{Top: changesListed})
		})
}

func buildDiff(r *request) (any, error) {
	d, err := compared(r)
	if errors.Is(err, compare.ErrDomains) {
		return &diffPage{Refused: r.place(err.Error())}, nil
	}
	if err != nil {
		return nil, err
	}
	p := &diffPage{Report: d, InA: overviewOf(r.place(d.A), sideA), InB: overviewOf(r.place(d.B), sideB),
		Lowest: report.Lowest(d, percent), Tallies: tallyTable(r, d), Kinds: kindTable(r, d)}
	for _, text := range report.Remarks(d, realText) {
		p.Remarks = append(p.Remarks, capital(r.place(text))+".")
	}
	l := &diffLists{request: r}
	l.methods("changed", "Methods that changed most", "Of both archives, by their part of the missing overlap.", d.Changed)
	l.methods("came", "Methods that came", "Only B has them.", d.Came)
	l.methods("went", "Methods that went", "Only A has them.", d.Went)
	l.renumbered(d)
	l.flips(d)
	l.sites(d)
	l.certainties("sure", "No longer certain",
		"One outcome in A, at least 40 times, and several in B: compiled code that relied on it is discarded.",
		d.NoLongerCertain)
	l.certainties("nowsure", "Certain in B alone",
		"The same the other way round: Always is the outcome in B, and the counts are those of A.", d.NowCertain)
	p.Lists = l.lists
	return p, l.err
}

// overviewOf returns a link to the overview of one archive.
func overviewOf(file, side string) link {
	return linkTo(file, overviewView.name, newQuery(keyOfSide, side))
}

// tallyTable returns how many methods and profiles are in both archives.
func tallyTable(r *request, d *compare.Report) *table {
	t := newTable(r, "tallies", "Methods and profiles", column{Key: "what", Name: "What"}, number("a", "A"),
		number("b", "B"), number("matched", "matched"),
		number("mismatch", "of other code"), number("onlya", "only A"), number("onlyb", "only B"))
	var rows []row
	for _, n := range []struct {
		name string
		compare.Tally
	}{{"methods", d.Methods}, {"profiles", d.Profiles}} {
		rows = append(rows, row{Cells: []cell{textCell(capital(n.name)), numberCell(n.A), numberCell(n.B),
			numberCell(n.Matched), numberCell(n.Mismatch), numberCell(n.OnlyA), numberCell(n.OnlyB)}})
	}
	return t.fill(rows)
}

// kindTable returns how far the counts of each kind agree.
func kindTable(r *request, d *compare.Report) *table {
	t := newTable(r, "kinds", "Counts by kind", column{Key: "kind", Name: "Counts"}, number("overlap", "overlap"),
		number("mismatch", "of other code"), number("onlyb", "only B"), number("suma", "sum A"), number("sumb", "sum B"))
	var rows []row
	for _, k := range d.Kinds {
		rows = append(rows, row{Cells: []cell{textCell(capital(report.KindText(k.Kind))), shareCell(k.Overlap),
			shareCell(k.Mismatch), shareCell(k.OnlyB), sumCell(k.Kind, k.SumA), sumCell(k.Kind, k.SumB)}})
	}
	return t.fill(rows)
}

// number returns a column of numbers.
func number(key, name string) column { return column{Key: key, Name: name, Number: true} }

func numberCell(n int) cell { return countCell(uint64(n)) }

// realCell returns a cell with a count that may be beyond 64 bits.
func realCell(v float64) cell { return cell{Link: link{Text: realText(v)}, Value: v, Number: true} }

// sumCell returns a cell with a sum of counts of a kind, or the time that it is.
func sumCell(kind string, sum float64) cell {
	return cell{Link: link{Text: report.SumText(kind, sum, realText)}, Value: sum, Number: true}
}

// realText spells a count that may be beyond 64 bits.
func realText(v float64) string {
	if v < 1<<63 {
		return cli.Grouped(uint64(v))
	}
	return fmt.Sprintf("%.3g", v)
}

// weightCell returns a cell with a share of all counts, which may be very small, and a bar of
// it beside the most that the table has.
func weightCell(share, most float64) cell {
	c := cell{Link: link{Text: finePercent(share)}, Value: share, Number: true}
	if most > 0 {
		part := share / most
		c.Bar = &part
	}
	return c
}

// directed returns a cell of B that says whether it is more or less than A's.
func directed(c cell, change float64) cell {
	c.Link.Text, c.Class = signOf(change)+c.Link.Text, wayOf(change)
	return c
}

// diffLists makes the lists of a page. It keeps the first error.
type diffLists struct {
	request *request
	lists   []diffList
	err     error
}

// add adds a list, if it has any rows.
func (l *diffLists) add(id, title, about string, total int, columns []column, rows []row) {
	if total == 0 {
		return
	}
	t := newTable(l.request, id, title, append([]column{{Key: "method", Name: "Method"}}, columns...)...)
	t.Titled = true
	l.lists = append(l.lists, diffList{title, about, total, len(rows), t.fill(rows)})
}

func (l *diffLists) methods(id, title, about string, found compare.Ranking[compare.Method]) {
	var rows []row
	difference, share := 0.0, 0.0
	for _, m := range found.List {
		difference, share = max(difference, m.Difference), max(share, m.ShareA, m.ShareB)
	}
	for _, m := range found.List {
		name := textCell(m.Spelled())
		if q, ok := pairQuery(m.A, m.B); ok {
			name.Link = linkTo(m.Spelled(), nameOfPair, q)
		}
		note := ""
		switch {
		case m.Mismatch:
			note = "Other code"
		case m.Hidden:
			note = "Hidden class"
		}
		rows = append(rows, row{Cells: []cell{name, weightCell(m.Difference, difference), shareCell(m.Overlap),
			weightCell(m.ShareA, share), directed(weightCell(m.ShareB, share), m.ShareB-m.ShareA),
			textCell(capital(note))}})
	}
	l.add(id, title, about, found.Total, []column{number("difference", "difference"), number("overlap", "own overlap"),
		number("share_a", "in A"), number("share_b", "in B"), {Key: "note", Name: "Note"}}, rows)
}

func (l *diffLists) renumbered(d *compare.Report) {
	var rows []row
	most := 0.0
	for _, m := range d.Renumbered.List {
		most = max(most, m.ShareA, m.ShareB)
	}
	for _, m := range d.Renumbered.List {
		q, _ := pairQuery(m.A, m.B)
		rows = append(rows, row{Cells: []cell{linkCell(linkTo(m.Spelled(), nameOfPair, q)), textCell(m.NameB.Spelled()),
			weightCell(m.ShareA, most), weightCell(m.ShareB, most)}})
	}
	l.add("renumbered", "The same code in a hidden class of another name",
		"The virtual machine numbers hidden classes, as those of lambdas, in each run: these methods are in neither of "+
			"the lists before, and their counts have no part in the overlap.",
		d.Renumbered.Total, []column{{Key: "name_b", Name: "Name in B"}, number("share_a", "in A"),
			number("share_b", "in B")}, rows)
}

func (l *diffLists) flips(d *compare.Report) {
	var rows []row
	for _, f := range d.Flips.List {
		rows = append(rows, row{Cells: []cell{l.place(f.Place),
			weightCell(f.Weight, d.Flips.List[0].Weight),
			textCell(f.A.Way), shareCell(f.A.Share), countCell(f.A.Count), textCell(f.B.Way), shareCell(f.B.Share),
			countCell(f.B.Count)}})
	}
	l.add("flipped", "Branches that flipped", "They mostly went one way in A, and go another in B.", d.Flips.Total,
		[]column{number("weight", "weight"),
			{Key: "a.way", Name: "In A"}, number("a.share", "share"), number("a.count", "of"), {Key: "b.way", Name: "In B"},
			number("b.share", "share"), number("b.count", "of")}, rows)
}

func (l *diffLists) sites(d *compare.Report) {
	var rows []row
	for _, s := range d.Sites.List {
		cells := []cell{l.place(s.Place), weightCell(s.Weight, d.Sites.List[0].Weight),
			textCell(capital(report.SiteText(s.Kind))), textCell(capital(s.Change)),
			l.targets(l.request.site.Other, s.New), l.targets(l.request.site.Archive, s.Gone)}
		cells = append(cells, l.seen(l.request.site.Archive, s.A)...)
		cells = append(cells, l.seen(l.request.site.Other, s.B)...)
		rows = append(rows, row{Cells: append(cells, countCell(s.A.Untyped), countCell(s.B.Untyped))})
	}
	columns := []column{number("weight", "weight"), {Key: "kind", Name: "Site"}, {Key: "change", Name: "Change"},
		{Key: "new", Name: "New in B"}, {Key: "gone", Name: "Only in A"}}
	for _, side := range []string{"a", "b"} {
		columns = append(columns, column{Key: side + ".top", Name: "Mostly in " + strings.ToUpper(side)},
			number(side+".top_share", "share"), number(side+".count", "of"), number(side+".targets", "of types"))
	}
	columns = append(columns, number("a.untyped", "not recorded in A"), number("b.untyped", "not recorded in B"))
	l.add("sites", "Sites that see other types or targets",
		"Calls, type checks and indirect calls that became polymorphic or monomorphic, or that mostly see another type or "+
			"target.", d.Sites.Total, columns, rows)
}

// seen returns the cells of what a site saw in one archive.
func (l *diffLists) seen(of *reader.Store, s compare.Seen) []cell {
	return []cell{textCell(l.targetText(of, s.Type, s.Top)), shareCell(s.Share), countCell(s.Count), numberCell(s.Targets)}
}

// targets returns a cell with types or targets and their shares.
func (l *diffLists) targets(of *reader.Store, found []compare.Target) cell {
	var texts []string
	for _, t := range found {
		texts = append(texts, l.targetText(of, t.Type, t.Target)+" "+percent(t.Share))
	}
	return textCell(strings.Join(texts, ", "))
}

// targetText returns a type as other pages spell it, or the name of another target.
func (l *diffLists) targetText(of *reader.Store, t reader.Type, named string) string {
	if !t.Valid() {
		return named
	}
	text, err := typeOf(of, t)
	l.err = cmp.Or(l.err, err)
	return text
}

func (l *diffLists) certainties(id, title, about string, found compare.Ranking[compare.Certainty]) {
	var rows []row
	for _, c := range found.List {
		others := textCell("Null seen")
		if c.Others != nil {
			others = countCell(*c.Others)
		}
		rows = append(rows, row{Cells: []cell{l.place(c.Place),
			weightCell(c.Weight, found.List[0].Weight), textCell(c.Always), countCell(c.Times), others, countCell(c.Count)}})
	}
	l.add(id, title, about, found.Total, []column{number("weight", "weight"), {Key: "always", Name: "Always"},
		number("times", "times"), number("others", "otherwise"), number("count", "of")}, rows)
}

// place returns a cell with a link to a point in both archives.
func (l *diffLists) place(found compare.Place) cell {
	a, errA := found.A.Method()
	b, errB := found.B.Method()
	l.err = cmp.Or(l.err, errA, errB)
	callers, err := callersText(found.A, analyze.MethodName.Spelled)
	l.err = cmp.Or(l.err, err)
	text := fmt.Sprintf("%s @%d", found.Spelled(), found.Point)
	if callers != "" {
		text += " < " + callers
	}
	q, ok := pairQuery(a, b)
	if !ok {
		return textCell(text)
	}
	return linkCell(linkTo(text, nameOfPair, q).to(pointElement(found.Point)))
}

// pairQuery returns the query of the page of a method in both archives; ok is false if neither has it.
func pairQuery(a, b reader.Method) (q query, ok bool) {
	if a.Valid() {
		q = q.with("a", refText(a.Ref()))
	}
	if b.Valid() {
		q = q.with("b", refText(b.Ref()))
	}
	return q, a.Valid() || b.Valid()
}

// Jump leads to a list on the page.
func (l diffList) Jump() link { return l.Rows.again(l.Title, ".page", "").to(l.Rows.ID) }
