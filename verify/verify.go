// Package verify looks at everything that an archive holds, and says whether it is sound.
//
// Opening and reading check what they touch, and no more. Store checks every page against its sum, and then
// compares redundant facts of the archive: ids against keys, orders, the index against the
// records, the relocation bitmaps against the entries, every reference against the places at which records
// begin, and the header's counts against the records. No reader and no command refuses
// an archive that Store takes for sound.
//
// An archive is first looked at as a whole and fast: one pass over its bytes, by several
// goroutines, shows that it is sound, or gives up (see proof). Only then each part is
// looked at by itself, so that problems are named in the order of the parts. They are
// collected, not only the first: see [Report]. A damaged page can show as several of them.
package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/format/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// MaxProblems is how many problems a report lists at most.
const MaxProblems = 20

// A Report has the counts of an archive and its problems.
type Report struct {
	Bytes   int64          // of the file
	Pages   int64          // whose sums were checked
	Lines   int64          // of the index that were read
	Tables  int            // of ex
	Counts  layout.Counts  // what was found of everything
	Summary layout.Summary // the sums of everything
	// Problems are the first that were found, each with file, region and
	// offset. They match the sentinels of package layout.
	Problems []error
	More     bool // there may be more problems than are listed
}

// Sound reports whether nothing is wrong.
func (r *Report) Sound() bool { return len(r.Problems) == 0 }

// Pages checks every byte against its sum, and nothing else. The error is that
// of ctx; the archive's problems are in the report. progress may be nil.
func Pages(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	c := newCheck(ctx, s)
	err := c.pages(progress)
	return c.report, err
}

// Store checks everything. The error is ctx's; the problems of the
// archive are in the report. progress may be nil and tells of the pages alone.
func Store(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	if prove(ctx, s, progress) {
		return proven(s), nil
	}
	if ctx.Err() != nil {
		return Report{Bytes: s.Header().FileSize}, ctx.Err()
	}
	return examine(ctx, s, progress)
}

// proven returns the report on an archive that is shown to be sound.
func proven(s *reader.Store) Report {
	h := s.Header()
	r := Report{Bytes: h.FileSize, Pages: disk.SumTreeOf(h).Pages(), Counts: h.Counts, Lines: int64(h.Buckets),
		Summary: h.Summary}
	for range s.Tables() {
		r.Tables++
	}
	return r
}

// examine checks an archive slowly, and notes its problems.
func examine(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	c := newCheck(ctx, s)
	if err := c.pages(progress); err != nil {
		return c.report, err
	}
	for _, step := range []func() error{c.symbols, c.types, c.findMethods, c.methods, c.neverRan, c.blocks, c.profiles,
		c.index, c.tables, c.totals} {
		err := s.Mapping().Guard(step)
		if ctx.Err() != nil {
			return c.report, ctx.Err()
		}
		if err == nil {
			continue
		}
		c.cut = true
		if errors.Is(err, errEnough) || c.problem(err) != nil {
			break
		}
	}
	return c.report, nil
}

// A check is one run over an archive.
type check struct {
	ctx      context.Context
	poll     *poll.Poll
	s        *reader.Store
	m        *archive.Mapping
	h        *layout.Header
	shape    disk.Shape
	report   Report
	noted    map[string]bool // problems by their text
	starts   starts
	listText int64 // of the lists of symbols so far
	cut      bool  // a step ended early: what was counted is not all
}

func newCheck(ctx context.Context, s *reader.Store) *check {
	h := s.Header()
	return &check{ctx: ctx, poll: poll.New(ctx), s: s, m: s.Mapping(), h: h, shape: s.Mapping().Shape(),
		noted: map[string]bool{}, starts: newStarts(h), report: Report{Bytes: h.FileSize}}
}

func (c *check) pages(progress func(done, total int64)) error {
	err := c.m.Verify(c.ctx, progress)
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	c.report.Pages = disk.SumTreeOf(c.h).Pages()
	if err != nil {
		_ = c.problem(err) // the first never is one too many
	}
	return nil
}

// errEnough ends a check that has found as many problems as are listed.
var errEnough = errors.New("too many problems")

// problem notes a problem, once.
func (c *check) problem(err error) error {
	err = disk.InFile(err, c.m.Name())
	if c.noted[err.Error()] {
		return nil
	}
	if len(c.report.Problems) == MaxProblems {
		c.report.More = true
		return errEnough
	}
	c.noted[err.Error()] = true
	c.report.Problems = append(c.report.Problems, err)
	return nil
}

// wrong notes that something at an offset of the file is wrong.
func (c *check) wrong(r layout.Region, offset int64, format string, args ...any) error {
	return c.problem(disk.Corrupt(r, offset, "%s", fmt.Sprintf(format, args...)))
}

// interrupted returns the error of ctx, every so many calls.
func (c *check) interrupted() error { return c.poll.Err() }
