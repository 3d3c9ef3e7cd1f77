package ship

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/file"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// baseAndLayer writes a base and a layer on it to folders of their own, and returns paths and bytes.
func baseAndLayer(t *testing.T, calls uint64) (base, layer string, baseData, layerData []byte) {
	t.Helper()
	base, baseData = archiveOf{calls: calls}.write(t)
	s, err := reader.Open(base, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "HotSpot " + ourBuild, DumpTime: s.Header().Time()})
	b.Internal().ExpectBase(s.Header().AsBase())
	p := b.Profile(layout.Key{Class: "app.Main", Name: "run", Signature: "()V"}, 0)
	p.Invocations(calls)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	if layerData, _, err = b.Bytes(); err != nil {
		t.Fatal(err)
	}
	layer = filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(layer, layerData, 0o666); err != nil {
		t.Fatal(err)
	}
	return base, layer, baseData, layerData
}

// A pulled layer opens with the base that came with it, and a base that is there is not sent or fetched again.
func TestLayersTravelWithTheirBase(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		base, layer, baseData, layerData := baseAndLayer(t, 7)
		first := decoded[pushed](t, must(t, "push", layer, "--base", base, "--subject", shop, "--json"))
		if first.There || first.Facts.Base == "" || first.Base != base {
			t.Errorf("%+v", first)
		}
		if out := must(t, "push", layer, "--base", base, "--subject", shop); !strings.HasPrefix(out, "there ") ||
			!strings.Contains(out, first.Digest) {
			t.Error(out)
		}
		to := newTarget(t)
		besides := filepath.Join(to.folder, "app.base.parc")
		for _, there := range []bool{false, true} {
			got := decoded[pulled](t, must(t, "pull", shop, "-o", to.path, "--json"))
			if got.There != there || got.Base == nil || got.Base.There != there || got.Base.Archive != besides {
				t.Errorf("%+v", got)
			}
		}
		hasBytes(t, to.path, layerData)
		hasBytes(t, besides, baseData)
		l, err := reader.OpenLayers(archive.Options{}, to.path, besides)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := l.Profile(layout.Key{Class: "shop.Main", Name: "sell", Signature: "()V"}, 0); err != nil {
			t.Errorf("what the layer left to its base: %v", err)
		}
		if err := os.Remove(besides); err != nil { // alone it comes again
			t.Fatal(err)
		}
		got := decoded[pulled](t, must(t, "pull", shop, "-o", to.path, "--json"))
		if !got.There || got.Base.There {
			t.Errorf("%+v", got)
		}
		hasBytes(t, besides, baseData)
		elsewhere := filepath.Join(t.TempDir(), "jdk.parc")
		must(t, "pull", shop, "-o", to.path, "--base", elsewhere)
		hasBytes(t, elsewhere, baseData)
	})
}

// hasBytes fails the test unless a file has these bytes.
func hasBytes(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, want %d others: %v", path, len(got), len(want), err)
	}
}

// What would leave a layer without its base is refused, with what to do.
func TestLayersWithoutTheirBase(t *testing.T) {
	t.Parallel()
	host := registries["with referrers"](t)
	base, layer, _, _ := baseAndLayer(t, 7)
	other, _ := archiveOf{calls: 8}.write(t)
	if _, said, code := fleet(t.Context(), "push", layer, host+"/shop:1"); code != 2 ||
		!strings.Contains(said, "name that file with --base, or make one archive of both with profarc merge") {
		t.Errorf("exit code %d: %s", code, said)
	}
	fails(t, "give the right base", "push", layer, "--base", other, host+"/shop:1")
	if _, said, code := fleet(t.Context(), "push", other, "--base", base, host+"/shop:1"); code != 2 ||
		!strings.Contains(said, "is no layer: leave out --base") {
		t.Errorf("exit code %d: %s", code, said)
	}
	// A client that knows nothing of bases pushed the layer alone, or with another base.
	to := newTarget(t)
	alone := pushByHand(t, host, layer)
	fails(t, "which was not pushed with it: push it again with --base", "pull", alone, "-o", to.path)
	to.holds(t, nil)
	fails(t, "is a layer on the archive", "pull", pushByHand(t, host, layer, other), "-o", to.path)
	to.holds(t, nil)
	must(t, "pull", alone, "-o", to.path, "--any")
}

// pushByHand pushes archives as the layers of one manifest, whatever they are, and returns its name.
func pushByHand(t *testing.T, host string, paths ...string) string {
	t.Helper()
	o := pushOptions{}
	o.flags = pushCommand(nil).Flags()
	o.timeout, o.maxTime = 1<<40, 1<<40
	repo, err := o.openRepository(host + "/shop")
	if err != nil {
		t.Fatal(err)
	}
	p := &pushed{}
	var layers []ocispec.Descriptor
	for _, path := range paths {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		one, err := packLayers(t.Context(), quiet(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer one[0].Close()
		sent, err := pushLayers(t.Context(), quiet(), repo, one)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, sent...)
		p.Facts.Format, p.Facts.Domain = disk.VersionString(disk.Version), "hotspot"
	}
	d, err := p.pushManifest(t.Context(), repo, layers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return repo.Full(d.Digest.String())
}

// A slim container has no java: --build says what will start, and only what is known to be of that build fits.
func TestBuildWithoutJava(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		shop := image(t, host, "shop:1")
		var data [2][]byte
		for i, build := range []string{"17.0.14+7", "21.0.5+11"} {
			var path string
			path, data[i] = archiveOf{day: i, calls: uint64(1 + i), build: build}.write(t)
			must(t, "push", path, "--subject", shop)
			must(t, "promote", shop, "--to", "prod")
		}
		b := builder.New(layout.DomainLLVMIR, builder.Config{})
		b.Internal().Table(disk.TableBinaryIDs, 0, disk.ColumnSymbol).Row(uint64(b.Internal().Symbol("\x0b\x1c\xff")))
		native := filepath.Join(t.TempDir(), "native.parc")
		if _, err := b.Commit(t.Context(), native); err != nil {
			t.Fatal(err)
		}
		must(t, "push", native, "--subject", shop)
		to := newTarget(t)
		for i, build := range []string{"17.0.14+7", "21.0.5+11"} {
			must(t, "pull", shop, "--promoted", "prod", "--build", build, "-o", to.path)
			to.holds(t, data[i])
		}
		got := decoded[pulled](t, must(t, "pull", shop, "--build", "0B1cFF", "-o", to.path, "--json"))
		if !slices.Equal(got.Facts.Builds, []string{"0b1cff"}) {
			t.Errorf("%+v", got)
		}
		fails(t, "it is of another build (17.0.14+7) than 11", "pull", shop, "--build", "11", "-o", to.path)
	})
}

// A merged archive is as new as its last run, and comes before that.
func TestMergedComesBeforeItsRuns(t *testing.T) {
	t.Parallel()
	host := registries["with referrers"](t)
	shop := image(t, host, "shop:1")
	for calls := range uint64(4) { // whatever the order of their digests is
		one, _ := archiveOf{day: int(calls), calls: 1 + calls}.write(t)
		other, _ := archiveOf{day: int(calls), calls: 11 + calls}.write(t)
		merged := filepath.Join(t.TempDir(), "merged.parc")
		mergeArchives(t, merged, one, other)
		for _, path := range []string{one, merged, other} {
			must(t, "push", path, "--subject", shop)
		}
		got := decoded[pulled](t, must(t, "pull", shop, "-o", newTarget(t).path, "--json"))
		if got.Facts.Runs != 2 {
			t.Errorf("an archive of %d run is pulled, want the merged one", got.Facts.Runs)
		}
	}
}

// mergeArchives writes the merge of archives to a path.
func mergeArchives(t *testing.T, to string, paths ...string) {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, path := range paths {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Commit(t.Context(), to); err != nil {
		t.Fatal(err)
	}
}

// Another client writes files that are what their names say: a layer and its base, compressed.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, host string) {
		base, layer, baseData, layerData := baseAndLayer(t, 7)
		must(t, "push", layer, "--base", base, host+"/shop:main")
		folder := t.TempDir()
		files, err := file.New(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		repo, err := remote.NewRepository(host + "/shop")
		if err != nil {
			t.Fatal(err)
		}
		repo.PlainHTTP = true
		if _, err := oras.Copy(t.Context(), repo, "main", files, "main", oras.CopyOptions{}); err != nil {
			t.Fatal(err)
		}
		z, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for name, want := range map[string][]byte{"app.parc.zst": layerData, "base-app.parc.zst": baseData} {
			packed, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := z.DecodeAll(packed, nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s has %d bytes, want %d: %v", name, len(got), len(want), err)
			}
		}
	})
}
