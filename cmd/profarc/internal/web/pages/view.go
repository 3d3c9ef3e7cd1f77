package pages

import (
	"context"
	"time"

	"github.com/profarc/profarc/reader"
)

// A view is one kind of page. The template of its name shows what build returns.
type view struct {
	name  string // in addresses: one word in lower case
	title string // in headings and in the menu
	about string // one sentence on what the page tells
	// offered reports whether a site has what the view shows; nil if every site has.
	offered func(*Site) bool
	// build gathers what a page shows.
	build func(*request) (any, error)
	// pages returns the queries whose pages a report holds; nil for the one page without a query.
	pages  func(*request) ([]query, error)
	linked bool // it is not in the menu: other pages lead to it
	both   bool // of the two archives of a site, not of one of them
}

// Names of views that others lead to.
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
	linesView,
	pollutionView,
	deoptimisedView,
	flameView,
	methodView,
	whereView,
	diffView,
	stackPairView,
	pairView,
	fitView,
	movesView,
	rowsView,
}

// viewNamed returns the view of a name that a site offers, nil if there is none.
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

// A request asks for one page.
type request struct {
	ctx   context.Context
	site  *Site
	view  *view
	query query
	// patience is how long the page may wait for what gather computes; negative for without an end.
	patience time.Duration
	// inReport reports whether the page is for a report, which has more rows at once.
	inReport bool
	page     string        // the id of the page there
	report   ReportOptions // of that report
}

// archive returns the archive that most views show.
func (r *request) archive() *reader.Store { return r.site.Archive }
