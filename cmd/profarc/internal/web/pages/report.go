package pages

import (
	"context"
	"io"
)

// ReportOptions select the content of a report.
type ReportOptions struct {
	// Methods is the number of methods with pages, the hottest ones.
	Methods int
}

// WriteReport writes a report, which is a self-contained HTML file with pages of the site. The same archives give the
// same bytes. A report has the pages of the menu and of the hottest methods. Links to other pages are plain text.
// progress, if not nil, is called with the number of pages written and the number of all pages.
func (s *Site) WriteReport(ctx context.Context, w io.Writer, o ReportOptions, progress func(done, total int)) error {
	requests, err := s.reportRequests(ctx, o)
	if err != nil {
		return err
	}
	held := reportLinks{}
	for _, r := range requests {
		held.assignPageID(r)
	}
	t, err := newSideTemplates(held, s.Archive.Header().Domain)
	if err != nil {
		return err
	}
	d := &document{Title: s.archiveNames(), Site: s.archiveNames(), Policy: contentPolicy("'none'"),
		Menu: s.menuItems(nil)}
	return writeDocument(w, t.a, d, func(yield func(*shownPage) error) error {
		for i, r := range requests { // one by one, to limit memory
			p, err := renderPage(t.templatesOf(r.site), r)
			if err != nil {
				return err
			}
			if progress != nil {
				progress(i+1, len(requests))
			}
			if err := yield(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// reportRequests returns the requests for all pages of a report, in the report's order.
func (s *Site) reportRequests(ctx context.Context, o ReportOptions) (list []*request, err error) {
	for _, side := range s.sitesOfArchives() {
		more, err := side.requestsOfSide(ctx, o)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, ctx.Err()
}

// requestsOfSide returns the requests for the pages of one archive. The requests of A include the pages of both.
func (s *Site) requestsOfSide(ctx context.Context, o ReportOptions) (list []*request, err error) {
	side := ""
	if s.isB {
		side = sideB
	}
	for _, v := range s.offeredViews() {
		if s.isB && v.both {
			continue
		}
		one := request{ctx: ctx, site: s, view: v, patience: -1, inReport: true, report: o}
		queries := []query{{}}
		if v.pages != nil {
			queries, err = v.pages(&one)
			if err != nil {
				return nil, err
			}
		}
		for _, q := range queries {
			r := one
			r.query = q.withValues(keyOfSide, side)
			list = append(list, &r)
		}
	}
	return list, ctx.Err()
}
