package registry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A slow server sends pieces with pauses between them.
func slowServer(t *testing.T, pieces, size int, pause time.Duration) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range pieces {
			if _, err := io.WriteString(w, strings.Repeat("x", size)); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestDrippingIsGivenUp: never silent, and never done.
func TestDrippingIsGivenUp(t *testing.T) {
	url := slowServer(t, 1000, 1, 100*time.Millisecond)
	client := &http.Client{
		Transport: &timeoutTransport{base: http.DefaultTransport, silence: time.Minute, all: time.Second},
	}
	begun := time.Now()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if took := time.Since(begun); !errors.Is(err, errSlow) || took > 30*time.Second {
		t.Errorf("%d bytes in %v, %v", len(data), took, err)
	}
	if _, err := client.Get(url); !errors.Is(err, errSlow) {
		t.Errorf("the next request: %v", err)
	}
}

// TestLongTransfersAreNot: what sends more than LeastRate may take longer than all.
func TestLongTransfersAreNot(t *testing.T) {
	url := slowServer(t, 20, 64<<10, 100*time.Millisecond)
	client := &http.Client{
		Transport: &timeoutTransport{base: http.DefaultTransport, silence: time.Minute, all: time.Second},
	}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begun := time.Now()
	data, err := io.ReadAll(resp.Body)
	if took := time.Since(begun); err != nil || len(data) != 20*64<<10 || took < time.Second {
		t.Errorf("%d bytes in %v, %v", len(data), took, err)
	}
	far := &timeoutTransport{all: time.Minute, begun: time.Now()}
	far.bytes.Store(8 << 30)
	if left := far.left(); left < 60*time.Hour {
		t.Errorf("8 GiB have %v", left)
	}
}

// TestListsThatNeverEnd are noticed where they lead back to themselves, and else at some length.
func TestListsThatNeverEnd(t *testing.T) {
	for what, next := range map[string]func(page string) string{
		"to itself":           func(string) string { return "" },
		"to and fro":          func(page string) string { return map[string]string{"": "?n=1", "1": "?n=2"}[page] },
		"further and further": func(page string) string { return "?n=1" + page },
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			w.Header().Set("Link", fmt.Sprintf("<%s%s>; rel=\"next\"", r.URL.Path, next(r.URL.Query().Get("n"))))
			if strings.Contains(r.URL.Path, "/referrers/") {
				w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			}
			fmt.Fprint(w, `{"schemaVersion":2,"manifests":[],"tags":["a"]}`)
		}))
		defer server.Close()
		repo, err := Open(strings.TrimPrefix(server.URL, "http://")+"/shop", Options{})
		if err != nil {
			t.Fatal(err)
		}
		repo.remote.TagListMaxPages, repo.remote.ReferrerListMaxPages = 20, 20
		const subject = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		_, err1 := repo.referrers(t.Context(), subject)
		_, err2 := repo.TagsWith(t.Context(), "a")
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.Contains(err.Error(), "gives a list that never ends") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if most := map[bool]int{true: 40, false: 6}[what == "further and further"]; requests > most {
			t.Errorf("%s: %d requests", what, requests)
		}
		if again, err := repo.TagsWith(t.Context(), "a"); err == nil {
			t.Errorf("%s: then %v", what, again)
		}
	}
}
