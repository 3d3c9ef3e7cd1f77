package pages

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

type servingLimits struct {
	header      time.Duration // time to receive the header of a request, from its first byte
	request     time.Duration // time to receive a whole request
	answer      time.Duration // time from the header of a request to the end of its answer
	idle        time.Duration // time between two requests of a connection
	ending      time.Duration // time for pending answers when the server ends
	proof       time.Duration // time from which a connection without the token may close for another one
	connections int
}

// usualLimits are the limits outside of tests. A browser opens six connections to a server, and reads a local page in
// milliseconds.
var usualLimits = servingLimits{header: 10 * time.Second, request: 15 * time.Second, answer: time.Minute,
	idle: 2 * time.Minute, ending: 3 * time.Second, proof: 2 * time.Second, connections: 1024}

// mostHeaderBytes leaves space for the cookies of other servers on this machine, which browsers send to all ports.
const mostHeaderBytes = 64 << 10

// Serve answers the requests that a listener accepts, until ctx is done. Pending answers then get some seconds to end.
// It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serveWithin(ctx, l, usualLimits)
}

func (s *Server) serveWithin(ctx context.Context, l net.Listener, limits servingLimits) error {
	open := newLimitedListener(l, limits)
	server := &http.Server{
		Handler:     s,
		ReadTimeout: limits.request, ReadHeaderTimeout: limits.header, WriteTimeout: limits.answer, IdleTimeout: limits.idle,
		MaxHeaderBytes:               mostHeaderBytes,
		DisableGeneralOptionsHandler: true, // it would bypass admitRequest
		ConnContext:                  open.withNoteToken,
		ConnState:                    open.noteState,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		open.closeUnproven() // such as those that browsers open in advance
		shutDown(server, limits.ending)
	})
	err := server.Serve(open)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return errors.Join(err, server.Close())
}

func shutDown(server *http.Server, patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // nobody can receive the error
	}
}

// A limitedListener limits the open connections of a server. At the limit, a new connection waits until another one
// ends, or takes the slot of one that does not need it: first of a client that had the time to present the token and
// did not, and if all have presented it, of the one that has been idle for longest. So a client without the token
// cannot keep others out, and a burst of requests with the token loses none.
type limitedListener struct {
	net.Listener
	limits  servingLimits
	changed chan struct{} // has an element after a change of open that may free a slot
	closed  chan struct{}
	close   func() error

	mu   sync.Mutex
	open map[net.Conn]*clientState
}

// A clientState is what a server knows about the client of a connection.
type clientState struct {
	since  time.Time // time of the last change
	proven bool      // whether it presented the token
	idle   bool      // whether it waits between two requests
}

func newLimitedListener(l net.Listener, limits servingLimits) *limitedListener {
	closed := make(chan struct{})
	return &limitedListener{Listener: l, limits: limits, changed: make(chan struct{}, 1), closed: closed,
		close: sync.OnceValue(func() error { close(closed); return l.Close() }), open: map[net.Conn]*clientState{}}
}

// Close ends Accept, too.
func (l *limitedListener) Close() error { return l.close() }

// Accept returns the next connection when a slot is free.
func (l *limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for !l.admitConnection(c) {
		select {
		case <-l.changed:
		case <-time.After(l.limits.proof / 4): // a client without the token may have had its time
		case <-l.closed:
			_ = c.Close() // net.ErrClosed says more
			return nil, net.ErrClosed
		}
	}
	return c, nil
}

func (l *limitedListener) admitConnection(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.limits.connections && !l.closeNeedless() {
		return false
	}
	l.open[c] = &clientState{since: time.Now()}
	return true
}

// closeNeedless closes the connection that needs its slot least, if any does not need it. The caller must hold the
// lock.
func (l *limitedListener) closeNeedless() bool {
	var least net.Conn
	for c, s := range l.open {
		if (!s.proven || s.idle) && (least == nil || s.needsLessThan(l.open[least])) {
			least = c
		}
	}
	s := l.open[least] // nil if there is none
	if s == nil || !s.proven && !s.idle && time.Since(s.since) < l.limits.proof {
		return false
	}
	l.closeConnection(least)
	return true
}

func (s *clientState) needsLessThan(t *clientState) bool {
	if s.proven != t.proven {
		return t.proven
	}
	return s.since.Before(t.since)
}

// closeConnection closes a connection. The caller must hold the lock.
func (l *limitedListener) closeConnection(c net.Conn) {
	delete(l.open, c)
	_ = c.Close() // its goroutine gets the error
}

func (l *limitedListener) closeUnproven() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c, s := range l.open {
		if !s.proven {
			l.closeConnection(c)
		}
	}
}

// noteState notes idle connections and removes closed ones. It is the ConnState of an http.Server.
func (l *limitedListener) noteState(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, open := l.open[c]
	if !open {
		return
	}
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(l.open, c)
	case http.StateIdle, http.StateActive:
		s.idle = state == http.StateIdle
		s.since = time.Now()
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// tokenKey is the key of a connection's noteToken in the contexts of its requests.
type tokenKey struct{}

// withNoteToken is the ConnContext of an http.Server.
func (l *limitedListener) withNoteToken(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, tokenKey{}, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s, open := l.open[c]; open {
			s.proven = true
		}
	})
}
