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

// A connectionLimit bounds the open connections of a server. At the limit, a new connection closes the oldest one that
// has not shown the token yet, so that a client without the token cannot keep others out. If all have shown it, the one
// that was not used for longest closes.
type connectionLimit struct {
	most int

	mu    sync.Mutex
	clock int // counts connections and uses
	// open has for each connection when it showed the token last; if it never did, a number below 0 that rises with the
	// time at which it was opened. The lowest closes first.
	open map[net.Conn]int
}

type connectionKey struct{}

// A boundConnection is in the contexts of the requests of a connection.
type boundConnection struct {
	net.Conn
	limit *connectionLimit
}

func newConnectionLimit(most int) *connectionLimit {
	return &connectionLimit{most: most, open: map[net.Conn]int{}}
}

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
	return context.WithValue(ctx, connectionKey{}, boundConnection{c, l})
}

// closeConnection closes a connection. The caller holds the lock.
func (l *connectionLimit) closeConnection(c net.Conn) {
	delete(l.open, c)
	_ = c.Close() // its goroutine meets the error
}

// closeUnproven closes the connections that have not shown the token.
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

// noteToken notes that the connection of a request has shown the token just now.
func noteToken(q *http.Request) {
	shown, ok := q.Context().Value(connectionKey{}).(boundConnection)
	if !ok {
		return // a test without a limit
	}
	l := shown.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.open[shown.Conn]; open {
		l.clock++
		l.open[shown.Conn] = l.clock
	}
}

// servingLimits bound what a client can hold of a server, and for how long.
type servingLimits struct {
	header      time.Duration // for the header of a request, from its first byte
	request     time.Duration // for a request with all that follows its header
	answer      time.Duration // from the header of a request to the end of its answer
	idle        time.Duration // between two requests of a connection
	ending      time.Duration // for answers in flight when the server ends
	connections int
}

// usualLimits are the limits of every server outside of tests. A browser has six connections to a
// server, and needs some milliseconds to read a page from its own machine.
var usualLimits = servingLimits{header: 10 * time.Second, request: 15 * time.Second, answer: time.Minute,
	idle: 2 * time.Minute, ending: 3 * time.Second, connections: 256}

// mostHeaderBytes holds the cookies that other servers of this machine have set, which
// browsers send to all of its ports.
const mostHeaderBytes = 64 << 10

// Serve answers the requests that a listener accepts, until ctx is done: answers in flight
// then have some seconds to end. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serveWithin(ctx, l, usualLimits)
}

func (s *Server) serveWithin(ctx context.Context, l net.Listener, limits servingLimits) error {
	open := newConnectionLimit(limits.connections)
	server := &http.Server{
		Handler:     s,
		ReadTimeout: limits.request, ReadHeaderTimeout: limits.header, WriteTimeout: limits.answer, IdleTimeout: limits.idle,
		MaxHeaderBytes:               mostHeaderBytes,
		DisableGeneralOptionsHandler: true, // which would answer whom admit does not
		ConnContext:                  open.admitConnection,
		ConnState:                    open.noteState,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		open.closeUnproven() // as browsers open connections for the next request
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

// shutDown ends a server: it takes no more requests, and closes the connections whose answers do not end in time.
func shutDown(server *http.Server, patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // nobody is left to hear of an error
	}
}
