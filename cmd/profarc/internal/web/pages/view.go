package pages

import (
	"context"
	"time"

	"github.com/profarc/profarc/reader"
)

// A view is one kind of page. The template with its name displays the result of build.
type view struct {
	name  string // name in addresses, one lower-case word
	title string // title in headings and in the menu
	// offered reports whether a site has data for the view. It may be nil.
	offered func(*Site) bool
	build   func(*request) (any, error)
	// pages returns the queries of the pages in a report. If it is nil, there is one page without a query.
	pages  func(*request) ([]query, error)
	linked bool // not in the menu, but linked from other pages
	both   bool // shows both archives of a site
}

// Names of views that other views link to.
const (
	nameOfMethod    = "method"
	nameOfMethods   = "methods"
	nameOfClasses   = "classes"
	nameOfPollution = "pollution"
	nameOfFlame     = "stacks"
)

var views = []*view{
	overviewView,
	methodsView,
	classesView,
	pollutionView,
	flameView,
	methodView,
	whereView,
	diffView,
	stackPairView,
	pairView,
	fitView,
	movesView,
}

func (s *Site) viewNamed(name string) *view {
	for _, v := range s.offeredViews() {
		if v.name == name {
			return v
		}
	}
	return nil
}

func (s *Site) offeredViews() (list []*view) {
	if s.Other != nil {
		list = append(list, diffView)
	}
	for _, v := range views {
		if v != diffView && (v.offered == nil || v.offered(s)) {
			list = append(list, v)
		}
	}
	return list
}

type request struct {
	ctx   context.Context
	site  *Site
	view  *view
	query query
	// patience is the maximum wait for background results; a negative value means no limit.
	patience time.Duration
	// inReport reports whether the page is for a report, which has more rows per page.
	inReport bool
	page     string // id of the page in the report
	methods  int    // number of methods with pages in the report
}

func (r *request) archive() *reader.Store { return r.site.Archive }
