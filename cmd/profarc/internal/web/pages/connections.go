package pages

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// A connectionLimit bounds the open connections of a server. At the limit, a new connection
// closes the oldest one that has not shown the token yet, so that a client without the token
// cannot keep others out. If all have shown it, the one that was not used for longest closes.
type connectionLimit struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*connection
	// unproven connections have not shown the token. Of the proven ones the last in the list was used last.
	unproven, proven *list.List
}

// A connection is an open connection with its place in one of the lists of its limit.
type connection struct {
	limit *connectionLimit
	in    *list.List
	at    *list.Element
}

type connectionKey struct{}

func newConnectionLimit(most int) *connectionLimit {
	return &connectionLimit{most: most, open: map[net.Conn]*connection{}, unproven: list.New(), proven: list.New()}
}

// admit adds a new connection. It is the ConnContext of an http.Server.
func (l *connectionLimit) admit(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		l.closeOldest()
	}
	added := &connection{limit: l, in: l.unproven, at: l.unproven.PushBack(c)}
	l.open[c] = added
	return context.WithValue(ctx, connectionKey{}, added)
}

// closeOldest closes the oldest unproven connection or, if there is none, the proven one that
// was not used for longest. The caller holds the lock.
func (l *connectionLimit) closeOldest() {
	first := l.unproven.Front()
	if first == nil {
		first = l.proven.Front()
	}
	c := first.Value.(net.Conn)
	l.remove(c)
	_ = c.Close() // its goroutine meets the error
}

// closeUnproven closes the connections that have not shown the token.
func (l *connectionLimit) closeUnproven() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.unproven.Len() > 0 {
		l.closeOldest()
	}
}

// remove removes a connection. The caller holds the lock.
func (l *connectionLimit) remove(c net.Conn) {
	if removed := l.open[c]; removed != nil {
		removed.in.Remove(removed.at)
		delete(l.open, c)
	}
}

// noteState removes closed connections. It is the ConnState of an http.Server.
func (l *connectionLimit) noteState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.remove(c)
	}
}

// noteToken notes that the connection of a request has shown the token just now.
func noteToken(q *http.Request) {
	shown, ok := q.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return // a test without a limit
	}
	l := shown.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	c := shown.at.Value.(net.Conn)
	if l.open[c] != shown {
		return // it was closed
	}
	shown.in.Remove(shown.at)
	shown.in, shown.at = l.proven, l.proven.PushBack(c)
}
