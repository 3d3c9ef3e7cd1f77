// Package verify checks everything in an archive.
//
// Opening and reading an archive check only the bytes that they use. [Store] verifies the checksum of every page, and
// compares the redundant parts of the archive. IDs must match keys, records must be sorted, and the index must lead to
// each record. The relocation bitmaps must match the entries, every reference must lead to the start of a record, and
// the header's counts must match the records. The reader and all commands accept an archive without problems.
//
// Several goroutines share one pass over the bytes, which stops at the first problem. If there is one, a single
// goroutine then checks the archive from end to end and collects problems in a [Report]. If a record is malformed, the
// report has the reader's error for it. A damaged page can cause several problems.
package verify

import (
	"context"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const maxProblems = 20

// A Report has the counts of an archive and its problems.
type Report struct {
	Bytes   int64          // size of the file
	Pages   int64          // number of pages whose checksums were verified
	Lines   int64          // number of index lines
	Tables  int            // number of tables in region ex
	Counts  layout.Counts  // counts computed from the records
	Summary layout.Summary // totals and maxima computed from the records
	// Problems are the first 20 problems, ordered by phase of the check and by offset. Each names file, region and
	// offset, and matches an error of package layout.
	Problems []error
	More     bool // there may be further problems
}

// Sound reports whether the check found no problem.
func (r *Report) Sound() bool { return len(r.Problems) == 0 }

// Pages verifies only the checksums. It returns an error only if ctx ends; problems of the archive are in the report.
// progress may be nil.
func Pages(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	r := Report{Bytes: s.Header().FileSize}
	err := s.Mapping().Verify(ctx, progress)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.Pages = disk.SumTreeOf(s.Header()).Pages()
	if err != nil {
		r.Problems = []error{err}
	}
	return r, nil
}

// Store checks everything. It returns an error only if ctx ends; problems of the archive are in the report. progress
// gets the number of bytes of verified pages and the size of the file. It may be nil.
func Store(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	if m := (*mapped.Mapping)(s.Mapping()); m.Closed() || m.InRanges() { // the walk needs all bytes
		if r, err := Pages(ctx, s, nil); err != nil || !r.Sound() {
			return r, err
		}
	}
	r, sound := walkOver(ctx, s, progress, false)
	if !sound && ctx.Err() == nil {
		r, _ = walkOver(ctx, s, progress, true)
	}
	if ctx.Err() != nil {
		return Report{Bytes: s.Header().FileSize}, ctx.Err()
	}
	return r, nil
}

// walkOver checks an archive once, and reports whether it is sound. If naming is set, the report has the problems.
func walkOver(ctx context.Context, s *reader.Store, progress func(done, total int64), naming bool) (Report, bool) {
	w := newWalk(ctx, s, progress)
	w.naming = naming
	w.runSteps()
	return w.report(), !w.stopped.Load() && ctx.Err() == nil
}
