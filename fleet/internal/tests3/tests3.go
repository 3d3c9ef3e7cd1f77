// Package tests3 starts a fake S3 server on a loopback address for tests.
package tests3

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/profarc/profarc/fleet/internal/interception"
)

// A Store is an in-memory store with the bucket ci.
type Store struct {
	Read atomic.Int64 // bytes read by GET requests
	Gets atomic.Int64 // number of GET requests

	server *httptest.Server
	*interception.Handler
}

// Start starts a store until the test ends, and sets its credentials in the environment.
func Start(t *testing.T) *Store {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s",
		"AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE":           filepath.Join(t.TempDir(), "none"), "AWS_MAX_ATTEMPTS": "2"} {
		t.Setenv(name, value)
	}
	backend := s3mem.New()
	if err := backend.CreateBucket("ci"); err != nil {
		t.Fatal(err)
	}
	s := &Store{}
	fake := gofakes3.New(backend).Server()
	s.Handler = interception.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.Gets.Add(1)
			w = &countedWriter{w, s}
		}
		fake.ServeHTTP(w, r)
	}))
	s.server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Close makes the store unreachable.
func (s *Store) Close() { s.server.Close() }

// URL returns the URL of a name in the bucket.
func (s *Store) URL(name string) string {
	return "s3://ci/" + name + "?region=us-east-1&use_path_style=true&endpoint=" + s.server.URL
}

// A countedWriter counts the bytes of responses.
type countedWriter struct {
	http.ResponseWriter
	s *Store
}

func (w *countedWriter) Write(b []byte) (int, error) {
	w.s.Read.Add(int64(len(b)))
	return w.ResponseWriter.Write(b)
}
