package ship

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// A simulatedRegistry is a registry in memory with one repository, shop. Requests take time, and some meet faults.
type simulatedRegistry struct {
	faults    faults
	referrers bool // whether it has the referrers API

	mu        sync.Mutex
	random    *rand.Rand
	blobs     map[digest.Digest][]byte
	manifests map[digest.Digest]storedManifest
	tags      map[string][]tagged // as they were written
	uploads   int
	busyUntil time.Time
	log       []string
}

type storedManifest struct {
	mediaType string
	data      []byte
	at        time.Time
	manifest  ocispec.Manifest // what the data says
}

type tagged struct {
	digest digest.Digest
	at     time.Time
}

const simulatedHost = "registry.example"

func newSimulatedRegistry(random *rand.Rand, f faults, referrers bool) *simulatedRegistry {
	return &simulatedRegistry{faults: f, referrers: referrers, random: random, blobs: map[digest.Digest][]byte{},
		manifests: map[digest.Digest]storedManifest{}, tags: map[string][]tagged{}}
}

// faults says of how many requests in a thousand each meets a fault.
type faults struct {
	failed      int // 5xx, nothing was done
	busy        int // 429, and until the time of Retry-After all others get the same
	silent      int // no answer, and nothing was done
	reset       int // the connection ends, after half of the body was taken or before
	lost        int // it was done, and the connection ends, or nothing is answered
	cut         int // the answer ends in the middle
	stale       int // an answer about tags is of a time before
	slow        int // several seconds
	longestBusy int // seconds of Retry-After
}

// stalest is how old an answer about tags may be.
const stalest = 2 * time.Second

const freeAfterwards = 10 * time.Second

// A trouble is what a request meets.
type trouble struct {
	kind          string
	before, after time.Duration
	age           time.Duration // of an answer about tags
	half          bool
}

func (s *simulatedRegistry) draw() trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, f := s.random, s.faults
	t := trouble{before: time.Duration(1+r.IntN(20)) * time.Millisecond,
		after: time.Duration(1+r.IntN(5)) * time.Millisecond, half: r.IntN(2) == 0}
	if r.IntN(1000) < f.slow {
		t.before, t.after = t.before*200, t.after*500
	}
	if r.IntN(1000) < f.stale {
		t.age = time.Duration(r.Int64N(int64(stalest)))
	}
	at := r.IntN(1000)
	for _, k := range []struct {
		kind  string
		share int
	}{{"failed", f.failed}, {"busy", f.busy}, {"silent", f.silent}, {"reset", f.reset}, {"lost", f.lost}, {"cut", f.cut}} {
		if at < k.share {
			t.kind = k.kind
			break
		}
		at -= k.share
	}
	// A busy registry is free for a while afterwards: otherwise no number of tries would be enough.
	if now := time.Now(); t.kind == "busy" && now.After(s.busyUntil.Add(freeAfterwards)) {
		s.busyUntil = now.Add(time.Duration(1+r.IntN(f.longestBusy)) * time.Second)
	}
	return t
}

// RoundTrip serves a request.
func (s *simulatedRegistry) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer req.Body.Close()
	t := s.draw()
	if req.Method == http.MethodPut {
		t.before *= 5 // others read and write meanwhile
	}
	resp, err := s.meet(req, t)
	status := 0
	if resp != nil {
		status = resp.StatusCode
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%s %s %s: %s, age %v: %d %v", time.Now().Format("04:05.000"), req.Method,
		req.URL.Path, t.kind, t.age, status, err))
	return resp, err
}

func (s *simulatedRegistry) meet(req *http.Request, t trouble) (*http.Response, error) {
	ctx := req.Context()
	if err := sleep(ctx, t.before); err != nil {
		return nil, err
	}
	if wait := s.busyFor(); wait > 0 {
		return answer(req, http.StatusTooManyRequests, http.Header{"Retry-After": {strconv.Itoa(wait)}}, nil), nil
	}
	switch t.kind {
	case "failed":
		return answer(req, http.StatusServiceUnavailable, nil, nil), nil
	case "silent":
		return nil, sleep(ctx, time.Hour)
	case "reset":
		if t.half {
			_, _ = io.CopyN(io.Discard, req.Body, req.ContentLength/2)
		}
		return nil, errReset()
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	resp := s.serve(req, body, time.Now().Add(-t.age))
	if err := sleep(ctx, t.after); err != nil {
		return nil, err
	}
	switch t.kind {
	case "lost":
		if t.half {
			return nil, sleep(ctx, time.Hour)
		}
		return nil, errReset()
	case "cut":
		if n := resp.ContentLength; n > 1 && req.Method == http.MethodGet {
			resp.Body = io.NopCloser(io.MultiReader(io.LimitReader(resp.Body, n/2), brokenReader{}))
		}
	}
	return resp, nil
}

// busyFor returns for how many more seconds everything is refused.
func (s *simulatedRegistry) busyFor() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int((time.Until(s.busyUntil) + time.Second - 1) / time.Second)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func errReset() error { return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET} }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func answer(req *http.Request, status int, header http.Header, body []byte) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	resp := &http.Response{StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: header, Request: req, ContentLength: int64(len(body)), Body: http.NoBody}
	if req.Method != http.MethodHead {
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp
}

// serve does what a request asks for. What it says of tags is of a time.
func (s *simulatedRegistry) serve(req *http.Request, body []byte, at time.Time) *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, name, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/v2/shop/"), "/")
	read := req.Method == http.MethodGet || req.Method == http.MethodHead
	switch {
	case kind == "blobs" && read:
		data, ok := s.blobs[digest.Digest(name)]
		return found(req, ok, "application/octet-stream", digest.Digest(name), data)
	case kind == "blobs":
		return s.upload(req, body)
	case kind == "manifests" && read:
		d := digest.Digest(name)
		if !strings.Contains(name, ":") {
			d = s.tagAt(name, at)
		}
		m, ok := s.manifests[d]
		return found(req, ok, m.mediaType, d, m.data)
	case kind == "manifests" && req.Method == http.MethodPut:
		return s.putManifest(req, name, body)
	case kind == "tags":
		return s.listTags(req, at)
	case kind == "referrers" && s.referrers:
		return s.listReferrers(req, digest.Digest(name), at)
	}
	return answer(req, http.StatusNotFound, nil, nil)
}

func found(req *http.Request, ok bool, mediaType string, d digest.Digest, data []byte) *http.Response {
	if !ok {
		return answer(req, http.StatusNotFound, nil, nil)
	}
	header := http.Header{"Content-Type": {mediaType}, "Docker-Content-Digest": {d.String()}}
	return answer(req, http.StatusOK, header, data)
}

// upload begins an upload, or ends one.
func (s *simulatedRegistry) upload(req *http.Request, body []byte) *http.Response {
	if req.Method == http.MethodPost {
		s.uploads++
		location := &url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host,
			Path: fmt.Sprint("/v2/shop/blobs/uploads/", s.uploads)}
		return answer(req, http.StatusAccepted, http.Header{"Location": {location.String()}}, nil)
	}
	d := digest.Digest(req.URL.Query().Get("digest"))
	if digest.FromBytes(body) != d {
		return answer(req, http.StatusBadRequest, nil, nil)
	}
	s.blobs[d] = body
	return answer(req, http.StatusCreated, http.Header{"Location": {"/v2/shop/blobs/" + d.String()}}, nil)
}

// putManifest keeps a manifest whose blobs are there.
func (s *simulatedRegistry) putManifest(req *http.Request, name string, body []byte) *http.Response {
	d := digest.FromBytes(body)
	if strings.Contains(name, ":") && name != d.String() || !s.isWhole(body) {
		return answer(req, http.StatusBadRequest, nil, nil)
	}
	if _, ok := s.manifests[d]; !ok {
		stored := storedManifest{mediaType: req.Header.Get("Content-Type"), data: body, at: time.Now()}
		if json.Unmarshal(body, &stored.manifest) != nil {
			return answer(req, http.StatusBadRequest, nil, nil)
		}
		s.manifests[d] = stored
	}
	if !strings.Contains(name, ":") {
		s.tags[name] = append(s.tags[name], tagged{d, time.Now()})
	}
	return answer(req, http.StatusCreated, http.Header{"Docker-Content-Digest": {d.String()}}, nil)
}

// isWhole reports whether all that a manifest names is there; of an index, all manifests that are archives.
func (s *simulatedRegistry) isWhole(data []byte) bool {
	var m struct {
		Config, Subject   *ocispec.Descriptor
		Layers, Manifests []ocispec.Descriptor
	}
	if json.Unmarshal(data, &m) != nil {
		return false
	}
	for _, d := range m.Manifests {
		if _, ok := s.manifests[d.Digest]; !ok {
			return false
		}
	}
	if m.Config != nil {
		m.Layers = append(m.Layers, *m.Config)
	}
	return !slices.ContainsFunc(m.Layers, func(d ocispec.Descriptor) bool { return len(s.blobs[d.Digest]) != int(d.Size) })
}

// tagAt returns what a tag named at a time.
func (s *simulatedRegistry) tagAt(tag string, at time.Time) (d digest.Digest) {
	for _, t := range s.tags[tag] {
		if !t.at.After(at) {
			d = t.digest
		}
	}
	return d
}

func (s *simulatedRegistry) listTags(req *http.Request, at time.Time) *http.Response {
	list := struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}{Name: "shop", Tags: []string{}}
	for _, tag := range slices.Sorted(maps.Keys(s.tags)) {
		if s.tagAt(tag, at) != "" {
			list.Tags = append(list.Tags, tag)
		}
	}
	data, _ := json.Marshal(list)
	return answer(req, http.StatusOK, http.Header{"Content-Type": {"application/json"}}, data)
}

func (s *simulatedRegistry) listReferrers(req *http.Request, subject digest.Digest, at time.Time) *http.Response {
	list := ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex,
		Manifests: []ocispec.Descriptor{}}
	for _, d := range slices.Sorted(maps.Keys(s.manifests)) {
		stored := s.manifests[d]
		m := stored.manifest
		if m.Subject != nil && m.Subject.Digest == subject && !stored.at.After(at) {
			list.Manifests = append(list.Manifests, ocispec.Descriptor{MediaType: stored.mediaType, Digest: d,
				Size: int64(len(stored.data)), ArtifactType: m.ArtifactType, Annotations: m.Annotations})
		}
	}
	data, _ := json.Marshal(list)
	return answer(req, http.StatusOK, http.Header{"Content-Type": {ocispec.MediaTypeImageIndex}}, data)
}
