package pages

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A connectionLimit limits the open connections of a server. At the limit, a new connection closes the oldest one that
// has not presented the token yet, so a client without the token cannot keep others out. If all have presented it, the
// least recently used connection closes.
type connectionLimit struct {
	most int

	mu    sync.Mutex
	clock int // number of connections and uses
	// open has the time, in units of clock, when each connection last presented the token. If it never did, the value is
	// negative and grows with the time of opening. The connection with the lowest value closes first.
	open map[net.Conn]int
}

// tokenKey is the key of a connection's noteToken in the contexts of its requests.
type tokenKey struct{}

// admitConnection adds a new connection. It is the ConnContext of an http.Server.
func (l *connectionLimit) admitConnection(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		l.closeConnection(slices.MinFunc(slices.Collect(maps.Keys(l.open)), func(a, b net.Conn) int {
			return cmp.Compare(l.open[a], l.open[b])
		}))
	}
	l.clock++
	l.open[c] = l.clock - math.MaxInt
	return context.WithValue(ctx, tokenKey{}, func() { l.noteToken(c) })
}

// closeConnection closes a connection. The caller must hold the lock.
func (l *connectionLimit) closeConnection(c net.Conn) {
	delete(l.open, c)
	_ = c.Close() // its goroutine gets the error
}

func (l *connectionLimit) closeUnproven() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c, at := range l.open {
		if at < 0 {
			l.closeConnection(c)
		}
	}
}

// noteState removes closed connections. It is the ConnState of an http.Server.
func (l *connectionLimit) noteState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, c)
	}
}

func (l *connectionLimit) noteToken(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.open[c]; open {
		l.clock++
		l.open[c] = l.clock
	}
}

type servingLimits struct {
	header      time.Duration // time to receive the header of a request, from its first byte
	request     time.Duration // time to receive a whole request
	answer      time.Duration // time from the header of a request to the end of its answer
	idle        time.Duration // time between two requests of a connection
	ending      time.Duration // time for pending answers when the server ends
	connections int
}

// usualLimits are the limits outside of tests. A browser opens six connections to a server, and reads a local page in
// milliseconds.
var usualLimits = servingLimits{header: 10 * time.Second, request: 15 * time.Second, answer: time.Minute,
	idle: 2 * time.Minute, ending: 3 * time.Second, connections: 256}

// mostHeaderBytes leaves space for the cookies of other servers on this machine, which browsers send to all ports.
const mostHeaderBytes = 64 << 10

// Serve answers the requests that a listener accepts, until ctx is done. Pending answers then get some seconds to end.
// It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serveWithin(ctx, l, usualLimits)
}

func (s *Server) serveWithin(ctx context.Context, l net.Listener, limits servingLimits) error {
	open := &connectionLimit{most: limits.connections, open: map[net.Conn]int{}}
	server := &http.Server{
		Handler:     s,
		ReadTimeout: limits.request, ReadHeaderTimeout: limits.header, WriteTimeout: limits.answer, IdleTimeout: limits.idle,
		MaxHeaderBytes:               mostHeaderBytes,
		DisableGeneralOptionsHandler: true, // it would bypass admitRequest
		ConnContext:                  open.admitConnection,
		ConnState:                    open.noteState,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		open.closeUnproven() // such as those that browsers open in advance
		shutDown(server, limits.ending)
	})
	err := server.Serve(l)
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
