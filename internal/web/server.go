package web

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

// patience is how long a page waits for what is computed in the background before it
// comes without.
const patience = 400 * time.Millisecond

// A Server shows a site over HTTP, to who knows its token. It is an http.Handler.
type Server struct {
	site      *Site
	token     string
	hosts     []string // the values of Host that are answered
	templates *template.Template
}

// NewServer returns the handler of a site that is reached at an address of this machine, as
// net.Listener.Addr returns it.
func NewServer(s *Site, at net.Addr) (*Server, error) {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil, err
	}
	t, err := templates(serverLinks{})
	if err != nil {
		return nil, err
	}
	hosts := []string{at.String(), "localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port}
	return &Server{site: s, token: rand.Text(), hosts: hosts, templates: t}, nil
}

// Path returns the path of the first page, which holds the token: whoever has it may look.
func (s *Server) Path() string { return "/" + s.token + "/" }

// ServeHTTP answers a request for a page.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", contentPolicy("'self'")+"; frame-ancestors 'none'")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	name, status := s.admit(q)
	switch {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", "GET, HEAD")
		fallthrough
	case status != http.StatusOK:
		http.Error(w, strings.ToLower(http.StatusText(status)), status)
	case name == "":
		http.Redirect(w, q, s.Path()+views[0].name, http.StatusFound)
	default:
		s.servePage(w, q, name)
	}
}

// admit returns the name of the page that a request asks for, or the status that refuses it.
// Without the token the answer is the same for every path. The check of the host keeps web
// pages of others from reading this one under a name of theirs.
func (s *Server) admit(q *http.Request) (name string, status int) {
	known := false
	for _, host := range s.hosts {
		known = known || q.Host == host
	}
	if !known {
		return "", http.StatusMisdirectedRequest
	}
	folder, name := path.Split(q.URL.Path)
	if subtle.ConstantTimeCompare([]byte(folder), []byte(s.Path())) == 0 {
		return "", http.StatusNotFound
	}
	if q.Method != http.MethodGet && q.Method != http.MethodHead {
		return "", http.StatusMethodNotAllowed
	}
	return name, http.StatusOK
}

// servePage answers with a page, or with a page that says why it cannot be had.
func (s *Server) servePage(w http.ResponseWriter, q *http.Request, name string) {
	var p *shownPage
	v, err := s.site.viewNamed(name), errNoPage
	if v != nil {
		p, err = render(s.templates, &request{ctx: q.Context(), site: s.site, view: v, query: query{q.URL.Query()}, patience: patience})
	}
	status := http.StatusOK
	if err != nil {
		p, status, err = s.failure(err)
	}
	var b bytes.Buffer
	if err == nil {
		err = s.write(&b, v, p)
	}
	if err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusAccepted {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // nobody is left to hear of an error
}

func (s *Server) write(b *bytes.Buffer, v *view, p *shownPage) error {
	d := &document{Title: p.Title + " · " + s.site.name(), Site: s.site.name(), Menu: s.site.menu(v)}
	return writeDocument(b, s.templates, d, func(yield func(*shownPage) error) error { return yield(p) })
}

// failure returns the page of an error, and its status.
func (s *Server) failure(cause error) (*shownPage, int, error) {
	p, status := &shownPage{Title: "This page cannot be shown", About: cause.Error()}, http.StatusInternalServerError
	var u *unfinished
	switch {
	case errors.As(cause, &u):
		p.Title, p.About, status = "One moment", fmt.Sprintf("The archive is read for this: %s.", u.what), http.StatusAccepted
	case missing(cause):
		p.Title, p.About, status = "Not found", cause.Error(), http.StatusNotFound
	case closed(cause):
		p.About, status = "The server is about to end.", http.StatusServiceUnavailable
	}
	var b bytes.Buffer
	err := s.templates.ExecuteTemplate(&b, "failure", u)
	p.Content = template.HTML(b.String())
	return p, status, err
}
