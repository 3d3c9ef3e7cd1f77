// Package testgs starts a fake of Google Cloud Storage on a loopback address for tests. It has what the client needs to
// list objects, to read them, and to write small ones on a condition of their generation.
package testgs

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/profarc/profarc/fleet/internal/interception"
)

// Bucket is the only bucket.
const Bucket = "ci"

type object struct {
	data       []byte
	generation int64
	updated    time.Time
}

// A Store has a bucket ci.
type Store struct {
	*interception.Handler
	mu      sync.Mutex
	objects map[string]object
	last    int64 // last generation
}

// Start starts an empty store until the test ends, and sets its address in the environment. Names in it have URLs
// gs://ci/NAME.
func Start(t *testing.T) *Store {
	t.Helper()
	s := &Store{objects: map[string]object{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /storage/v1/b/"+Bucket+"/o", s.list)
	mux.HandleFunc("GET /storage/v1/b/"+Bucket+"/o/{name...}", s.attributes)
	mux.HandleFunc("DELETE /storage/v1/b/"+Bucket+"/o/{name...}", s.remove)
	mux.HandleFunc("POST /upload/storage/v1/b/"+Bucket+"/o", s.upload)
	mux.HandleFunc("GET /"+Bucket+"/{name...}", s.read)
	s.Handler = interception.New(mux)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	return s
}

// URL returns the URL of a name in the bucket.
func (s *Store) URL(name string) string { return "gs://" + Bucket + "/" + name }

func (s *Store) remove(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, r.PathValue("name"))
	w.WriteHeader(http.StatusNoContent)
}

// describe returns an object as the JSON API does. The caller holds mu.
func (s *Store) describe(name string) map[string]any {
	o := s.objects[name]
	sum := md5.Sum(o.data)
	return map[string]any{"kind": "storage#object", "bucket": Bucket, "name": name,
		"generation": strconv.FormatInt(o.generation, 10), "metageneration": "1",
		"size": strconv.Itoa(len(o.data)), "md5Hash": base64.StdEncoding.EncodeToString(sum[:]),
		"updated": o.updated.Format(time.RFC3339Nano), "etag": strconv.FormatInt(o.generation, 10)}
}

func (s *Store) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(name, r.FormValue("prefix")) {
			items = append(items, s.describe(name))
		}
	}
	answer(w, map[string]any{"kind": "storage#objects", "items": items})
}

func (s *Store) attributes(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.PathValue("name")
	if _, ok := s.objects[name]; !ok {
		fail(w, http.StatusNotFound)
		return
	}
	answer(w, s.describe(name))
}

func (s *Store) read(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	o, ok := s.objects[r.PathValue("name")]
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusNotFound)
		return
	}
	w.Header().Set("X-Goog-Generation", strconv.FormatInt(o.generation, 10))
	w.Header().Set("X-Goog-Metageneration", "1")
	http.ServeContent(w, r, "", o.updated, strings.NewReader(string(o.data)))
}

// upload stores the second part of a body if the object has the generation of the condition, 0 for none.
func (s *Store) upload(w http.ResponseWriter, r *http.Request) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || r.URL.Query().Get("uploadType") != "multipart" {
		fail(w, http.StatusNotImplemented)
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	var head struct{ Name string }
	first, err1 := parts.NextPart()
	if err1 == nil {
		err1 = json.NewDecoder(first).Decode(&head)
	}
	second, err2 := parts.NextPart()
	if err1 != nil || err2 != nil {
		fail(w, http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(second)
	if err != nil {
		fail(w, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if want := r.URL.Query().Get("ifGenerationMatch"); want != "" &&
		want != strconv.FormatInt(s.objects[head.Name].generation, 10) {
		fail(w, http.StatusPreconditionFailed)
		return
	}
	s.last++
	s.objects[head.Name] = object{data, s.last, time.Now().UTC()}
	answer(w, s.describe(head.Name))
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client sees a cut answer
}

func fail(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code, "message": http.StatusText(code)}})
}
