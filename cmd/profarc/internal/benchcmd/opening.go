package benchcmd

import (
	"os"
	"runtime"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/system/pagecache"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const (
	// firstAccesses is the maximum number of methods to look up in an archive just opened.
	firstAccesses = 1024
	// unmapEvery is the number of opened archives after which they are unmapped.
	unmapEvery = 64
	// maxCold is the maximum number of times to drop the file from the page cache.
	maxCold = 25
)

// measureOpening measures the time from opening to the first hit, and the first hits of many methods.
func (b *bench) measureOpening() error {
	var opens, first series
	err := b.eachRound(shareOpening, func(round int) error {
		if round%unmapEvery == 0 {
			unmapClosed()
		}
		return b.openOnce(min(firstAccesses, len(b.field.keys)), &opens, &first)
	})
	b.report.addRow("id hit, first access", 0, &first, nil)
	b.report.addRow("open to first hit, warm", 0, &opens, nil)
	return err
}

// openOnce opens the archive, looks up one method by key, and n others by id. It records the time to the first hit, and
// the mean time of the others.
func (b *bench) openOnce(n int, opens, others *series) error {
	q := b.field.nextQuery(1+n, false)
	begin := time.Now()
	s, err := reader.Open(b.path, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Mapping().Guard(func() error {
		p, err := s.Profile(q.keys[0], layout.CodeAny)
		if err != nil {
			return err
		}
		sink.Store(counterValue(p))
		opens.addRound(float64(time.Since(begin)))
		begin := time.Now()
		f := &field{store: s}
		if hits, _ := lookUpIDs(f, q.subQuery(1, 1+n)); hits != n {
			return b.wrongAnswer("first access")
		}
		others.addRound(float64(time.Since(begin)) / float64(n))
		return nil
	})
}

// measureColdOpening measures opening with the file out of the page cache.
func (b *bench) measureColdOpening() error {
	if !b.o.cold {
		return nil
	}
	f, err := os.Open(b.path)
	if err != nil {
		return err
	}
	defer f.Close()
	var opens, first series
	err = b.eachRound(shareOpening, func(round int) error {
		unmapClosed()
		if round == maxCold || !pagecache.DropFile(f) {
			return errEnough
		}
		return b.openOnce(1, &opens, &first)
	})
	b.report.addRow("open to first hit, cold", 0, &opens, nil)
	if len(opens.rounds) == 0 {
		b.report.addNote("not measured cold: the file stays in the page cache, or this system does not tell")
	}
	return err
}

func unmapClosed() {
	runtime.GC()
	runtime.GC()
}
