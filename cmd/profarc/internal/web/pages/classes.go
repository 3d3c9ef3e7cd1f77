package pages

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

var classesView = &view{
	name:    nameOfClasses,
	title:   "Classes",
	about:   "All classes of all packages, by the sums of their methods.",
	offered: hasPackages,
	build:   buildClasses,
}

func hasPackages(s *Site) bool {
	d := s.Archive.Header().Domain
	return !d.LLVM() && d != layout.DomainSampled
}

// A classTally has the values of all classes, for each additive measure of methods.
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

func (c *classTally) classNamesOf(r *request) (*searchNames, error) {
	read := func(context.Context, *Site, *Progress) (*searchNames, error) {
		n := &searchNames{}
		for i := range c.classes {
			n.addMember(c.className(int32(i)), c.classes[i].Name)
		}
		n.dropNumbers()
		return n, nil
	}
	return resultOf(r, "the names of all classes", read)
}
