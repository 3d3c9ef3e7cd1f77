package ship

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

// TestPullTakesItsPlatform: the newest archive is of another platform.
func TestPullTakesItsPlatform(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		own, ownData := archiveOf{day: 1, calls: 1}.write(t)
		other, otherData := archiveOf{day: 2, calls: 2, on: "linux-s390"}.write(t)
		for _, path := range []string{own, other} {
			must(t, "push", path, "--subject", shop)
		}
		to := newTarget(t)
		got := decoded[pulled](t, must(t, "pull", shop, "-o", to.path, "--json"))
		if len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Why, "it is of linux/s390x, and ") {
			t.Errorf("%+v", got.Skipped)
		}
		to.holds(t, ownData)
		must(t, "pull", shop, "-o", to.path, "--platform", "linux/s390x")
		to.holds(t, otherData)
		must(t, "pull", shop, "-o", to.path)
		must(t, "pull", shop, "-o", to.path, "--any")
		to.holds(t, otherData)
		fails(t, "no archive is of plan9/386, only of ", "pull", shop, "-o", to.path, "--platform", "plan9/386")
		fails(t, "no archive is of plan9/386, only of ", "promote", shop, "--to", "prod", "--platform",
			"plan9/386")
		must(t, "promote", shop, "--to", "prod", "--platform", string(artifact.OwnPlatform()))
		must(t, "promote", shop, "--to", "prod", "--platform", "linux/s390x")
		must(t, "pull", host+"/shop:prod", "-o", to.path)
		to.holds(t, ownData)
		checkPlatformsOfIndex(t, host+"/shop:prod", "linux/s390x", artifact.OwnPlatform())
	})
}

// checkPlatformsOfIndex compares the platforms of the manifests in an index.
func checkPlatformsOfIndex(t *testing.T, name string, want ...artifact.Platform) {
	t.Helper()
	_, _, data := readNamed(t, name)
	index := decoded[ocispec.Index](t, string(data))
	var got []artifact.Platform
	for _, m := range index.Manifests {
		got = append(got, artifact.PlatformOf(m))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the index has %v, want %v", got, want)
	}
}

// TestPlatformOfPush: --platform takes the place of what the archive says.
func TestPlatformOfPush(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	path, data := archiveOf{calls: 1, on: "linux-s390"}.write(t)
	to := newTarget(t)
	must(t, "push", path, host+"/shop:1")
	fails(t, "only of linux/s390x: name one of these with --platform, or train on ", "pull", host+"/shop:1", "-o",
		to.path)
	to.holds(t, nil)
	out := must(t, "push", path, host+"/shop:1", "--platform", "linux/s390x,"+string(artifact.OwnPlatform()))
	if !strings.Contains(out, "        for linux/") {
		t.Error(out)
	}
	must(t, "pull", host+"/shop:1", "-o", to.path)
	to.holds(t, data)
	for _, args := range [][]string{{"push", path, host + "/shop:1", "--platform", "amd64"},
		{"pull", host + "/shop:1", "-o", to.path, "--platform", "amd64"},
		{"pull", host + "/shop:1", "-o", to.path, "--platform", "linux/arm64", "--any"}} {
		if _, said, code := fleet(t.Context(), args...); code != 2 || !strings.Contains(said, "platform") {
			t.Errorf("%v: %d, %s", args, code, said)
		}
	}
}

// TestSubjectOfOnePlatform: an archive that is attached to a manifest of an image is of the manifest's platform.
func TestSubjectOfOnePlatform(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	repo, err := registry.Open(host+"/shop:1", registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex}
	index.SchemaVersion = 2
	for _, p := range []ocispec.Platform{{OS: "linux", Architecture: "s390x"}, {OS: "unknown", Architecture: "unknown"}} {
		one, err := registry.Open(image(t, host, "shop:"+p.Architecture), registry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := one.Resolve(t.Context(), p.Architecture)
		if err != nil {
			t.Fatal(err)
		}
		d.Platform = &p
		index.Manifests = append(index.Manifests, d)
	}
	text, err := json.Marshal(index)
	if err == nil {
		_, err = repo.PushManifest(t.Context(), ocispec.MediaTypeImageIndex, text, "1")
	}
	if err != nil {
		t.Fatal(err)
	}
	path, data := archiveOf{calls: 1, on: "nowhere"}.write(t)
	to := newTarget(t)
	must(t, "push", path, "--subject", host+"/shop:s390x")
	fails(t, "only of linux/s390x", "pull", host+"/shop:1", "-o", to.path)
	must(t, "push", path, "--subject", host+"/shop:unknown")
	must(t, "pull", host+"/shop:1", "-o", to.path)
	to.holds(t, data)
}
