package artifact

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/reader"
)

// volumeFiles are the names of an archive and its base in a volume. They are the same for all archives, so that the
// manifest of a pod stays as it is.
var volumeFiles = []string{"app.parc", "app.base.parc"}

const (
	annotationVolume  = prefix + "volume"  // of a volume's manifest: name of the archive's file
	annotationVolumes = prefix + "volumes" // of an archive in a channel: its volumes
)

// VolumeTag returns the tag of the volumes of the archives with a tag.
func VolumeTag(tag string) string { return tag + ".volume" }

// A Volume is an image of one layer with an archive, and with its base if it is itself a layer, as files. Container
// runtimes unpack it.
type Volume struct {
	*Packed
	diffID digest.Digest // digest of the tar file
}

// PackVolume packs an archive, and optionally its base, to a file in folder. Close removes the file.
func PackVolume(ctx context.Context, stores []*reader.Store, folder string) (*Volume, error) {
	file, err := publish.CreateUnnamed(folder)
	if err != nil {
		return nil, err
	}
	v := &Volume{Packed: &Packed{file: file}}
	if err := v.writeLayer(ctx, stores); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// writeLayer writes the layer. Its bytes depend on the archives only.
func (v *Volume) writeLayer(ctx context.Context, stores []*reader.Store) error {
	packed, plain := digest.Canonical.Digester(), digest.Canonical.Digester()
	counted := &countingWriter{w: io.MultiWriter(v.file, packed.Hash())}
	z := gzip.NewWriter(counted)
	w := tar.NewWriter(io.MultiWriter(z, plain.Hash()))
	for i, s := range stores {
		data := (*mapped.Mapping)(s.Mapping()).Unchecked()
		err := w.WriteHeader(&tar.Header{Name: volumeFiles[i], Mode: 0o444, Size: int64(len(data)), ModTime: time.Unix(0, 0)})
		if err == nil {
			_, err = io.Copy(w, contextReader{ctx, bytes.NewReader(data)})
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	v.diffID = plain.Digest()
	v.Layer = ocispec.Descriptor{MediaType: ocispec.MediaTypeImageLayerGzip, Digest: packed.Digest(), Size: counted.n}
	return nil
}

// Config returns the configuration of the volume's image for a platform.
func (v *Volume) Config(f Facts, p Platform) ([]byte, error) {
	created := f.Created.UTC()
	return json.Marshal(ocispec.Image{Created: &created, Platform: *p.describe(),
		RootFS:  ocispec.RootFS{Type: "layers", DiffIDs: []digest.Digest{v.diffID}},
		History: []ocispec.History{{Created: &created, CreatedBy: "profarc push --volume"}}})
}

// Manifest returns the manifest of the volume's image for a platform. It is attached to the manifest of the archive.
func (v *Volume) Manifest(f Facts, p Platform, config, archive ocispec.Descriptor) ([]byte, error) {
	f.Platforms = []Platform{p}
	all := f.annotations()
	all[annotationVolume] = volumeFiles[0]
	return json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: config,
		Layers:      []ocispec.Descriptor{v.Layer},
		Subject:     &ocispec.Descriptor{MediaType: archive.MediaType, Digest: archive.Digest, Size: archive.Size},
		Annotations: all,
	})
}

// ParseVolume returns the descriptor of a volume's manifest with its platform. It is attached to the archive with the
// digest subject. ok is false for other manifests.
func ParseVolume(d ocispec.Descriptor, manifest []byte, subject digest.Digest) (v ocispec.Descriptor, ok bool) {
	var m ocispec.Manifest
	if json.Unmarshal(manifest, &m) != nil || m.Annotations[annotationVolume] == "" ||
		m.Config.MediaType != ocispec.MediaTypeImageConfig || m.Subject == nil || m.Subject.Digest != subject {
		return v, false
	}
	platforms := parseFacts(m.Annotations).Platforms
	if len(platforms) != 1 {
		return v, false
	}
	return volumeOf(platforms[0], d.Digest, d.Size), true
}

func volumeOf(p Platform, d digest.Digest, size int64) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: d, Size: size, Platform: p.describe()}
}

// WithPlatform returns the descriptor of a volume with its platform.
func WithPlatform(d ocispec.Descriptor, p Platform) ocispec.Descriptor {
	return volumeOf(p, d.Digest, d.Size)
}

// VolumeIndex returns the image index of volumes for different platforms.
func VolumeIndex(volumes []ocispec.Descriptor) ([]byte, error) {
	return json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, Manifests: volumes,
	})
}

// Volumes returns for each platform the volume of the first archive that has one for it.
func (c *Channel) Volumes() (all []ocispec.Descriptor) {
	seen := map[Platform]bool{}
	for _, d := range c.Archives {
		for _, v := range volumesOf(d) {
			if p := PlatformOf(v); !seen[p] {
				all = append(all, v)
				seen[p] = true
			}
		}
	}
	return all
}

// CurrentHasVolume reports whether the current archive has volumes.
func (c *Channel) CurrentHasVolume() bool {
	return len(c.Archives) > 0 && len(volumesOf(c.Archives[0])) > 0
}

// formatVolumes formats volumes as an annotation of the archive in a channel.
func formatVolumes(volumes []ocispec.Descriptor) string {
	var parts []string
	for _, v := range volumes {
		parts = append(parts, fmt.Sprintf("%s %s %d", PlatformOf(v), v.Digest, v.Size))
	}
	return strings.Join(parts, ", ")
}

// volumesOf parses the annotation that formatVolumes wrote. It omits malformed parts.
func volumesOf(d ocispec.Descriptor) (volumes []ocispec.Descriptor) {
	for _, part := range strings.Split(d.Annotations[annotationVolumes], ", ") {
		words := strings.Fields(part)
		if len(words) != 3 {
			continue
		}
		p, err := ParsePlatform(words[0])
		of, err2 := digest.Parse(words[1])
		size, err3 := strconv.ParseInt(words[2], 10, 64)
		if errors.Join(err, err2, err3) == nil && size > 0 {
			volumes = append(volumes, volumeOf(p, of, size))
		}
	}
	return volumes
}
