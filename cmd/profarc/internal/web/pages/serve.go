package pages

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

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
	return s.serve(ctx, l, usualLimits)
}

func (s *Server) serve(ctx context.Context, l net.Listener, limits servingLimits) error {
	open := newConnectionLimit(limits.connections)
	server := &http.Server{
		Handler:     s,
		ReadTimeout: limits.request, ReadHeaderTimeout: limits.header, WriteTimeout: limits.answer, IdleTimeout: limits.idle,
		MaxHeaderBytes:               mostHeaderBytes,
		DisableGeneralOptionsHandler: true, // which would answer whom admit does not
		ConnContext:                  open.admit,
		ConnState:                    open.noteState,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		open.closeUnproven() // as browsers open connections for the next request
		end(server, limits.ending)
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

// end ends a server: it takes no more requests, and closes the connections whose answers do not end in time.
func end(server *http.Server, patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // nobody is left to hear of an error
	}
}
