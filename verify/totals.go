package verify

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/reader"
)

// count adds what a profile has beside entries to the summary.
func (c *check) count(p reader.Profile) {
	n, _ := p.Invocations() // 0 if there is no counter
	s := &c.report.Summary
	s.TotalInvocations = disk.SaturatingAdd(s.TotalInvocations, n.Trained())
	s.MaxInvocations = max(s.MaxInvocations, n.Trained())
}

// add adds the counts of a data entry to the summary. Type checks that fail are
// counted down, and are left out.
func (c *check) add(e disk.Entry) {
	s := &c.report.Summary
	for cell := range c.shape.Counts(e) {
		n := e.Cell(cell)
		if !e.SignedCount() || int64(n) >= 0 {
			s.TotalCount, s.MaxCount = disk.SaturatingAdd(s.TotalCount, n), max(s.MaxCount, n)
		}
	}
}

// totals holds the header's counts and summary against what was found.
func (c *check) totals() error {
	if c.cut {
		return nil
	}
	if got := c.report.Counts; got != c.h.Counts {
		if err := c.wrong(disk.RegionHeader, 0, "counts are %+v, recorded are %+v", got, c.h.Counts); err != nil {
			return err
		}
	}
	if got := c.report.Summary; got != c.h.Summary {
		return c.wrong(disk.RegionHeader, 0, "the summary is %+v, recorded is %+v", got, c.h.Summary)
	}
	return nil
}
