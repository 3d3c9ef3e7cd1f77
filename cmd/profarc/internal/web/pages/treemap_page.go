package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
)

type wherePage struct {
	Name    string // name of the package or class; empty for the archive
	Back    *link  // page of the parent
	By      []menuItem
	Code    []menuItem
	Measure string
	Noun    string // unit of the counts
	About   string
	Total   uint64
	Sum     string  // Total with its unit
	Share   float64 // share of Whole
	Whole   string  // the archive, or the file for sizes
	part    string  // key of the displayed part
	Classes *link   // list of all classes, or nil
	Maps    []*treemap
	Places  *table
}

func (p *wherePage) title() string { return cmp.Or(p.Name, p.Heading()) }

// Heading names the measure of the areas.
func (p *wherePage) Heading() string { return whereTitle + " by " + p.Measure }

// Queries identify packages and classes by number, because names can be long or invalid text.
const (
	inPackage = "p"
	inClass   = "c"
)

func buildWhere(r *request) (any, error) {
	v, err := treemapViewOf(r)
	if err != nil {
		return nil, err
	}
	return newWherePage(r, v.tally, v.packageIndex)
}

// A treemapView gathers the data of a wherePage.
type treemapView struct {
	*tally
	*packageIndex
	by   *measured
	asks *request
}

// treemapViewOf returns a view without a measure, once the methods are counted and indexed.
func treemapViewOf(r *request) (*treemapView, error) {
	t, err := tallyOf(r)
	if err != nil {
		return nil, err
	}
	where, err := packageIndexOf(r)
	return &treemapView{tally: t, packageIndex: where, asks: r}, err
}

func newWherePage(r *request, t *tally, where *packageIndex) (*wherePage, error) {
	v := &treemapView{t, where, t.measureNamed(r.query.valueOf("by")), r}
	if v.by == nil {
		return nil, fmt.Errorf("%w: it has no counts", errNoPage)
	}
	p := &wherePage{Measure: v.by.Name, Noun: v.by.Noun, About: v.by.About, Code: r.codeChoices()}
	groups, err := v.branchesAt(r, p, r.query.valueOf("at"))
	if err != nil {
		return nil, err
	}
	for at := ""; r.query.valueOf("at") == "" && len(groups) == 1 && !groups[0].isMethod; {
		if at == groups[0].link.query.valueOf("at") {
			break
		}
		at = groups[0].link.query.valueOf("at") // a single box would fill the map
		groups, err = v.branchesAt(r, p, at)
		if err != nil {
			return nil, err
		}
		p.Back = nil
	}
	for _, m := range t.measures {
		q := newQuery("at", r.query.valueOf("at"), "by", m.Name, keyOfCode, r.query.valueOf(keyOfCode))
		p.By = append(p.By, menuItem{linkToPage(m.Title, whereName, q), m == v.by})
	}
	for _, g := range groups {
		p.Total = schema.AddCounts(p.Total, g.value)
	}
	whole := v.by.total
	p.Whole = "the archive"
	if v.by.Name == "size" {
		p.Whole, whole = "the file", uint64(r.archive().Header().FileSize)
	}
	p.Sum, p.Share = v.by.valueText(p.Total), cli.Share(p.Total, whole)
	label := fmt.Sprintf("Areas are %s. The table below says the same.", v.by.Noun)
	parts := mostParts
	if r.inReport {
		parts = partsInReport
	}
	p.Maps = newTreemaps(treemap{Label: label, of: p.Total, amount: v.by.valueText, all: r.linkToElement("", "where")},
		groups, parts)
	if hasPackages(r.site) {
		p.Classes = linkToPage("All classes", nameOfClasses, query{}).optional()
	}
	p.Places = v.groupTable(r, p, groups, whole)
	return p, nil
}

// branchesAt returns the packages, the classes of a package, or the methods of a class.
func (v *treemapView) branchesAt(r *request, p *wherePage, at string) ([]branch, error) {
	if at == "" {
		p.part = "all profiles"
		return v.packagesBy(r)
	}
	n, err := strconv.ParseUint(at[1:], 10, 31)
	kind := at[:1]
	switch {
	case err == nil && kind == inPackage && n < uint64(len(v.packages)):
		p.part = "the package"
		p.Name, p.Back = v.packageName(int32(n)), v.linkToPart("All packages", "").optional()
		return v.branches(r.ctx, v.groupInPackage(int32(n)))
	case err == nil && kind == inClass && n < uint64(len(v.classes)):
		in := v.classes[n].in
		p.part = "the class"
		p.Name, p.Back = v.className(int32(n)), v.linkToPart(v.packageName(in), inPackage+strconv.Itoa(int(in))).optional()
		return v.branches(r.ctx, v.groupInClass(int32(n)))
	}
	return nil, errNoPage
}

// packagesBy returns the packages with their classes. It keeps them, since they take half of the time of a page in a
// large archive, and many pages need them.
func (v *treemapView) packagesBy(r *request) ([]branch, error) {
	if r.query.valueOf(keyOfCode) != "" {
		return v.branches(r.ctx, v.groupByPackage)
	}
	return resultOf(r, "the packages by "+v.by.Name, func(ctx context.Context, _ *Site, _ *Progress) ([]branch, error) {
		return v.branches(ctx, v.groupByPackage)
	})
}

func (v *treemapView) linkToPart(text, at string) link {
	return linkToPage(text, whereName, newQuery("at", at, "by", v.by.Name, keyOfCode, v.asks.query.valueOf(keyOfCode)))
}

func (v *treemapView) packageName(n int32) string {
	name := v.packages[n].Name
	switch d := v.store.Header().Domain; {
	case name != "":
		return name
	case d.LLVM():
		return "global functions"
	case d == layout.DomainSampled:
		return "without a package"
	}
	return "the unnamed package"
}

func (v *treemapView) className(n int32) string {
	in := v.packages[v.classes[n].in].Name
	switch d := v.store.Header().Domain; {
	case in == "":
		return v.bareClassName(n)
	case d.LLVM():
		return in + "::" + v.bareClassName(n)
	}
	return in + "." + v.bareClassName(n)
}

func (v *treemapView) bareClassName(n int32) string {
	return display.Spelling{}.Type(v.store.Header().Domain, v.classes[n].Name)
}

// A grouping returns the group of a method and the part within the group. ok is false if the method is outside of the
// displayed part. Methods are numbered as in the tally.
type grouping func(method int32) (group, part groupKey, ok bool)

type groupKey struct {
	kind string // empty for a method
	n    int32
}

func (v *treemapView) groupByPackage(m int32) (group, part groupKey, ok bool) {
	class := v.ofMethod[m]
	return groupKey{inPackage, v.classes[class].in}, v.groupKeyOf(class, m), true
}

func (v *treemapView) groupInPackage(n int32) grouping {
	return func(m int32) (group, part groupKey, ok bool) {
		class := v.ofMethod[m]
		return v.groupKeyOf(class, m), groupKey{"", m}, v.classes[class].in == n
	}
}

func (v *treemapView) groupInClass(n int32) grouping {
	return func(m int32) (group, part groupKey, ok bool) {
		return groupKey{"", m}, groupKey{"", m}, v.ofMethod[m] == n
	}
}

// groupKeyOf returns the key of a class, or of the method if the class has no name.
func (v *treemapView) groupKeyOf(class, method int32) groupKey {
	if v.classes[class].Name == "" {
		return groupKey{"", method}
	}
	return groupKey{inClass, class}
}

const mostNamed = 2000

// branches returns the groups and their parts, the heaviest first. Groups beyond the limit become one branch at the
// end.
func (v *treemapView) branches(ctx context.Context, in grouping) ([]branch, error) {
	steps := poll.New(ctx)
	parts := map[groupKey]map[groupKey]uint64{}
	sums := map[groupKey]uint64{}
	for _, m := range v.by.ranked {
		if err := steps.Err(); err != nil {
			return nil, err
		}
		g, p, ok := in(m)
		if !ok || !v.isOfCode(v.asks, v.ofMethod[m]) {
			continue
		}
		if g != p {
			if parts[g] == nil {
				parts[g] = map[groupKey]uint64{}
			}
			parts[g][p] = schema.AddCounts(parts[g][p], v.by.values[m])
		}
		sums[g] = schema.AddCounts(sums[g], v.by.values[m])
	}
	list, keys, err := v.heaviestGroups(sums, mostNamed, true)
	for i, key := range keys {
		list[i].of = len(parts[key])
		if i < mostGroups && err == nil {
			list[i].parts, _, err = v.heaviestGroups(parts[key], mostParts, false)
		}
	}
	return list, err
}

// heaviestGroups returns the heaviest groups with their names, and their keys. The others become one branch at the end.
func (v *treemapView) heaviestGroups(sums map[groupKey]uint64, most int, long bool) (list []branch, keys []groupKey,
	err error) {
	order := slices.SortedFunc(maps.Keys(sums), func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.kind, b.kind), cmp.Compare(a.n, b.n))
	})
	keys = order[:min(most, len(order))]
	for _, key := range keys {
		l, err := v.linkToGroup(key, long)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, branch{link: l, value: sums[key], isMethod: key.kind == "", method: key.n})
	}
	var rest branch
	for _, key := range order[len(keys):] {
		rest.rest, rest.value = rest.rest+1, schema.AddCounts(rest.value, sums[key])
	}
	if rest.rest > 0 {
		list = append(list, rest)
	}
	return list, keys, nil
}

// linkToGroup returns a link to a package, class or method. A long name of a method includes its class.
func (v *treemapView) linkToGroup(key groupKey, long bool) (link, error) {
	switch key.kind {
	case inPackage:
		return v.linkToPart(v.packageName(key.n), inPackage+strconv.Itoa(int(key.n))), nil
	case inClass:
		return v.linkToPart(v.bareClassName(key.n), inClass+strconv.Itoa(int(key.n))), nil
	}
	l, err := v.linkToMethod(key.n)
	if long || err != nil {
		return l, err
	}
	m, err := v.store.MethodAt(v.methods[key.n])
	if err != nil {
		return l, err
	}
	name, err := m.Name()
	l.Text = strings.TrimPrefix(name.String(), v.packages[v.classes[v.ofMethod[key.n]].in].Name+".")
	if v.store.Header().Domain.LLVM() {
		l.Text = scopes.Function(l.Text)
	}
	return l, err
}

func (v *treemapView) groupTable(r *request, p *wherePage, groups []branch, whole uint64) *table {
	value := numberColumn("value", v.by.Title)
	if v.by.Name == "size" {
		value.Unit = "bytes"
	}
	columns := []column{{Key: "name", Name: "Name"}, value, numberColumn("whole", "Share of "+p.Whole)}
	if p.Total != whole {
		columns = slices.Insert(columns, 2, numberColumn("share", "Share of "+p.part))
	}
	methods := !slices.ContainsFunc(groups, func(g branch) bool { return !g.isMethod && g.rest == 0 })
	if !methods {
		columns = append(columns, numberColumn("parts", "Parts"))
	} else {
		columns = withLevel(v.tally, columns, levelColumn)
	}
	t := newTable(r, "where", whereTitle, columns...)
	t.Titled = true
	if r.view.name != whereName {
		t.rows = hotListRows // included in another page
	}
	for _, g := range groups {
		if g.rest > 0 {
			g.link.Text = cli.Grouped(uint64(g.rest)) + " more"
		}
		cells := []cell{linkCell(g.link), amountCell(g.value, v.by.Noun), shareCell(cli.Share(g.value, whole))}
		if p.Total != whole {
			cells = slices.Insert(cells, 2, shareCell(cli.Share(g.value, p.Total)))
		}
		if !methods {
			cells = append(cells, countCell(g.of))
		} else if g.rest > 0 {
			cells = withLevel(v.tally, cells, noNumber)
		} else {
			cells = withLevel(v.tally, cells, v.levelCell(g.method))
		}
		t.addTableRow(cells...)
	}
	return t.finishRows()
}

// Limits of the packages with pages in a report, as their number and their least share of the counts.
const (
	packagesInReport = 12
	shareInReport    = 0.01
)

func whereInReport(r *request) ([]query, error) {
	v, err := treemapViewOf(r)
	if err != nil || len(v.measures) == 0 {
		return nil, err
	}
	var list []query
	for _, v.by = range v.measures {
		list = append(list, v.linkToPart("", "").query)
	}
	v.by = v.measures[0]
	groups, err := v.packagesBy(r)
	for _, g := range groups[:min(packagesInReport, len(groups))] {
		if g.rest == 0 && cli.Share(g.value, v.by.total) >= shareInReport {
			list = append(list, g.link.query)
		}
	}
	return list, err
}
