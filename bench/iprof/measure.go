package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/formats/iprof"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// measure prints the rows of one profile.
func (b *bench) measure(name, path string) error {
	archive := path + ".parc"
	if err := importFile(path, archive); err != nil {
		return err
	}
	if err := sizes(name, path, archive); err != nil {
		return err
	}
	if err := b.firstAnswer(name, path, archive); err != nil {
		return err
	}
	return b.importing(name, path, archive)
}

// sizes compares the archive with the JSON, plain and compressed.
func sizes(name, path, archive string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var packed counter
	z := gzip.NewWriter(&packed)
	plain, err := io.Copy(z, f)
	if err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	info, err := os.Stat(archive)
	if err != nil {
		return err
	}
	ours := float64(info.Size()) / 1e6
	printRow(name, "size", "%.1f MB", ours, float64(plain)/1e6)
	printRow(name, "size, JSON in gzip", "%.1f MB", ours, float64(packed)/1e6)
	return nil
}

// A counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// opensPerTurn is the number of times that the archive is opened in one turn, each
// time for another query: one is too short to be timed alone.
const opensPerTurn = 51

// firstAnswer compares the time from nothing to the first answer.
func (b *bench) firstAnswer(name, path, archive string) error {
	f, err := decode(path)
	if err != nil {
		return err
	}
	queries, err := f.queries(opensPerTurn)
	if err != nil {
		return err
	}
	f = nil
	costs, err := turns.Take(b.rounds,
		func() (turns.Cost, error) { return openingTurn(archive, queries) },
		func() (turns.Cost, error) {
			q := &queries[0]
			return timed(func() error {
				f, err := decode(path)
				if err != nil {
					return err
				}
				return q.check(f.answer(q))
			})
		})
	if err != nil {
		return err
	}
	printRow(name, "to the first answer", "%.3f ms", milliseconds(costs[0].Wall), milliseconds(costs[1].Wall))
	return nil
}

// openingTurn returns the median time from nothing to the answer of a query.
func openingTurn(archive string, queries []query) (turns.Cost, error) {
	runtime.GC() // unmaps archives
	var times []time.Duration
	for i := range queries {
		q := &queries[i]
		begin := time.Now()
		count, err := openAndAnswer(archive, q)
		times = append(times, time.Since(begin))
		if err == nil {
			err = q.check(count)
		}
		if err != nil {
			return turns.Cost{}, err
		}
	}
	return turns.Cost{Wall: turns.Median(times)}, nil
}

func (q *query) check(count uint64) error {
	if count != q.count {
		return fmt.Errorf("%s was called %d times, not %d", q.frames[0].key.Name, q.count, count)
	}
	return nil
}

// importing compares reading the JSON and writing an archive with only reading
// the JSON.
func (b *bench) importing(name, path, archive string) error {
	costs, err := turns.Take(b.rounds,
		func() (turns.Cost, error) { return timed(func() error { return importFile(path, archive) }) },
		func() (turns.Cost, error) { return timed(func() error { _, err := decode(path); return err }) })
	if err != nil {
		return err
	}
	printRow(name, "import, decoding", "%.0f ms", milliseconds(costs[0].Wall), milliseconds(costs[1].Wall))
	return nil
}

// timed returns the time that f takes, on a heap without garbage.
func timed(f func() error) (turns.Cost, error) {
	runtime.GC()
	begin := time.Now()
	err := f()
	return turns.Cost{Wall: time.Since(begin)}, err
}

// printRow prints two figures and their ratio.
func printRow(name, what, format string, ours, theirs float64) {
	fmt.Printf("| %s: %s | "+format+" | "+format+" | %s |\n", name, what, ours, theirs, ratio(ours/theirs))
}

func ratio(r float64) string {
	if r < 0.1 {
		return fmt.Sprintf("1/%.0f", 1/r)
	}
	return fmt.Sprintf("%.1f", r)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// importFile makes an archive of a profile. A loss is an error.
func importFile(path, out string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b, report, err := iprof.Read(f, iprof.ReadOptions{Name: path})
	if err != nil {
		return err
	}
	if len(report.Lost) > 0 || report.Odd > 0 {
		return fmt.Errorf("%s: %d items are odd, lost are %v", path, report.Odd, report.Lost)
	}
	_, err = b.Commit(context.Background(), out)
	return err
}

// openAndAnswer opens an archive, answers one query, and closes it.
func openAndAnswer(path string, q *query) (uint64, error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return 0, err
	}
	count, err := answer(s, q)
	return count, errors.Join(err, s.Close())
}

// answer finds the methods of a query, then the profile in that context.
func answer(s *reader.Store, q *query) (uint64, error) {
	m, err := s.Find(q.frames[0].key)
	if err != nil {
		return 0, err
	}
	frames := make([]reader.Frame, 0, len(q.frames))
	for _, p := range q.frames[1:] {
		caller, err := s.Find(p.key)
		if err != nil {
			return 0, err
		}
		frames = append(frames, reader.Frame{Caller: caller, Point: p.point})
	}
	p, _, err := m.Profile(layout.CodeAny, frames...)
	if err != nil {
		return 0, err
	}
	c, _ := p.Invocations()
	return c.Load(), nil
}
