package ship

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

// readNamed returns the repository of a name, and the manifest or index that it names.
func readNamed(t *testing.T, name string) (repo *registry.Repository, d ocispec.Descriptor, data []byte) {
	t.Helper()
	repo, err := registry.Open(name, registry.Options{})
	if err == nil {
		d, err = repo.Resolve(t.Context(), repo.Reference())
	}
	if err == nil {
		data, err = repo.Manifest(t.Context(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo, d, data
}

// unpackImage returns the files of the image that a container runtime takes for a platform. It checks what runtimes
// check.
func unpackImage(t *testing.T, name string, platform artifact.Platform) (files map[string][]byte,
	manifest ocispec.Manifest) {
	t.Helper()
	repo, d, data := readNamed(t, name)
	if d.MediaType == ocispec.MediaTypeImageIndex {
		for _, m := range decoded[ocispec.Index](t, string(data)).Manifests {
			if artifact.PlatformOf(m) == platform {
				var err error
				data, err = repo.Manifest(t.Context(), m)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	manifest = decoded[ocispec.Manifest](t, string(data))
	blob := func(d ocispec.Descriptor) []byte {
		content, err := repo.SmallBlob(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if manifest.Config.MediaType != ocispec.MediaTypeImageConfig || manifest.ArtifactType != "" ||
		len(manifest.Layers) != 1 || manifest.Layers[0].MediaType != ocispec.MediaTypeImageLayerGzip {
		t.Fatalf("no image of one layer: %s", data)
	}
	z, err := gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	config := decoded[ocispec.Image](t, string(blob(manifest.Config)))
	if config.OS+"/"+config.Architecture != string(platform) || config.RootFS.Type != "layers" ||
		len(config.RootFS.DiffIDs) != 1 || config.RootFS.DiffIDs[0] != digest.FromBytes(layer) {
		t.Errorf("configuration %+v of a layer %s", config, digest.FromBytes(layer))
	}
	files = map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(layer)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files, manifest
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg || header.Mode != 0o444 || header.Uid != 0 {
			t.Errorf("%+v", header)
		}
		files[header.Name], err = io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestVolumes: an archive and its volumes are pushed, signed, promoted, and rolled back together.
func TestVolumes(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		private, public := keys(t)
		push := func(day int, more ...string) ([]byte, pushed) {
			path, data := archiveOf{day: day, calls: uint64(day), on: "linux-s390"}.write(t)
			return data, decoded[pushed](t, must(t, append([]string{"push", path, host + "/shop:main", "--subject", shop,
				"--sign", private, "--json"}, more...)...))
		}
		holds := func(tag string, want []byte) ocispec.Manifest {
			t.Helper()
			files, manifest := unpackImage(t, host+"/shop:"+tag, "linux/s390x")
			if len(files) != 1 || !bytes.Equal(files["app.parc"], want) {
				t.Errorf("%s has %d files, and %d bytes of app.parc; want %d", tag, len(files), len(files["app.parc"]), len(want))
			}
			return manifest
		}
		first, one := push(1, "--volume")
		manifest := holds("main.volume", first)
		if manifest.Subject == nil || manifest.Subject.Digest.String() != one.Digest || len(one.Volumes) != 1 ||
			one.Volumes[0].Signature == "" || one.VolumeTag != "main.volume" {
			t.Errorf("%+v, attached to %+v", one, manifest.Subject)
		}
		must(t, "promote", one.Reference, "--to", "prod", "--key", public)
		holds("prod.volume", first)
		second, two := push(2, "--volume")
		must(t, "promote", two.Reference, "--to", "prod", "--key", public)
		holds("prod.volume", second)
		must(t, "rollback", host+"/shop:prod")
		holds("prod.volume", first)
		to := newTarget(t)
		fails(t, "it is an image for volumes: pull its archive, "+host+"/shop:main", "pull", host+"/shop:main.volume", "-o",
			to.path)
		must(t, "pull", host+"/shop:main", "-o", to.path, "--key", public, "--platform", "linux/s390x")
		to.holds(t, second)

		third, three := push(3)
		out := must(t, "promote", three.Reference, "--to", "prod")
		if !strings.Contains(out, "still has the volume of an archive before it: push the current one with --volume") {
			t.Error(out)
		}
		holds("prod.volume", first)
		push(3, "--volume")
		if out := must(t, "promote", three.Reference, "--to", "prod"); !strings.Contains(out, "/shop:prod.volume has its") {
			t.Error(out)
		}
		holds("prod.volume", third)
	})
}

// TestVolumesOfPlatforms: one layer serves all platforms, which have an index.
func TestVolumesOfPlatforms(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	base, layer, baseData, layerData := baseAndLayer(t, 7)
	out := must(t, "push", layer, "--base", base, host+"/shop:main", "--volume", "--platform", "linux/amd64,linux/arm64",
		"--json")
	again := must(t, "push", layer, "--base", base, testregistry.Memory(t, true, nil)+"/shop:main", "--volume",
		"--platform", "linux/arm64,linux/amd64", "--json")
	var layers []digest.Digest
	for i, v := range decoded[pushed](t, out).Volumes {
		files, manifest := unpackImage(t, host+"/shop:main.volume", v.Platform)
		if len(files) != 2 || !bytes.Equal(files["app.parc"], layerData) || !bytes.Equal(files["app.base.parc"], baseData) {
			t.Errorf("the volume for %s has %d files", v.Platform, len(files))
		}
		layers = append(layers, manifest.Layers[0].Digest)
		_, of, _ := strings.Cut(v.Reference, "@")
		if other := decoded[pushed](t, again).Volumes[i]; !strings.HasSuffix(other.Reference, of) {
			t.Errorf("another push has %s, want %s", other.Reference, of)
		}
	}
	if len(layers) != 2 || layers[0] != layers[1] {
		t.Errorf("layers %v", layers)
	}
}

// TestVolumeNeedsAPlatform: container runtimes refuse an image without one.
func TestVolumeNeedsAPlatform(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	path, _ := archiveOf{calls: 1, on: "nowhere"}.write(t)
	_, said, code := fleet(t.Context(), "push", path, host+"/shop:1", "--volume")
	if code != 2 || !strings.Contains(said, "name it with --platform linux/amd64 or --platform linux/amd64,linux/arm64") {
		t.Errorf("%d: %s", code, said)
	}
	must(t, "push", path, host+"/shop:1", "--volume", "--platform", "linux/amd64,linux/arm64")
}

// TestVolumeOfAnother: promote --key refuses an archive whose volume is not signed by the key.
func TestVolumeOfAnother(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, false, nil)
	private, public := keys(t)
	path, _ := archiveOf{calls: 1}.write(t)
	must(t, "push", path, host+"/shop:1", "--volume")
	must(t, "push", path, host+"/shop:1", "--sign", private)
	fails(t, "it has no signature: push it again with --volume and --sign", "promote", host+"/shop:1", "--to", "prod",
		"--key", public)
	must(t, "push", path, host+"/shop:1", "--sign", private, "--volume")
	must(t, "promote", host+"/shop:1", "--to", "prod", "--key", public)
}

// TestCopiesHaveTheVolume: a copy with all that is attached, as other clients make it, can be promoted elsewhere.
func TestCopiesHaveTheVolume(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		private, public := keys(t)
		path, data := archiveOf{calls: 1}.write(t)
		must(t, "push", path, host+"/shop:1", "--volume", "--sign", private)
		there := testregistry.Memory(t, true, nil)
		from, err1 := remote.NewRepository(host + "/shop")
		to, err2 := remote.NewRepository(there + "/shop")
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		from.PlainHTTP, to.PlainHTTP = true, true
		if _, err := oras.ExtendedCopy(t.Context(), from, "1", to, "1", oras.ExtendedCopyOptions{}); err != nil {
			t.Fatal(err)
		}
		must(t, "promote", there+"/shop:1", "--to", "prod", "--key", public)
		files, _ := unpackImage(t, there+"/shop:prod.volume", artifact.OwnPlatform())
		if !bytes.Equal(files["app.parc"], data) {
			t.Errorf("the copy has %d bytes, want %d", len(files["app.parc"]), len(data))
		}
	})
}
