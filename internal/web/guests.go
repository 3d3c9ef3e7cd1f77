package web

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// guests are the open connections of a server, of which there are not too many: for a new one
// the oldest of those closes that have not shown the token yet, so that who does not know it
// cannot keep others out. Only if all have shown it the one closes that was not used for
// longest.
type guests struct {
	most int

	mu    sync.Mutex
	seats map[net.Conn]*seat
	// strangers have not shown the token; friends have, the one that was used last at the end.
	strangers, friends *list.List
}

// A seat is the place of a connection among the guests.
type seat struct {
	guests *guests
	in     *list.List
	at     *list.Element
}

// seatKey is the key of a connection's seat in the contexts of its requests.
type seatKey struct{}

func newGuests(most int) *guests {
	return &guests{most: most, seats: map[net.Conn]*seat{}, strangers: list.New(), friends: list.New()}
}

// welcome gives a new connection a seat, as the ConnContext of an http.Server.
func (g *guests) welcome(ctx context.Context, c net.Conn) context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seats) >= g.most {
		g.dismiss()
	}
	s := &seat{guests: g, in: g.strangers, at: g.strangers.PushBack(c)}
	g.seats[c] = s
	return context.WithValue(ctx, seatKey{}, s)
}

// dismiss closes a connection.
func (g *guests) dismiss() {
	first := g.strangers.Front()
	if first == nil {
		first = g.friends.Front()
	}
	c := first.Value.(net.Conn)
	g.leave(c)
	_ = c.Close() // its goroutine meets the error
}

// dismissStrangers closes the connections that have not shown the token.
func (g *guests) dismissStrangers() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.strangers.Len() > 0 {
		g.dismiss()
	}
}

// leave takes the seat of a connection away.
func (g *guests) leave(c net.Conn) {
	if s := g.seats[c]; s != nil {
		s.in.Remove(s.at)
		delete(g.seats, c)
	}
}

// note takes away the seats of closed connections, as the ConnState of an http.Server.
func (g *guests) note(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.leave(c)
	}
}

// befriend notes that the connection of a request has shown the token just now.
func befriend(q *http.Request) {
	s, ok := q.Context().Value(seatKey{}).(*seat)
	if !ok {
		return // a test without guests
	}
	g := s.guests
	g.mu.Lock()
	defer g.mu.Unlock()
	c := s.at.Value.(net.Conn)
	if g.seats[c] != s {
		return // it was dismissed
	}
	s.in.Remove(s.at)
	s.in, s.at = g.friends, g.friends.PushBack(c)
}
