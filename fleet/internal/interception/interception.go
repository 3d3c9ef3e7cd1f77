// Package interception lets tests answer requests in the place of a server.
package interception

import (
	"net/http"
	"sync/atomic"
)

// An Around answers a request and returns true, or returns false. It can call store.
type Around func(w http.ResponseWriter, r *http.Request, store http.Handler) bool

// A Handler calls an Around before a store.
type Handler struct {
	store  http.Handler
	around atomic.Pointer[Around]
}

// New returns the handler of a store.
func New(store http.Handler) *Handler { return &Handler{store: store} }

// Set sets the Around of the store, or removes it if around is nil.
func (h *Handler) Set(around Around) {
	if around == nil {
		h.around.Store(nil)
		return
	}
	h.around.Store(&around)
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if around := h.around.Load(); around != nil && (*around)(w, r, h.store) {
		return
	}
	h.store.ServeHTTP(w, r)
}
