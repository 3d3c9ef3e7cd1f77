package registry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errSilent is the error of a registry that neither answers nor takes bytes.
var errSilent = errors.New("no answer")

// An impatient transport ends a request when no byte of it or of its answer was passed on
// for some time. A long transfer may take as long as it takes.
type impatient struct {
	base    http.RoundTripper
	silence time.Duration
}

func (t *impatient) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{ctx: ctx, cancel: cancel, silence: t.silence}
	w.timer = time.AfterFunc(t.silence, func() { cancel(errSilent) })
	req = req.Clone(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &watched{req.Body, w, false}
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		w.end()
		return nil, w.cause(err)
	}
	w.progress()
	resp.Body = &watched{resp.Body, w, true}
	return resp, nil
}

// A watch ends a request after silence.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	silence time.Duration
}

func (w *watch) progress() { w.timer.Reset(w.silence) }

func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// cause returns errSilent for the error of a request that the watch ended.
func (w *watch) cause(err error) error {
	if err != nil && err != io.EOF && errors.Is(context.Cause(w.ctx), errSilent) {
		return errSilent
	}
	return err
}

// A watched body is one whose bytes are progress. The answer's body ends the watch.
type watched struct {
	io.ReadCloser
	w      *watch
	answer bool
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.w.progress()
	}
	return n, b.w.cause(err)
}

func (b *watched) Close() error {
	err := b.ReadCloser.Close()
	if b.answer {
		b.w.end()
	}
	return err
}
