package pages

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

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
