package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
)

// A diffPage is the page that compares two archives. If Refused is set, they cannot be compared, and the page shows
// only that.
type diffPage struct {
	*compare.Report
	Refused string
	Sampled string // interval of the overlap, "" without one
	InA     link   // link to the overview of each archive
	InB     link
	Lowest  *compare.Overlap // the kind of counts with the least agreement; nil if the score reports it
	Remarks []string
	Lists   []diffList
}

type diffList struct {
	Title string
	Total int
	Shown int
	Rows  *table
}

const changesListed = 500

func comparisonOf(r *request) (*compare.Report, error) {
	return resultOf(r, "the difference of the two archives",
		func(ctx context.Context, s *Site, _ *Progress) (*compare.Report, error) {
			return report.CompareStores(ctx, s.Archive, s.Other, compare.Options{Top: changesListed})
		})
}

func buildDiff(r *request) (any, error) {
	d, err := comparisonOf(r)
	if errors.Is(err, compare.ErrDomains) {
		return &diffPage{Refused: r.withoutFileFolders(err.Error())}, nil
	}
	if err != nil {
		return nil, err
	}
	p := &diffPage{Report: d, InA: overviewOf(r.withoutFileFolders(d.A), sideA),
		InB:    overviewOf(r.withoutFileFolders(d.B), sideB),
		Lowest: report.Lowest(d, percentText)}
	if d.ScoreInterval != nil {
		p.Sampled = report.IntervalText(*d.ScoreInterval)
	}
	for _, text := range report.Remarks(d, realText) {
		p.Remarks = append(p.Remarks, capitalized(r.withoutFileFolders(text))+".")
	}
	l := &diffLists{request: r}
	l.addMethodList("changed", "Methods that changed most", d.Changed)
	l.addMethodList("came", "Methods that came", d.Came)
	l.addMethodList("went", "Methods that went", d.Went)
	l.renumbered(d)
	l.addFlipList(d)
	l.addSiteLists(d)
	l.certainties("sure", "No longer certain", d.NoLongerCertain)
	l.certainties("nowsure", "Certain in B alone", d.NowCertain)
	p.Lists = l.lists
	return p, nil
}

func overviewOf(file, side string) link {
	return linkToPage(file, nameOfOverview, newQuery(keyOfSide, side))
}

func realCell(v float64) cell { return numberCell(realText(v), v) }

// realText formats a count that may exceed 64 bits.
func realText(v float64) string {
	if v < 1<<63 {
		return cli.Grouped(uint64(v))
	}
	return fmt.Sprintf("%.3g", v)
}

// weightCell returns a cell with a share of all counts, which may be very small. Its bar is relative to the largest
// share in the table.
func weightCell(share, most float64) cell {
	c := numberCell(finePercent(share), share)
	if most > 0 {
		part := share / most
		c.Bar = &part
	}
	return c
}

// A diffLists builds the lists of the page.
type diffLists struct {
	request *request
	lists   []diffList
}

func addRankingList[T any](l *diffLists, id, title string, found compare.Ranking[T], columns []column,
	cells func(T) []cell) {
	if found.Total == 0 {
		return
	}
	t := newTable(l.request, id, title, append([]column{textColumn("method", "Method")}, columns...)...)
	t.Titled = true
	for _, one := range found.List {
		t.addTableRow(cells(one)...)
	}
	l.lists = append(l.lists, diffList{title, found.Total, len(found.List), t.finishRows()})
}

func largestShare[T any](found compare.Ranking[T], shares func(T) float64) (most float64) {
	for _, one := range found.List {
		most = max(most, shares(one))
	}
	return most
}

func largerShare(m compare.Method) float64 { return max(m.ShareA, m.ShareB) }

func (l *diffLists) addMethodList(id, title string, found compare.Ranking[compare.Method]) {
	difference := largestShare(found, func(m compare.Method) float64 { return m.Difference })
	share := largestShare(found, largerShare)
	addRankingList(l, id, title, found, []column{numberColumn("difference", "difference"),
		numberColumn("overlap", "own overlap"), numberColumn("share_a", "in A"), numberColumn("share_b", "in B"),
		changeColumn, textColumn("note", "Note")},
		func(m compare.Method) []cell {
			note := ""
			switch {
			case m.Mismatch:
				note = "Other code"
			case m.Hidden:
				note = "Hidden class"
			case m.Noise:
				note = "Within the sampling error"
			}
			change := changeCell(m.ShareB-m.ShareA, m.Noise)
			return []cell{pairCell(m), weightCell(m.Difference, difference), shareCell(m.Overlap), weightCell(m.ShareA, share),
				weightCell(m.ShareB, share), change, textCell(note)}
		})
}

func pairCell(m compare.Method) cell {
	q, ok := pairQuery(m.A, m.B)
	if !ok {
		return textCell(m.Spelled())
	}
	return linkCell(linkToPage(m.Spelled(), nameOfPair, q))
}

func (l *diffLists) renumbered(d *compare.Report) {
	most := largestShare(d.Renumbered, largerShare)
	addRankingList(l, "renumbered", "The same code in a hidden class of another name", d.Renumbered,
		[]column{textColumn("name_b", "Name in B"), numberColumn("share_a", "in A"), numberColumn("share_b", "in B")},
		func(m compare.Method) []cell {
			return []cell{pairCell(m), textCell(m.NameB.Spelled()), weightCell(m.ShareA, most), weightCell(m.ShareB, most)}
		})
}

func (l *diffLists) addFlipList(d *compare.Report) {
	addRankingList(l, "flipped", "Branches that flipped", d.Flips,
		[]column{numberColumn("weight", "weight"), textColumn("a.way", "In A"), numberColumn("a.share", "share"),
			numberColumn("a.count", "of"), textColumn("b.way", "In B"), numberColumn("b.share", "share"),
			numberColumn("b.count", "of")},
		func(f compare.Flip) []cell {
			return []cell{l.siteCell(f.Place), weightCell(f.Weight, d.Flips.List[0].Weight), textCell(f.A.Way),
				shareCell(f.A.Share), countCell(f.A.Count), textCell(f.B.Way), shareCell(f.B.Share), countCell(f.B.Count)}
		})
}

func (l *diffLists) addSiteLists(d *compare.Report) {
	columns := []column{numberColumn("weight", "weight"), textColumn("kind", "Site"), textColumn("change", "Change"),
		textColumn("new", "New in B"), textColumn("gone", "Only in A")}
	for _, side := range []string{"a", "b"} {
		columns = append(columns, textColumn(side+".top", "Mostly in "+strings.ToUpper(side)),
			numberColumn(side+".top_share", "share"), numberColumn(side+".count", "of"),
			numberColumn(side+".targets", "of types"))
	}
	columns = append(columns, numberColumn("a.untyped", "not recorded in A"),
		numberColumn("b.untyped", "not recorded in B"))
	a := l.request.site.Archive
	b := l.request.site.Other
	addRankingList(l, "sites", "Sites that see other types or targets", d.Sites, columns,
		func(s compare.SiteChange) []cell {
			return slices.Concat([]cell{l.siteCell(s.Place), weightCell(s.Weight, d.Sites.List[0].Weight),
				textCell(capitalized(report.SiteText(s.Kind))), textCell(capitalized(s.Change)),
				l.targetsCell(b, s.New), l.targetsCell(a, s.Gone)},
				l.outcomeCells(a, s.A), l.outcomeCells(b, s.B), []cell{countCell(s.A.Untyped), countCell(s.B.Untyped)})
		})
}

func (l *diffLists) outcomeCells(of *reader.Store, s compare.Seen) []cell {
	return []cell{textCell(l.targetText(of, s.Type, s.Top)), shareCell(s.Share), countCell(s.Count), countCell(s.Targets)}
}

func (l *diffLists) targetsCell(of *reader.Store, found []compare.Target) cell {
	return textCell(lists.Join(found, ", ", func(t compare.Target) string {
		return l.targetText(of, t.Type, t.Target) + " " + percentText(t.Share)
	}))
}

// targetText returns a type as on other pages, or the name of a target that is not a type.
func (l *diffLists) targetText(of *reader.Store, t reader.Type, named string) string {
	if !t.Valid() {
		return display.Spelling{}.Function(named)
	}
	text, err := typeRecordText(of, t)
	l.request.noteError(err)
	return text
}

func (l *diffLists) certainties(id, title string, found compare.Ranking[compare.Certainty]) {
	addRankingList(l, id, title, found, []column{numberColumn("weight", "weight"), textColumn("always", "Always"),
		numberColumn("times", "times"), numberColumn("others", "otherwise"), numberColumn("count", "of")},
		func(c compare.Certainty) []cell {
			others := textCell("Null seen")
			if c.Others != nil {
				others = countCell(*c.Others)
			}
			return []cell{l.siteCell(c.Place), weightCell(c.Weight, found.List[0].Weight), textCell(c.Always),
				countCell(c.Times), others, countCell(c.Count)}
		})
}

func (l *diffLists) siteCell(found compare.Place) cell {
	a, errA := found.A.Method()
	b, errB := found.B.Method()
	l.request.noteError(cmp.Or(errA, errB))
	callers := l.request.callersText(found.A, analyze.MethodName.Spelled)
	text := fmt.Sprintf("%s @%d", found.Spelled(), found.Point)
	if callers != "" {
		text += " < " + callers
	}
	q, ok := pairQuery(a, b)
	if !ok {
		return textCell(text)
	}
	return linkCell(linkToPage(text, nameOfPair, q).atElement(pointElement(found.Point)))
}

// pairQuery returns the query of the page that compares a method in both archives. ok is false if neither has it.
func pairQuery(a, b reader.Method) (q query, ok bool) {
	if a.Valid() {
		q = q.withValues("a", recordRefText(a.Ref()))
	}
	if b.Valid() {
		q = q.withValues("b", recordRefText(b.Ref()))
	}
	return q, a.Valid() || b.Valid()
}

// Jump returns a link to the list on the same page.
func (l diffList) Jump() link { return l.Rows.linkWithValue(l.Title, ".page", "").atElement(l.Rows.ID) }
