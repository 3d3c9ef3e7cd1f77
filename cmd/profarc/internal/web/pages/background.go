package pages

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/internal/system/compartment"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

type backgroundJobs struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	jobs   map[string]*job
	closed bool
}

type job struct {
	begun    time.Time
	progress Progress
	done     chan struct{}
	result   any
	err      error
}

// A Progress is the progress of a computation. It is safe for concurrent use.
type Progress struct{ done, total atomic.Uint64 }

func (p *Progress) setSteps(done, total uint64) {
	p.total.Store(total)
	p.done.Store(done)
}

func (p *Progress) shareDone() float64 {
	if total := p.total.Load(); total > 0 {
		return float64(min(p.done.Load(), total)) / float64(total)
	}
	return 0
}

func newBackgroundJobs(ctx context.Context) *backgroundJobs {
	w := &backgroundJobs{jobs: map[string]*job{}}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

func (w *backgroundJobs) closeResults() {
	w.cancel()
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	for _, j := range w.jobs { // no job starts any more
		<-j.done
		if c, ok := j.result.(interface{ Close() }); ok {
			c.Close()
		}
	}
}

type unfinished struct {
	what  string
	Share float64       // the part that is done, 0 if unknown
	after time.Duration // time since the start of the job
}

func (e *unfinished) Error() string { return fmt.Sprintf("%s: not finished yet", e.what) }

// Again returns the milliseconds until the page reloads. They grow with the duration of the job.
func (e *unfinished) Again() int64 {
	return min(max(e.after, 300*time.Millisecond), 10*time.Second).Milliseconds()
}

// resultOf returns the result of a background computation. It runs compute once per site for each what, and waits
// within the patience of the request. If the result is late, the error is an *unfinished, and the page reloads itself.
//
// what names the result for people, as in "the counts of all methods". It must not come from a query, because results
// are kept for the life of the site.
func resultOf[T any](r *request, what string, compute func(ctx context.Context, s *Site, p *Progress) (T,
	error)) (result T, err error) {
	j := r.site.work.startJob(what, func(ctx context.Context, p *Progress) (any, error) {
		var found T
		err := r.site.guardFaults(func() (err error) {
			found, err = compute(ctx, r.site, p)
			return err
		})
		return found, err
	})
	if err := j.waitForResult(r.ctx, what, r.patience); err != nil {
		r.patience = min(r.patience, 0) // a page waits only once
		return result, err
	}
	result, _ = j.result.(T) // nil for a job that was not started
	return result, defectOfPage(j.err)
}

func eachMethod(ctx context.Context, s *reader.Store, p *Progress, f func(reader.Method) error) error {
	done := uint64(0)
	total := s.Header().Counts.Methods
	return poll.Each(poll.New(ctx), s.Methods(), func(m reader.Method) error {
		if done++; done%1024 == 0 {
			p.setSteps(done, total)
		}
		return f(m)
	})
}

// defectOfPage describes a panic in the background for the page. While a page is built net/http recovers panics, but a
// panic in another goroutine would end the server.
func defectOfPage(err error) error {
	if d, ok := err.(*compartment.Defect); ok {
		return fmt.Errorf("a defect of profarc, while it %s (%s: %v): report it with this line; the other pages can still "+
			"be read", d.Doing, d.Place, d.Panic)
	}
	return err
}

func (w *backgroundJobs) startJob(what string, compute func(context.Context, *Progress) (any, error)) *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.jobs[what]
	if j == nil {
		j = &job{done: make(chan struct{}), begun: time.Now(), err: context.Canceled}
		if w.closed {
			close(j.done)
			return j
		}
		w.jobs[what] = j
		go func() {
			defer close(j.done)
			j.err = compartment.Run(func() string { return "computed " + what }, func() (err error) {
				j.result, err = compute(w.ctx, &j.progress)
				return err
			})
		}()
	}
	return j
}

func (j *job) waitForResult(ctx context.Context, what string, patience time.Duration) error {
	var late <-chan time.Time
	if patience >= 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return &unfinished{what, j.progress.shareDone(), time.Since(j.begun)}
	}
}
