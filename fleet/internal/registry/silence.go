package registry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// errSilent means that the registry neither sent nor accepted bytes during Options.Silence.
	errSilent = errors.New("no answer")
	// errSlow means that all requests together exceeded Options.All.
	errSlow = errors.New("no end")
	// errLoop means that a page of a list refers to an earlier page.
	errLoop = errors.New("a list that leads back to itself")
)

// An impatient transport cancels a request if no byte of the request or response was transferred for silence. It also
// cancels if all requests together take longer than all, extended by a second for each LeastRate bytes.
type timeoutTransport struct {
	base         http.RoundTripper
	silence, all time.Duration

	first sync.Once
	begun time.Time
	bytes atomic.Int64 // transferred bytes
}

func (t *timeoutTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.first.Do(func() { t.begun = time.Now() })
	list, _ := req.Context().Value(listKey{}).(*list)
	if list.wasRead(req) {
		return nil, errLoop
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{ctx: ctx, cancel: cancel, t: t}
	w.timer = time.AfterFunc(w.patience(), w.giveUp)
	req = req.Clone(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &watched{req.Body, w, false}
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		w.endWatch()
		return nil, w.cause(err)
	}
	list.recordPage(req, resp)
	w.progress(0)
	resp.Body = &watched{resp.Body, w, true}
	return resp, nil
}

// left returns the remaining time of all requests.
func (t *timeoutTransport) left() time.Duration {
	earned := time.Duration(float64(t.bytes.Load()) / LeastRate * float64(time.Second))
	return t.all + earned - time.Since(t.begun)
}

// A watch cancels a request.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	t      *timeoutTransport
}

// patience returns the timeout for the next byte.
func (w *watch) patience() time.Duration { return max(0, min(w.t.silence, w.t.left())) }

func (w *watch) giveUp() {
	if w.t.left() <= 0 {
		w.cancel(errSlow)
	} else {
		w.cancel(errSilent)
	}
}

func (w *watch) progress(bytes int) {
	w.t.bytes.Add(int64(bytes))
	w.timer.Reset(w.patience())
}

func (w *watch) endWatch() {
	w.timer.Stop()
	w.cancel(nil)
}

// cause returns errSilent or errSlow if the watch canceled the request, otherwise err.
func (w *watch) cause(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if cause := context.Cause(w.ctx); cause == errSilent || cause == errSlow {
		return cause
	}
	return err
}

// watched is a body that reports its bytes to a watch. Closing the response ends the watch.
type watched struct {
	io.ReadCloser
	w      *watch
	answer bool
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.w.progress(n)
	}
	return n, b.w.cause(err)
}

func (b *watched) Close() error {
	err := b.ReadCloser.Close()
	if b.answer {
		b.w.endWatch()
	}
	return err
}

// A list has the pages of a list that were read.
type list struct {
	read map[string]bool // keyed by URL
}

type listKey struct{}

// withList returns a context for the requests of a list, in which a repeated URL is an error.
func withList(ctx context.Context) context.Context {
	return context.WithValue(ctx, listKey{}, &list{map[string]bool{}})
}

func (l *list) wasRead(req *http.Request) bool { return l != nil && l.read[req.URL.String()] }

func (l *list) recordPage(req *http.Request, resp *http.Response) {
	if l != nil && resp.StatusCode == http.StatusOK {
		l.read[req.URL.String()] = true
	}
}
