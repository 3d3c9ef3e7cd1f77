package pages

import (
	"context"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

var classesView = &view{
	name:    nameOfClasses,
	title:   "Classes",
	about:   "All classes of all packages, by the sums of their methods.",
	offered: hasPackages,
	build:   buildClasses,
}

// hasPackages reports whether the methods of a site are in classes.
func hasPackages(s *Site) bool {
	d := s.Archive.Header().Domain
	return !d.LLVM() && d != layout.DomainSampled
}

// A classList is what the page of all classes shows.
type classList struct{ Classes *table }

// A classTally is the values of all classes, by every measure of methods that adds up.
type classTally struct {
	*placeView
	measures []*measured
}

func buildClasses(r *request) (any, error) {
	v, err := placeViewOf(r)
	if err != nil {
		return nil, err
	}
	c, err := gather(r, "the counts of all classes", func(ctx context.Context, _ *Site, _ *Progress) (*classTally, error) {
		return newClassTally(ctx, v)
	})
	if err != nil {
		return nil, err
	}
	columns := []column{{Key: "class", Name: "Class"}}
	for _, by := range c.measures {
		columns = append(columns, number(by.Name, by.Title))
	}
	list := newTable(r, "classes", "Classes", columns...)
	list.Titled = true
	order, err := c.order(list)
	if err != nil {
		return nil, err
	}
	return &classList{list}, fillPage(list, len(c.classes), order, c.cells)
}

// newClassTally adds the values of methods up.
func newClassTally(ctx context.Context, v *placeView) (*classTally, error) {
	c := &classTally{placeView: v}
	for _, by := range v.tally.measures {
		if by.Name == "cycles" || by.Name == "total" {
			continue // these include what was called
		}
		if c.by == nil {
			c.by = by
		}
		c.add(by, by.values)
	}
	each := make([]uint64, len(v.ofMethod))
	for i := range each {
		each[i] = 1
	}
	c.add(&measured{Name: "methods", Title: "Methods"}, each)
	for _, by := range c.measures {
		if err := by.rank(ctx); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// add adds a measure of methods.
func (c *classTally) add(by *measured, values []uint64) {
	sums := make([]uint64, len(c.classes))
	for i, n := range values {
		class := c.ofMethod[i]
		sums[class] = disk.SaturatingAdd(sums[class], n)
	}
	of := &measured{Name: by.Name, Title: by.Title, Noun: by.Noun}
	for _, n := range sums {
		of.append(n)
	}
	c.measures = append(c.measures, of)
}

// cells returns the row of a class.
func (c *classTally) cells(class int32) ([]cell, error) {
	l := link{Text: c.className(class)}
	if c.by != nil && c.classes[class].Name != "" {
		l = c.linkAt(l.Text, inClass+strconv.Itoa(int(class)))
	}
	cells := []cell{linkCell(l)}
	for _, by := range c.measures {
		cells = append(cells, amountCell(by.values[class], by.Noun))
	}
	return cells, nil
}

// order returns the classes that match the search of a table, in its order.
func (c *classTally) order(list *table) ([]int32, error) {
	by, lowestFirst := c.measures[0], false
	for _, m := range c.measures {
		if list.sorted != nil && list.sorted.Key == m.Name {
			by, lowestFirst = m, !list.falling
		}
	}
	order := by.order(lowestFirst)
	if list.sorted != nil && !list.sorted.Number {
		slices.SortStableFunc(order, func(a, b int32) int {
			if list.falling {
				a, b = b, a
			}
			return compareCells(textCell(c.className(a)), textCell(c.className(b)))
		})
	}
	if list.Search == "" {
		return order, nil
	}
	names, err := gather(list.request, "the names of all classes",
		func(context.Context, *Site, *Progress) (*searchNames, error) {
			n := &searchNames{}
			for i := range c.classes {
				n.add(c.className(int32(i)), c.classes[i].Name)
			}
			n.complete()
			return n, nil
		})
	if err != nil {
		return nil, err
	}
	return names.having(list.request.ctx, list.Search, order)
}
