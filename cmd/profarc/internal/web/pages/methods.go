package pages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/analyze"
)

var methodsView = &view{
	name:  nameOfMethods,
	title: "Methods",
	about: "All methods of the archive, by every measure that it has.",
	build: buildMethods,
}

// A methodList is what the page of all methods shows.
type methodList struct {
	Methods *table
	*tally
}

func buildMethods(r *request) (any, error) {
	t, err := tallied(r)
	if err != nil {
		return nil, err
	}
	columns := []column{{Key: "method", Name: "Method"}}
	for _, by := range t.measures {
		columns = append(columns, number(by.Name, by.Title))
	}
	list := newTable(r, "methods", "Methods", withLevel(t, columns, levelColumn)...)
	list.Titled = true
	order, err := t.order(list)
	if err != nil {
		return nil, err
	}
	return &methodList{list, t}, fillPage(list, len(t.methods), order, t.cells)
}

// cells returns the row of a method.
func (t *tally) cells(i int32) ([]cell, error) {
	name, err := t.link(i)
	cells := []cell{linkCell(name)}
	for k, by := range t.measures {
		c := amountCell(by.values[i], by.Noun)
		if k == 0 && by.highest > 0 {
			share := shareOf(by.values[i], by.highest)
			c.Bar = &share
		}
		cells = append(cells, c)
	}
	return withLevel(t, cells, t.level(i)), err
}

// order returns the methods that match the search of a table, in its order. The order
// of the archive is the order of the keys, and so of the names.
func (t *tally) order(list *table) ([]int32, error) {
	var order []int32
	switch {
	case list.sorted != nil && list.sorted.Key == levelColumn.Key:
		order = t.byLevel(list.falling)
	case list.sorted != nil && list.sorted.Number:
		order = t.by(list.sorted.Key).order(!list.falling)
	case list.sorted == nil && len(t.measures) > 0:
		order = t.measures[0].order(false)
	default:
		order = t.all()
		if list.falling {
			slices.Reverse(order)
		}
	}
	if list.Search == "" {
		return order, nil
	}
	names, err := methodNamesOf(list.request)
	if err != nil {
		return nil, err
	}
	return names.having(list.request.ctx, strings.ReplaceAll(list.Search, "/", "."), order)
}

// all returns all methods in the order of the archive.
func (t *tally) all() []int32 {
	all := make([]int32, len(t.methods))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// byLevel returns all methods by their levels, methods of one level by the first measure. Those
// without a level come last of falling ones.
func (t *tally) byLevel(falling bool) []int32 {
	order := t.all()
	if len(t.measures) > 0 {
		order = t.measures[0].order(false)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		if falling {
			a, b = b, a
		}
		return cmp.Compare(t.levels[a], t.levels[b])
	})
	return order
}

// order returns all methods, those with the highest values first, or last.
func (by *measured) order(lowestFirst bool) []int32 {
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

// name returns the name of a method.
func (t *tally) name(i int32) (analyze.MethodName, error) {
	m, err := t.store.MethodAt(t.methods[i])
	if err != nil {
		return analyze.MethodName{}, err
	}
	return analyze.NameOf(t.store, m)
}

// link returns a link to the page of a method.
func (t *tally) link(i int32) (link, error) {
	name, err := t.name(i)
	return linkTo(name.Spelled(), nameOfMethod, newQuery("at", refText(t.methods[i]))), err
}
