package ship

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
	"github.com/profarc/profarc/internal/file/disk"
)

// A fault answers a request in place of the registry, or returns false. It may ask the registry itself.
type fault func(w http.ResponseWriter, r *http.Request, registry http.Handler) bool

// faulty starts a registry, and returns its host:port and what makes it faulty from then on.
func faulty(t *testing.T) (host string, set func(fault)) { return faultyRegistry(t, true) }

// faultyRegistry is faulty for a registry with or without the referrers API.
func faultyRegistry(t *testing.T, referrers bool) (host string, set func(fault)) {
	var now atomic.Pointer[fault]
	host = testregistry.Memory(t, referrers, func(real http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if f := now.Load(); f == nil || !(*f)(w, r, real) {
				real.ServeHTTP(w, r)
			}
		})
	})
	return host, func(f fault) { now.Store(&f) }
}

// answers returns a fault that answers requests for what the path contains with a status.
func answers(method, path string, status int) fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.Contains(r.URL.Path, path) || method != "" && r.Method != method {
			return false
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		}
		w.WriteHeader(status)
		return true
	}
}

// changes returns a fault that changes the responses for a path. After the bytes
// that change returns then is called.
func changes(path string, change func([]byte) []byte, then func(r *http.Request)) fault {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, path) {
			return false
		}
		rec := &recorder{header: http.Header{}, status: http.StatusOK}
		real.ServeHTTP(rec, r)
		for name, values := range rec.header {
			w.Header()[name] = values
		}
		body := rec.body.Bytes()
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		changed := change(bytes.Clone(body))
		if then == nil {
			w.Header().Set("Content-Length", strconv.Itoa(len(changed)))
		}
		w.WriteHeader(rec.status)
		_, _ = w.Write(changed)
		if then != nil {
			w.(http.Flusher).Flush()
			then(r)
		}
		return true
	}
}

// A recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

func flip(b []byte) []byte {
	b[len(b)/2] ^= 0x10
	return b
}

func half(b []byte) []byte { return b[:len(b)/2] }

func abort(*http.Request)  { panic(http.ErrAbortHandler) }
func hang(r *http.Request) { <-r.Context().Done() }

// patience returns how long a command waits for a registry: not long for one that is silent.
func patience(name string) string {
	if strings.HasPrefix(name, "silent") {
		return "500ms"
	}
	return "10m"
}

// TestMaxTime: a registry that begins an answer and does not end it is given up, whatever silence is allowed.
func TestMaxTime(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	shop := image(t, host, "shop:1")
	path, _ := archiveOf{calls: 1}.write(t)
	must(t, "push", path, "--subject", shop)
	to := newTarget(t)
	for _, part := range []string{"/manifests/", "/referrers/", "/blobs/"} {
		t.Run(part, func(t *testing.T) {
			set(changes(part, func([]byte) []byte { return []byte(" ") }, hang))
			fails(t, "has sent too little for too long: try again, or give it longer with --max-time", "pull", shop, "-o",
				to.path, "--timeout", "10m", "--max-time", "1s")
			to.holds(t, nil)
		})
	}
}

// A pull that fails says why in one line, and leaves the file that was there.
func TestPullFromFaultyRegistry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault
		want  string
	}{
		"no account":    {answers("", "/v2/", 401), "run docker login"},
		"denied":        {answers("", "/blobs/", 403), "denies the right to read it (403 Forbidden)"},
		"broken":        {answers("", "/referrers/", 500), "cannot do that now (500 Internal Server Error)"},
		"busy":          {answers("", "/manifests/", 429), "cannot do that now (429 Too Many Requests)"},
		"layer is gone": {answers("", "/blobs/", 404), "no such thing"},
		"silent": {func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool { hang(r); return true },
			"has been silent for too long"},
		"silent in the middle": {changes("/blobs/", half, hang), "has been silent for too long"},
		"ends in the middle":   {changes("/blobs/", half, abort), "sent only a part of it"},
		"cut layer":            {changes("/blobs/", half, nil), "tampered with"},
		"changed layer":        {changes("/blobs/", flip, nil), "tampered with"},
		"changed manifest":     {changes("/manifests/", flip, nil), "tampered with"},
		"longer manifest": {changes("/manifests/", func(b []byte) []byte { return append(b, ' ') }, nil),
			"tampered with"},
		"referrers are no list": {changes("/referrers/", half, nil), "sent only a part of it"},
		"referrers never end": {changes("/referrers/",
			func([]byte) []byte { return bytes.Repeat([]byte{' '}, registry.MaxManifest+100) }, nil), ""},
		"manifest without bound": {changes("/manifests/sha256:",
			func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }, nil), "tampered with"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, set := faulty(t)
			shop := image(t, host, "shop:1")
			old, before := archiveOf{day: 1, calls: 1}.write(t)
			must(t, "push", old, "--subject", shop)
			to := newTarget(t)
			must(t, "pull", shop, "-o", to.path)
			newer, _ := archiveOf{day: 2, calls: 2}.write(t)
			must(t, "push", newer, "--subject", shop)
			set(c.fault)
			fails(t, c.want, "pull", shop, "-o", to.path, "--timeout", patience(name))
			to.holds(t, before)
			empty := newTarget(t)
			fails(t, c.want, "pull", shop, "-o", empty.path, "--timeout", patience(name))
			empty.holds(t, nil)
		})
	}
}

// A signature that was tampered with is none.
func TestTamperedSignature(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	private, public := keys(t)
	path, _ := archiveOf{calls: 1}.write(t)
	p := decoded[pushed](t, must(t, "push", path, host+"/shop:1", "--sign", private, "--json"))
	to := newTarget(t)
	set(changes("/blobs/", func(b []byte) []byte { return bytes.Replace(b, []byte(`"sig":"ME`), []byte(`"sig":"MF`), 1) },
		nil))
	fails(t, "tampered with", "pull", p.Reference, "-o", to.path, "--key", public)
	set(changes("/manifests/"+p.Signature, flip, nil))
	fails(t, "tampered with", "pull", p.Reference, "-o", to.path, "--key", public)
	to.holds(t, nil)
}

// A file that is there is not fetched again; a changed one is, and its signature and fit count
// as if it were fetched.
func TestPullAgain(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	private, public := keys(t)
	shop := image(t, host, "shop:1")
	path, data := archiveOf{calls: 1}.write(t)
	p := decoded[pushed](t, must(t, "push", path, "--subject", shop, "--sign", private, "--json"))
	var fetched atomic.Int32
	set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			fetched.Add(1)
		}
		return false
	})
	to := newTarget(t)
	for i, c := range []struct {
		there   []byte // nil: as the last one left it
		fetches int32
		says    string
	}{
		{nil, 1, "pulled  "},
		{nil, 0, "kept    "},
		{flip(bytes.Clone(data)), 1, "pulled  "},
		{half(data), 1, "pulled  "},
	} {
		if c.there != nil && os.WriteFile(to.path, c.there, 0o666) != nil {
			t.Fatal(to.path)
		}
		fetched.Store(0)
		out := must(t, "pull", shop, "-o", to.path)
		if n := fetched.Load(); n != c.fetches || !strings.HasPrefix(out, c.says) {
			t.Errorf("pull %d fetched %d blobs, want %d: %s", i, n, c.fetches, out)
		}
		to.holds(t, data)
	}
	if got := decoded[pulled](t, must(t, "pull", shop, "-o", to.path, "--json")); !got.There ||
		got.Bytes != int64(len(data)) {
		t.Errorf("%+v", got)
	}
	fails(t, "of another program", "pull", shop, "-o", to.path, "--class-path", t.TempDir())
	set(changes("/manifests/"+p.Signature, flip, nil))
	fails(t, "tampered with", "pull", shop, "-o", to.path, "--key", public)
	to.holds(t, data)
}

// Somebody who pushes at the same time writes the index of attached archives without ours, just after us.
func TestIndexThatAnotherOverwrites(t *testing.T) {
	t.Parallel()
	host, set := faultyRegistry(t, false)
	shop := image(t, host, "shop:1")
	path, _ := archiveOf{calls: 1}.write(t)
	var written atomic.Int32
	set(func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
		_, tag, isIndex := strings.Cut(r.URL.Path, "/manifests/sha256-")
		if r.Method != http.MethodPut || !isIndex || strings.Contains(tag, ".") || written.Add(1) > 2 {
			return false
		}
		real.ServeHTTP(w, r)
		without := `{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageIndex + `","manifests":[]}`
		again := httptest.NewRequest(http.MethodPut, r.URL.Path, strings.NewReader(without))
		again.Header.Set("Content-Type", ocispec.MediaTypeImageIndex)
		real.ServeHTTP(&recorder{header: http.Header{}}, again)
		return true
	})
	p := decoded[pushed](t, must(t, "push", path, "--subject", shop, "--json"))
	repo, err := registry.Open(shop, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, subject, _ := strings.Cut(p.Subject, "@")
	index, err := lookUp(t.Context(), repo, strings.Replace(subject, ":", "-", 1))
	if err != nil || len(index.subjects) != 2 || !index.subjects.has(digest.Digest(p.Digest)) || written.Load() != 3 {
		t.Errorf("after %d writes the index has %+v, %v", written.Load(), index, err)
	}
}

// A list of the registry does not make an archive one of the image.
func TestReferrersOfAnotherImage(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	shop, other := image(t, host, "shop:1"), image(t, host, "shop:2")
	path, _ := archiveOf{calls: 1}.write(t)
	p := decoded[pushed](t, must(t, "push", path, "--subject", other, "--json"))
	_, subject, _ := strings.Cut(p.Subject, "@")
	set(func(w http.ResponseWriter, r *http.Request, real http.Handler) bool {
		if at, _, found := strings.Cut(r.URL.Path, "/referrers/"); found {
			r.URL.Path = at + "/referrers/" + subject
			real.ServeHTTP(w, r)
			return true
		}
		return false
	})
	to := newTarget(t)
	fails(t, "no archive of profiles is attached", "pull", shop, "-o", to.path)
	to.holds(t, nil)
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	l.Close()
	path, _ := archiveOf{calls: 1}.write(t)
	to := newTarget(t)
	fails(t, "cannot be reached", "pull", host+"/shop:1", "-o", to.path)
	fails(t, "cannot be reached", "push", path, host+"/shop:1")
	to.holds(t, nil)
	plain := testregistry.Memory(t, true, nil)
	fails(t, "speaks plain HTTP: if that is meant, say --plain-http", "pull", plain+"/shop:1", "-o", to.path,
		"--plain-http=false")
}

// What a push leaves behind when it fails is found by nobody.
func TestPushToFaultyRegistry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault
		want  string
	}{
		"denied":     {answers("POST", "/blobs/uploads/", 403), "denies the right to write to it"},
		"broken":     {answers("PUT", "/manifests/", 500), "cannot do that now"},
		"cut upload": {cutUpload, "closed the connection"},
		"silent": {func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool { hang(r); return true },
			"has been silent for too long"},
		"referrers fail":     {answers("", "/referrers/", 500), "cannot do that now"},
		"no right to attach": {answers("", "/referrers/", 403), "denies the right to read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, set := faulty(t)
			shop := image(t, host, "shop:1")
			path, _ := archiveOf{calls: 1}.write(t)
			set(c.fault)
			fails(t, c.want, "push", path, "--subject", shop, "--timeout", patience(name))
			files, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(files) != 1 {
				t.Errorf("%v, %v", files, err)
			}
			set(func(http.ResponseWriter, *http.Request, http.Handler) bool { return false })
			must(t, "push", path, "--subject", shop)
			to := newTarget(t)
			must(t, "pull", shop, "-o", to.path)
		})
	}
}

// cutUpload takes half of a layer, and closes the connection.
func cutUpload(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
	if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/blobs/") {
		return false
	}
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	panic(http.ErrAbortHandler)
}

// A damaged archive is not pushed.
func TestDamagedArchiveIsNotPushed(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	path, data := archiveOf{calls: 1}.write(t)
	if err := os.WriteFile(path, flip(data), 0o666); err != nil {
		t.Fatal(err)
	}
	var written atomic.Int32
	set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			written.Add(1)
		}
		return false
	})
	fails(t, "app.parc", "push", path, host+"/shop:1")
	if written.Load() != 0 {
		t.Error("something was written")
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	host, set := faulty(t)
	path, _ := archiveOf{calls: 1}.write(t)
	must(t, "push", path, host+"/shop:1")
	to := newTarget(t)
	for name, args := range map[string][]string{"pull": {"pull", host + "/shop:1", "-o", to.path},
		"push": {"push", path, host + "/shop:2"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			interrupt()
			hang(r)
			return true
		})
		if _, said, code := fleet(ctx, args...); code != 130 || said != "profarc-fleet: interrupted\n" {
			t.Errorf("%s: exit code %d, %q", name, code, said)
		}
	}
	to.holds(t, nil)
}

// Whatever a layer is: it is refused, and nothing is written.
func TestForgedArchives(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	repo, err := registry.Open(host+"/shop", registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, sound := archiveOf{calls: 1}.write(t)
	_, other := archiveOf{calls: 2, build: "21+1"}.write(t)
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		z, _ := zstd.NewWriter(&b)
		_, _ = z.Write(data)
		_ = z.Close()
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		layer   []byte
		archive []byte // of which the annotations are
		want    string
	}{
		"not compressed":        {sound, sound, "tampered with"},
		"another archive":       {pack(other), sound, "tampered with"},
		"expands to more":       {pack(make([]byte, 1<<28)), sound, "tampered with"},
		"more behind it":        {append(pack(sound), pack([]byte("more"))...), sound, "tampered with"},
		"garbage behind it":     {append(pack(sound), 1, 2, 3), sound, "tampered with"},
		"cut":                   {half(pack(sound)), sound, "tampered with"},
		"no archive":            {pack([]byte("hello")), []byte("hello"), "no sound archive"},
		"a cut archive":         {pack(half(sound)), half(sound), "no sound archive"},
		"a damaged archive":     {pack(flip(bytes.Clone(sound))), flip(bytes.Clone(sound)), "no sound archive"},
		"of another VM inside":  {pack(other), other, "another build of the VM (21+1)"},
		"without what it is of": {pack(sound), nil, "does not say what archive it is"},
	} {
		layer := ocispec.Descriptor{MediaType: artifact.LayerType, Digest: digest.FromBytes(c.layer),
			Size: int64(len(c.layer)), Annotations: map[string]string{
				"io.github.profarc.archive.digest": digest.FromBytes(c.archive).String(),
				"io.github.profarc.archive.size":   fmt.Sprint(len(c.archive)),
			}}
		manifest, err := artifact.Manifest(artifact.Facts{Domain: "hotspot", Format: disk.VersionString(disk.Version),
			Builds: []string{ourBuild}}, []ocispec.Descriptor{layer}, nil)
		if err == nil {
			err = repo.PushBlob(t.Context(), layer, func() (io.Reader, error) { return bytes.NewReader(c.layer), nil })
		}
		if err == nil {
			err = pushEmptyConfig(t.Context(), repo)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := repo.PushManifest(t.Context(), ocispec.MediaTypeImageManifest, manifest, "")
		if err != nil {
			t.Fatal(err)
		}
		to := newTarget(t)
		t.Log(name)
		fails(t, c.want, "pull", host+"/shop@"+d.Digest.String(), "-o", to.path)
		to.holds(t, nil)
	}
}

// Credentials come from docker's configuration.
func TestCredentials(t *testing.T) {
	host, set := faulty(t)
	set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if name, word, _ := r.BasicAuth(); name == "ci" && word == "secret" {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	path, data := archiveOf{calls: 1}.write(t)
	fails(t, "run docker login "+host, "push", path, host+"/shop:1")
	folder, to := t.TempDir(), newTarget(t)
	t.Setenv("DOCKER_CONFIG", folder)
	config := func(auth string) {
		text := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, auth)
		if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config("Y2k6d3Jvbmc=") // ci:wrong
	fails(t, "run docker login "+host, "push", path, host+"/shop:1")
	config("Y2k6c2VjcmV0") // ci:secret
	must(t, "push", path, host+"/shop:1")
	must(t, "pull", host+"/shop:1", "-o", to.path)
	to.holds(t, data)
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, "the registries' accounts cannot be read", "pull", host+"/shop:1", "-o", to.path)
}
