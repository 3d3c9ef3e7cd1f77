package ship

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

// TestPruneWhileOthersPromote promotes the archive that prune removes, before each request of prune. Afterwards the
// promoted archive is there with its signature and volume, unless promote says that it is gone.
func TestPruneWhileOthersPromote(t *testing.T) {
	t.Parallel()
	private, public := keys(t)
	stayed, refused := 0, 0
	for at := int64(1); ; at++ {
		var left atomic.Int64
		left.Store(1 << 30)
		promoted := func() {}
		host := testregistry.Memory(t, at%2 == 0, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left.Add(-1) == 0 {
					promoted()
				}
				h.ServeHTTP(w, r)
			})
		})
		s := shop{t, host, host + "/shop"}
		shopImage := image(t, host, "shop:1")
		before := s.push(1, s.name+":first", "--sign", private)
		must(t, "promote", before.Reference, "--to", "prod")
		old := s.push(2, "--subject", shopImage, "--sign", private, "--volume")
		s.push(3, "--subject", shopImage, "--sign", private)
		code, said := -1, ""
		promoted = func() { _, said, code = fleet(t.Context(), "promote", old.Reference, "--to", "prod", "--key", public) }
		left.Store(at)
		if _, said, code := fleet(t.Context(), "prune", s.name, "--keep", "1", "--remove"); code != 0 {
			t.Errorf("before request %d: prune: %d: %s", at, code, said)
		}
		left.Store(1 << 30)
		if code == -1 {
			break // prune has fewer requests
		}
		to := newTarget(t)
		must(t, "pull", host+"/shop:prod", "-o", to.path, "--key", public)
		switch current := s.list().Archives; {
		case code == 0:
			stayed++
			if !strings.Contains(must(t, "history", host+"/shop:prod"), " is "+old.Reference) {
				t.Errorf("before request %d: promoted, and it is not current", at)
			}
		case len(current) == 2:
			refused++
		default:
			t.Errorf("before request %d: %s: %d archives", at, said, len(current))
		}
	}
	if stayed < 20 || refused == 0 {
		t.Errorf("%d promotions held, %d were refused: too few to tell", stayed, refused)
	}
	t.Logf("%d promotions held, %d were refused", stayed, refused)
}

// TestPruneKeepsWhatNestedIndexesList keeps an archive that an index lists in an index.
func TestPruneKeepsWhatNestedIndexesList(t *testing.T) {
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
	for _, tag := range []string{"", "", "build-all"} {
		data, err := json.Marshal(ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2},
			MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{d}})
		if err == nil {
			d, err = repo.PushManifest(t.Context(), ocispec.MediaTypeImageIndex, data, tag)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.prune("--older-than", "1h", "--tags", "build-*", "--remove")
	equal(t, "left", s.digests(), listed.Digest)
}
