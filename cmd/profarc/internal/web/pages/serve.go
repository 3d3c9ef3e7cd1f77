package pages

import (
	"context"
	"errors"
	"net"
	"net/http"
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
