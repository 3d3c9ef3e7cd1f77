package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/profarc/profarc/bench/turns"
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

// sizes compares the archive with the JSON, as it is and compressed.
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
	row(name, "size", "%.1f MB", ours, float64(plain)/1e6)
	row(name, "size, JSON in gzip", "%.1f MB", ours, float64(packed)/1e6)
	return nil
}

// A counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// opensPerTurn is how often the archive is opened in one turn, each time for
// another question: one is too short to be timed alone.
const opensPerTurn = 51

// firstAnswer compares the time from nothing to the first answer.
func (b *bench) firstAnswer(name, path, archive string) error {
	f, err := decode(path)
	if err != nil {
		return err
	}
	questions, err := f.questions(opensPerTurn)
	if err != nil {
		return err
	}
	f = nil
	costs, err := turns.Take(b.rounds,
		func() (turns.Cost, error) { return turnOfOpening(archive, questions) },
		func() (turns.Cost, error) {
			q := &questions[0]
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
	row(name, "to the first answer", "%.3f ms", milliseconds(costs[0].Wall), milliseconds(costs[1].Wall))
	return nil
}

// turnOfOpening gives the median of answering each question from nothing.
func turnOfOpening(archive string, questions []question) (turns.Cost, error) {
	runtime.GC() // lets go of mappings
	var times []time.Duration
	for i := range questions {
		q := &questions[i]
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

func (q *question) check(count uint64) error {
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
	row(name, "import, decoding", "%.0f ms", milliseconds(costs[0].Wall), milliseconds(costs[1].Wall))
	return nil
}

// timed is how long f took, on a heap without garbage.
func timed(f func() error) (turns.Cost, error) {
	runtime.GC()
	begin := time.Now()
	err := f()
	return turns.Cost{Wall: time.Since(begin)}, err
}

// row prints ours, theirs, and their ratio.
func row(name, what, format string, ours, theirs float64) {
	fmt.Printf("| %s: %s | "+format+" | "+format+" | %s |\n", name, what, ours, theirs, ratio(ours/theirs))
}

func ratio(r float64) string {
	if r < 0.1 {
		return fmt.Sprintf("1/%.0f", 1/r)
	}
	return fmt.Sprintf("%.1f", r)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
