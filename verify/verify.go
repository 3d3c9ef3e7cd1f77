// Package verify looks at everything that an archive holds, and says whether it is sound.
//
// Opening and reading check what they touch, and no more. Store checks every page against its sum, and then
// compares redundant facts of the archive: ids against keys, orders, the index against the
// records, the relocation bitmaps against the entries, every reference against the places at which records
// begin, and the header's counts against the records. No reader and no command refuses
// an archive that Store takes for sound.
//
// One walk does all of it, in one pass over the bytes of the archive, which several goroutines share. It stops
// where something is wrong. Then one goroutine walks once more, from end to end, and names the problems, not
// only the first: see [Report]. A record that no reader takes is given to the reader, whose error names its
// defect. A damaged page can show as several problems.
package verify

import (
	"context"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxProblems is how many problems a report lists at most.
const maxProblems = 20

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

// Store checks everything. The error is ctx's; the problems of the
// archive are in the report. progress may be nil and tells of the pages alone.
func Store(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	if m := (*mapped.Mapping)(s.Mapping()); m.Closed() || m.InRanges() { // the walk takes bytes that are there
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

// walkOver walks over an archive once, and reports whether it is shown to be sound. Its problems are in the
// report if they are to be named; without any it is sound too.
func walkOver(ctx context.Context, s *reader.Store, progress func(done, total int64), naming bool) (Report, bool) {
	w := newWalk(ctx, s, progress)
	w.naming = naming
	w.runSteps()
	return w.report(), !w.stopped.Load() && ctx.Err() == nil
}
