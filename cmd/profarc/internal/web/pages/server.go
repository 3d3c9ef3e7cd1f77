package pages

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/archive"
)

// patience returns the maximum time that a page waits for background results. For a large archive the wait would rarely
// help, so its pages appear sooner.
func (s *Site) patience() time.Duration {
	if s.Archive.Header().Counts.Methods > manyMethods {
		return 50 * time.Millisecond
	}
	return 400 * time.Millisecond
}

const manyMethods = 50_000

// A Server shows a site over HTTP to clients with its token. It is an http.Handler.
type Server struct {
	site      *Site
	token     string
	port      string
	addresses []netip.Addr // allowed values of Host, together with port
	templates sideTemplates
	slots     chan struct{} // has one element for each page in progress
	queueing  time.Duration // maximum time that a page waits for a slot
}

const (
	pagesAtOnce    = 8 // number of pages built at the same time
	mostQueryBytes = 4 << 10
)

const usualQueueing = 20 * time.Second
const httpPort = "80"

// NewServer returns the handler of a site. at is the listening address, as net.Listener.Addr returns it.
func NewServer(s *Site, at net.Addr) (*Server, error) {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil, err
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return nil, err
	}
	t, err := newSideTemplates(serverLinks{}, s.Archive.Header().Domain)
	if err != nil {
		return nil, err
	}
	addresses := []netip.Addr{address, netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	return &Server{site: s, token: rand.Text(), port: port, addresses: addresses, templates: t,
		slots: make(chan struct{}, pagesAtOnce), queueing: usualQueueing}, nil
}

// Path returns the path of the first page. It contains the token, which grants access.
func (s *Server) Path() string { return "/" + s.token + "/" }

func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", contentPolicy("'self'")+"; frame-ancestors 'none'")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	name, status := s.admitRequest(q)
	if status != http.StatusOK {
		head.Set("Connection", "close")
	}
	switch {
	case status == http.StatusMethodNotAllowed:
		head.Set("Allow", "GET, HEAD")
		fallthrough
	case status != http.StatusOK:
		http.Error(w, strings.ToLower(http.StatusText(status)), status)
	case name == "":
		http.Redirect(w, q, s.Path()+s.site.offeredViews()[0].name, http.StatusFound)
	default:
		s.servePage(w, q, name)
	}
}

// admitRequest returns the name of the requested page, or the status for a refusal. Without the token the answer is the
// same for every path. The check of Host prevents other web pages from reading this one under a foreign name.
func (s *Server) admitRequest(q *http.Request) (name string, status int) {
	if !s.isOwnHost(q.Host) {
		return "", http.StatusMisdirectedRequest
	}
	folder, name := path.Split(q.URL.Path)
	if subtle.ConstantTimeCompare([]byte(folder), []byte(s.Path())) == 0 {
		return "", http.StatusNotFound
	}
	if noteToken, ok := q.Context().Value(tokenKey{}).(func()); ok { // tests have no limit
		noteToken()
	}
	switch {
	case q.Method != http.MethodGet && q.Method != http.MethodHead:
		return "", http.StatusMethodNotAllowed
	case q.ContentLength != 0:
		return "", http.StatusRequestEntityTooLarge
	case len(q.URL.RawQuery) > mostQueryBytes:
		return "", http.StatusRequestURITooLong // the links of a page repeat its query
	}
	return name, http.StatusOK
}

// isOwnHost reports whether a value of Host names this server. Names are case-insensitive and may end with a dot.
func (s *Server) isOwnHost(named string) bool {
	host, port, err := net.SplitHostPort(named)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(named, "["), "]")
		port = httpPort
	}
	if cmp.Or(port, httpPort) != s.port {
		return false
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return slices.Contains(s.addresses, address)
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

var errBusy = errors.New("too many pages are asked for at once")

// acquireSlot waits until a page may be built. The caller must call release.
func (s *Server) acquireSlot(ctx context.Context) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.queueing, errBusy)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Server) servePage(w http.ResponseWriter, q *http.Request, name string) {
	answer, status, err := s.buildAnswer(q, name)
	if err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusAccepted || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer) // nobody can receive the error
}

func (s *Server) buildAnswer(q *http.Request, name string) (answer []byte, status int, err error) {
	var p *shownPage
	asked := query{q.URL.Query()}
	cause := errNoPage
	site, v := s.site.askedView(name, asked)
	if v != nil {
		p, cause = s.renderGuarded(&request{ctx: q.Context(), site: site, view: v, query: asked, patience: site.patience()})
	}
	status = http.StatusOK
	if cause != nil {
		p, status, err = s.failurePage(cause)
	}
	var b bytes.Buffer
	if err == nil {
		d := &document{Title: p.Title + site.titleSuffix() + " · " + s.site.archiveNames(), Site: s.site.archiveNames(),
			Menu: site.menuItems(v), Search: searchFormOf(v, asked)}
		err = writeDocument(&b, s.templates.templatesOf(site), d,
			func(yield func(*shownPage, error) bool) { yield(p, nil) })
	}
	return b.Bytes(), status, err
}

// renderGuarded renders a page when a slot is free.
func (s *Server) renderGuarded(r *request) (*shownPage, error) {
	release, err := s.acquireSlot(r.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return renderPage(s.templates.templatesOf(r.site), r)
}

func (s *Server) failurePage(cause error) (*shownPage, int, error) {
	p := &shownPage{Title: "This page cannot be shown", Failure: cause.Error()}
	status := http.StatusInternalServerError
	var u *unfinished
	switch {
	case errors.As(cause, &u):
		p.Title, p.Failure, status = "One moment", fmt.Sprintf("The archive is read for this: %s.", u.what),
			http.StatusAccepted
	case isNotFound(cause):
		p.Title, p.Failure, status = "Not found", cause.Error(), http.StatusNotFound
	case errors.Is(cause, errBusy):
		p.Title = "One moment"
		p.Failure = "Too many pages are asked for at once: ask again."
		status = http.StatusServiceUnavailable
	case errors.Is(cause, archive.ErrClosed), errors.Is(cause, context.Canceled):
		p.Failure = "The server is about to end."
		status = http.StatusServiceUnavailable
	}
	var b bytes.Buffer
	err := s.templates.a.ExecuteTemplate(&b, "failure", u)
	p.Content = template.HTML(b.String())
	return p, status, err
}
