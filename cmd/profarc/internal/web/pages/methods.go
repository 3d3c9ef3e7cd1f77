package pages

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

type memberList struct {
	Code  []menuItem
	Table *table
}

func buildMethods(r *request) (any, error) {
	t, err := tallyOf(r)
	if err != nil {
		return nil, err
	}
	return listMembers(r, &members{tally: t, noun: "method", n: len(t.methods), link: t.linkToMethod,
		names: methodNamesOf})
}

type members struct {
	*tally
	noun  string
	n     int
	link  func(i int32) (link, error)
	names func(*request) (searchNames, error)
	// byName compares two members by name. It is nil for methods, which the archive sorts by name.
	byName func(a, b int32) int
}

// listMembers returns the list of all members. It builds only the rows of the page, since an archive can have millions.
func listMembers(r *request, m *members) (any, error) {
	columns := []column{textColumn(m.noun, capitalized(m.noun))}
	for k, by := range m.measures {
		columns = append(columns, numberColumn(by.Name, by.Title))
		if k == 0 {
			columns = append(columns, shareColumn)
		}
	}
	t := newTable(r, r.view.name, r.view.title, withLevel(m.tally, columns, levelColumn)...)
	t.Titled = true
	order, err := m.matchingMembers(t)
	if err != nil {
		return nil, err
	}
	fillPage(t, m.n, order, m.memberCells)
	return &memberList{r.codeChoices(), t}, nil
}

func (m *members) memberCells(i int32) ([]cell, error) {
	l, err := m.link(i)
	cells := []cell{linkCell(l)}
	for k, by := range m.measures {
		cells = append(cells, amountCell(by.values[i], by.Noun))
		if k == 0 {
			cells = append(cells, by.shareCellOf(i))
		}
	}
	return withLevel(m.tally, cells, m.levelCell(i)), err
}

func (m *members) matchingMembers(t *table) ([]int32, error) {
	order := m.sortedMembers(t)
	if t.request.query.valueOf(keyOfCode) != "" {
		where, err := packageIndexOf(t.request)
		if err != nil {
			return nil, err
		}
		order = slices.DeleteFunc(order, func(i int32) bool {
			if m.byName == nil {
				i = where.ofMethod[i]
			}
			return !where.isOfCode(t.request, i)
		})
	}
	if t.Search == "" {
		return order, nil
	}
	names, err := m.names(t.request)
	if err != nil {
		return nil, err
	}
	return names.membersMatching(t.request.ctx, t.search, order)
}

// sortedMembers returns all members in the table's order. Members with equal levels are sorted by the first measure. In
// descending order members without a level come last.
func (m *members) sortedMembers(t *table) []int32 {
	key := t.sortedKey()
	if len(m.measures) > 0 && key != m.noun && key != levelColumn.Key {
		return m.measureNamed(key).methodsByValue(key != "" && !t.falling)
	}
	order := make([]int32, m.n)
	for i := range order {
		order[i] = int32(i)
	}
	switch {
	case key == levelColumn.Key:
		if len(m.measures) > 0 {
			order = m.measures[0].methodsByValue(false)
		}
		sortStable(order, t.falling, func(a, b int32) int { return cmp.Compare(m.levelCell(a).Value, m.levelCell(b).Value) })
	case key == m.noun && m.byName != nil:
		sortStable(order, t.falling, m.byName)
	case t.falling:
		slices.Reverse(order)
	}
	return order
}

func (by *measured) methodsByValue(lowestFirst bool) []int32 {
	order := slices.Clone(by.ranked)
	for i, n := range by.values {
		if n == 0 {
			order = append(order, int32(i))
		}
	}
	if lowestFirst {
		slices.Reverse(order)
	}
	return order
}

func (t *tally) methodName(i int32) (analyze.MethodName, error) {
	m, err := t.store.MethodAt(t.methods[i])
	if err != nil {
		return analyze.MethodName{}, err
	}
	return analyze.NameOf(t.store, m)
}

func (t *tally) linkToMethod(i int32) (link, error) {
	name, err := t.methodName(i)
	return linkToPage(name.Spelled(), nameOfMethod, newQuery("at", recordRefText(t.methods[i]))), err
}

func hasPackages(s *Site) bool {
	d := s.Archive.Header().Domain
	return !d.LLVM() && d != layout.DomainSampled
}

type classTally struct {
	*treemapView
	sums *tally
}

func buildClasses(r *request) (any, error) {
	v, err := treemapViewOf(r)
	if err != nil {
		return nil, err
	}
	c, err := resultOf(r, "the counts of all classes",
		func(ctx context.Context, _ *Site, _ *Progress) (*classTally, error) { return newClassTally(ctx, v) })
	if err != nil {
		return nil, err
	}
	return listMembers(r, &members{tally: c.sums, noun: "class", n: len(c.classes), link: c.linkToClass,
		names: c.classNamesOf, byName: func(a, b int32) int { return strings.Compare(c.className(a), c.className(b)) }})
}

func newClassTally(ctx context.Context, v *treemapView) (*classTally, error) {
	c := &classTally{v, &tally{}}
	for _, by := range v.tally.measures {
		if by.Name == "cycles" || by.Name == "total" {
			continue // includes callees
		}
		c.by = cmp.Or(c.by, by)
		c.addMeasure(by, by.values)
	}
	each := make([]uint64, len(v.ofMethod))
	for i := range each {
		each[i] = 1
	}
	c.addMeasure(&measured{Name: "methods", Title: "Methods"}, each)
	return c, c.sums.rankMethods(ctx)
}

func (c *classTally) addMeasure(by *measured, values []uint64) {
	sums := make([]uint64, len(c.classes))
	for i, n := range values {
		class := c.ofMethod[i]
		sums[class] = schema.AddCounts(sums[class], n)
	}
	of := &measured{Name: by.Name, Title: by.Title, Noun: by.Noun}
	for _, n := range sums {
		of.appendValue(n)
	}
	c.sums.measures = append(c.sums.measures, of)
}

// linkToClass returns a link to the page of a class. A class without a name has no page, and gets plain text.
func (c *classTally) linkToClass(class int32) (link, error) {
	if c.by == nil || c.classes[class].Name == "" {
		return link{Text: c.className(class)}, nil
	}
	return c.linkToPart(c.className(class), inClass+strconv.Itoa(int(class))), nil
}

func (c *classTally) classNamesOf(r *request) (searchNames, error) {
	read := func(context.Context, *Site, *Progress) (n searchNames, _ error) {
		for i := range c.classes {
			n.addMember(match.Fold(c.className(int32(i))), match.Fold(c.classes[i].Name))
		}
		return n, nil
	}
	return resultOf(r, "the names of all classes", read)
}
