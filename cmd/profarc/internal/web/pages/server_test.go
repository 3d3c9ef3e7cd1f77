package pages

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// specimenSite returns a site of a specimen archive.
func specimenSite(t *testing.T, sp specimen.Specimen) *Site {
	return NewSite(t.Context(), Options{Archive: memstore.Open(t, sp.Build())})
}

// served starts a server of a site, and returns its handler and address.
func served(t *testing.T, site *Site) (*Server, string) {
	var pages *Server
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { pages.ServeHTTP(w, q) }))
	t.Cleanup(host.Close)
	pages, err := NewServer(site, host.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return pages, host.URL
}

// fetch returns the status and body of a request.
func fetch(t *testing.T, method, url, host string) (int, string) {
	q, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		q.Host = host
	}
	answer, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, unbroken(string(body))
}

func TestServerAnswersWhoHasTheToken(t *testing.T) {
	pages, url := served(t, specimenSite(t, specimen.All()[0]))
	token := pages.Path()
	for _, c := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", token + "methods", "", 200},
		{"HEAD", token + "methods", "", 200},
		{"GET", token, "", 302},
		{"POST", token + "methods", "", 405},
		{"GET", token + "nothing", "", 404},
		{"GET", token + "method?at=zzzz", "", 404},
		{"GET", "/", "", 404},
		{"GET", "/methods", "", 404},
		{"GET", strings.ToLower(token) + "methods", "", 404},
		{"GET", token + "methods", "profiles.example", 421},
		{"GET", token + "methods", "localhost", 421},
	} {
		if status, _ := fetch(t, c.method, url+c.path, c.host); status != c.status {
			t.Errorf("%s %s for host %q: %d, want %d", c.method, c.path, c.host, status, c.status)
		}
	}
}

// TestEveryPageOfEverySpecimen follows all links from the first page of every specimen.
func TestEveryPageOfEverySpecimen(t *testing.T) {
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			pages, url := served(t, specimenSite(t, sp))
			folder := url + pages.Path()
			seen, next := map[string]bool{}, []string{"overview"}
			for len(next) > 0 && len(seen) < 300 {
				path := next[0]
				next = next[1:]
				if seen[path] {
					continue
				}
				seen[path] = true
				status, body := fetch(t, "GET", folder+path, "")
				if status == http.StatusAccepted {
					seen[path], next = false, append(next, path)
					continue
				}
				if status != http.StatusOK {
					t.Errorf("%s: status %d\n%s", path, status, body)
				}
				next = append(next, linksOf(body)...)
			}
		})
	}
}

// linksOf returns where the links of a page lead within the site.
func linksOf(body string) (list []string) {
	for _, part := range strings.Split(body, ` href="`)[1:] {
		href, _, _ := strings.Cut(part, `"`)
		href, _, _ = strings.Cut(strings.ReplaceAll(href, "&amp;", "&"), "#")
		if href != "" && !strings.Contains(href, ":") {
			list = append(list, href)
		}
	}
	return list
}

// TestServerGoesOnWithoutItsFile cuts an archive short while it is served.
func TestServerGoesOnWithoutItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.parc")
	if _, err := specimen.All()[0].Build().Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pages, url := served(t, NewSite(t.Context(), Options{Archive: s}))
	if err := os.Truncate(path, disk.PageSize); err != nil {
		t.Skip("a mapped file cannot be cut here: ", err)
	}
	for range 2 {
		if status, body := fetch(t, "GET", url+pages.Path()+"methods", ""); status != http.StatusInternalServerError ||
			!strings.Contains(body, "This page cannot be shown") {
			t.Errorf("status %d:\n%s", status, body)
		}
	}
}
