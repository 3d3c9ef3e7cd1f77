package ship

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

// A shop is a repository with archives in all positions.
type shop struct {
	t    *testing.T
	host string
	name string
}

func (s shop) push(day int, args ...string) pushed {
	s.t.Helper()
	path, _ := archiveOf{day: day, calls: uint64(day)}.write(s.t)
	return decoded[pushed](s.t, must(s.t, append(append([]string{"push", path}, args...), "--json")...))
}

// digests returns the archives that list finds, newest first.
func (s shop) digests() (list []string) {
	s.t.Helper()
	for _, a := range s.list().Archives {
		list = append(list, a.Digest.String())
	}
	return list
}

func (s shop) list() inventory {
	s.t.Helper()
	return decoded[inventory](s.t, must(s.t, "list", s.name, "--json"))
}

func (s shop) prune(args ...string) pruned {
	s.t.Helper()
	return decoded[pruned](s.t, must(s.t, append([]string{"prune", s.name, "--json"}, args...)...))
}

func removed(p pruned) (list []string) {
	for _, a := range p.Remove {
		list = append(list, a.Digest.String())
	}
	return list
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestListAndPrune: what a kept tag refers to stays, and of the rest nothing is left.
func TestListAndPrune(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		s := shop{t, host, host + "/shop"}
		private, public := keys(t)
		shopImage := image(t, host, "shop:1")
		old := s.push(1, "--subject", shopImage, "--sign", private, "--volume")
		before := s.push(2, "--subject", shopImage, "--sign", private)
		must(t, "promote", before.Reference, "--to", "prod")
		current := s.push(3, "--subject", shopImage, "--sign", private, "--volume")
		must(t, "promote", current.Reference, "--to", "prod", "--key", public)
		build := s.push(4, s.name+":build-4", "--volume")
		tagged := s.push(5, s.name+":release")
		newest := s.push(6, "--subject", shopImage)
		all := []string{newest.Digest, tagged.Digest, build.Digest, current.Digest, before.Digest, old.Digest}
		equal(t, "list", s.digests(), all...)

		listed := s.list()
		if a := listed.Archives[3]; !slices.Equal(a.Promoted, []string{"prod"}) || len(a.Signatures) != 1 ||
			len(a.Volumes) != 1 || !slices.Contains(a.Images, "1") || !slices.Contains(a.Tags, "prod.volume") {
			t.Errorf("%+v", a)
		}
		out := must(t, "list", s.name)
		for _, want := range []string{"*prod", "-prod", "build-4", "release", "yes", "6 archives: ", "1 promoted",
			"2 events"} {
			if !strings.Contains(out, want) {
				t.Errorf("list does not print %q:\n%s", want, out)
			}
		}

		equal(t, "as prune shows it", removed(s.prune("--keep", "1")), old.Digest)
		equal(t, "nothing changed", s.digests(), all...)
		equal(t, "all are young enough", removed(s.prune("--older-than", "36500d")))
		equal(t, "with tags", removed(s.prune("--keep", "1", "--older-than", "1h", "--tags", "build-*")), build.Digest,
			old.Digest)
		equal(t, "the newest of a group", removed(s.prune("--older-than", "1h", "--tags", "build-*")), newest.Digest,
			build.Digest, old.Digest)
		equal(t, "removed", removed(s.prune("--older-than", "1h", "--tags", "build-*", "--remove")), newest.Digest,
			build.Digest, old.Digest)
		equal(t, "left", s.digests(), tagged.Digest, current.Digest, before.Digest)
		equal(t, "again", removed(s.prune("--older-than", "1h", "--tags", "build-*")))

		repo, err := registry.Open(s.name, registry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		gone := []string{newest.Digest, build.Digest, old.Digest, "build-4", "build-4.volume", old.Signature,
			strings.Replace(old.Digest, ":", "-", 1)}
		for _, p := range []pushed{build, old} {
			for _, v := range p.Volumes {
				_, d, _ := strings.Cut(v.Reference, "@")
				gone = append(gone, d, strings.Replace(d, ":", "-", 1))
			}
		}
		for _, reference := range gone {
			d, err := repo.Resolve(t.Context(), reference)
			if err == nil {
				_, err = repo.Manifest(t.Context(), d)
			}
			if !registry.IsMissing(err) {
				t.Errorf("%s is left: %v", reference, err)
			}
		}
		to := newTarget(t)
		must(t, "pull", shopImage, "--promoted", "prod", "-o", to.path, "--key", public)
		must(t, "rollback", host+"/shop:prod")
		must(t, "pull", host+"/shop:prod", "-o", to.path, "--key", public)
		must(t, "pull", host+"/shop:release", "-o", to.path)
		unpackImage(t, host+"/shop:prod.volume", artifact.OwnPlatform())
	})
}

// TestPruneKeepsWhatIndexesList: an index of somebody else is a kept tag, too.
func TestPruneKeepsWhatIndexesList(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	s := shop{t, host, host + "/shop"}
	listed := s.push(1, s.name+":build-1")
	s.push(2, s.name+":build-2")
	repo, err := registry.Open(s.name, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := repo.Resolve(t.Context(), listed.Digest)
	if err != nil {
		t.Fatal(err)
	}
	index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{d}}
	index.SchemaVersion = 2
	data, err := json.Marshal(index)
	if err == nil {
		_, err = repo.PushManifest(t.Context(), ocispec.MediaTypeImageIndex, data, "build-all")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.prune("--older-than", "1h", "--tags", "build-*", "--remove")
	equal(t, "left", s.digests(), listed.Digest)
}

// TestPruneByPlatform: each platform keeps its newest.
func TestPruneByPlatform(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, false, nil)
	s := shop{t, host, host + "/shop"}
	shopImage := image(t, host, "shop:1")
	other := s.push(1, "--subject", shopImage, "--platform", "linux/s390x")
	first := s.push(2, "--subject", shopImage, "--platform", "linux/amd64")
	second := s.push(3, "--subject", shopImage, "--platform", "linux/amd64")
	equal(t, "removed", removed(s.prune("--keep", "1", "--remove")), first.Digest)
	equal(t, "left", s.digests(), second.Digest, other.Digest)
}

// TestPruneIsRefused: a registry that deletes nothing, and usage that does not say what stays.
func TestPruneIsRefused(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	s := shop{t, host, host + "/shop"}
	s.push(1, "--subject", image(t, host, "shop:1"))
	fails(t, "deletes nothing (405 Method Not Allowed): ask those who run it", "prune", s.name, "--older-than", "1h",
		"--remove")
	out := must(t, "prune", s.name, "--older-than", "1h")
	if !strings.Contains(out, "would remove 1 archive and 0 events, 0 stay\nnothing was removed: add --remove\n") {
		t.Error(out)
	}
	for _, args := range [][]string{{"prune", s.name}, {"prune", s.name, "--keep", "-1"},
		{"prune", s.name, "--older-than", "soon"}, {"prune", s.name, "--older-than", "-3d"},
		{"prune", s.name, "--keep", "1", "--tags", "[a"}, {"prune", s.name + ":1", "--keep", "1"},
		{"list", s.name + ":1"}, {"list"}} {
		if _, said, code := fleet(t.Context(), args...); code != 2 {
			t.Errorf("%v: %d, %s", args, code, said)
		}
	}
	if out := must(t, "list", host+"/nothing"); out != "0 archives: 0 tags\n" {
		t.Error(out)
	}
}

// TestImmutableTags: what cannot be overwritten is said, and --immutable is such a rule of our own.
func TestImmutableTags(t *testing.T) {
	t.Parallel()
	host := testregistry.Immutable(t)
	first, _ := archiveOf{calls: 1}.write(t)
	second, _ := archiveOf{calls: 2}.write(t)
	must(t, "push", first, host+"/shop:1")
	must(t, "push", first, host+"/shop:1")
	fails(t, "refuses to overwrite it (403 Forbidden): take another tag", "push", second, host+"/shop:1")
	must(t, "promote", host+"/shop:1", "--to", "prod")
	must(t, "push", second, host+"/shop:2")
	fails(t, "exempt it from the registry's rule; promoted tags", "promote", host+"/shop:2", "--to", "prod")

	open := testregistry.Memory(t, true, nil)
	must(t, "push", first, open+"/shop:1", "--immutable")
	must(t, "push", first, open+"/shop:1", "--immutable")
	fails(t, "and --immutable keeps it: push with another tag", "push", second, open+"/shop:1", "--immutable")
	must(t, "push", second, open+"/shop:1")
}

// TestPruneThatEndsHalfway: wherever prune ends, the next one leaves nothing of the archive, and until then nobody gets
// it without its signature.
func TestPruneThatEndsHalfway(t *testing.T) {
	t.Parallel()
	private, public := keys(t)
	for after, ended := 0, true; ended; after++ {
		var writes atomic.Int64
		writes.Store(1 << 30)
		host := testregistry.Memory(t, false, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				write := r.Method == http.MethodDelete || r.Method == http.MethodPut
				if write && writes.Add(-1) < 0 {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				h.ServeHTTP(w, r)
			})
		})
		s := shop{t, host, host + "/shop"}
		shopImage := image(t, host, "shop:1")
		old := s.push(1, "--subject", shopImage, "--sign", private, "--volume")
		newest := s.push(2, "--subject", shopImage, "--sign", private)
		writes.Store(int64(after))
		_, _, code := fleet(t.Context(), "prune", s.name, "--keep", "1", "--remove")
		ended = code != 0
		to := newTarget(t)
		must(t, "pull", shopImage, "-o", to.path, "--key", public)
		writes.Store(1 << 30)
		must(t, "prune", s.name, "--keep", "1", "--remove")
		equal(t, "left", s.digests(), newest.Digest)
		repo, err := registry.Open(s.name, registry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tags, err := repo.AllTags(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range tags {
			subject, attached := registry.SubjectOf(tag)
			if attached && subject.String() == old.Digest {
				t.Errorf("after %d writes, %s is left", after, tag)
			}
		}
		if after > 100 {
			t.Fatal("prune never ends")
		}
	}
}

// TestPruneReadsAllTags keeps a promoted archive whose tag is the first of more than 10,000.
func TestPruneReadsAllTags(t *testing.T) {
	t.Parallel()
	var crowded atomic.Bool
	host := testregistry.Memory(t, true, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !crowded.Load() || !strings.HasSuffix(r.URL.Path, "/tags/list") {
				h.ServeHTTP(w, r)
				return
			}
			tags := []string{"prod"}
			for i := range 10_000 {
				tags = append(tags, fmt.Sprintf("stage.event-%012d-0123456789abcdef", i))
			}
			tags = append(tags, "version-1")
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"name": "shop", "tags": tags})
		})
	})
	s := shop{t, host, host + "/shop"}
	shopImage := image(t, host, "shop:version-1")
	current := s.push(1, "--subject", shopImage)
	must(t, "promote", current.Reference, "--to", "prod")
	newest := s.push(2, "--subject", shopImage)
	crowded.Store(true)
	equal(t, "removed", removed(s.prune("--keep", "1", "--remove")))
	crowded.Store(false)
	equal(t, "left", s.digests(), newest.Digest, current.Digest)
}
