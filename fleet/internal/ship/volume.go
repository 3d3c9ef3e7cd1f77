package ship

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"fmt"
	"io"
	"path/filepath"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/reader"
)

// A pushedVolume is an image for volumes that push wrote.
type pushedVolume struct {
	Platform  artifact.Platform `json:"platform"`
	Reference string            `json:"reference"` // reference with the digest
	Signature string            `json:"signature,omitempty"`

	manifest   []byte
	descriptor ocispec.Descriptor
}

// checkVolume returns a usage error if an archive cannot be pushed as a volume.
func (o *pushOptions) checkVolume(f artifact.Facts, archive string) error {
	if o.volume && len(f.Platforms) == 0 {
		return cli.Usagef("%s does not say its platform, and container runtimes ask for it: name it with --platform "+
			"linux/amd64 or --platform linux/amd64,linux/arm64", archive)
	}
	return nil
}

// packVolume packs an archive, and its base unless base is nil.
func packVolume(ctx context.Context, a *cli.App, s, base *reader.Store) (*artifact.Volume, error) {
	m := a.Meter("packing " + s.Mapping().Name())
	defer m.Done()
	stores := []*reader.Store{s}
	if base != nil {
		stores = append(stores, base)
	}
	return artifact.PackVolume(ctx, stores, filepath.Dir(s.Mapping().Name()))
}

// uploadVolume uploads a volume for each platform of an archive, and tags it if the archive has a tag.
func (p *pushed) uploadVolume(ctx context.Context, a *cli.App, repo *registry.Repository, v *artifact.Volume,
	archive ocispec.Descriptor, key *ecdsa.PrivateKey) error {
	if _, err := pushLayers(ctx, a, repo, []*artifact.Packed{v.Packed}); err != nil {
		return err
	}
	for _, platform := range p.Facts.Platforms {
		one, err := p.uploadImage(ctx, repo, v, platform, archive, key)
		if err != nil {
			return err
		}
		p.Volumes = append(p.Volumes, one)
	}
	if p.Tag == "" {
		return nil
	}
	p.VolumeTag = artifact.VolumeTag(p.Tag)
	return p.tagVolumes(ctx, repo)
}

// uploadImage uploads the image of a volume for a platform, signs it unless key is nil, and attaches it to the archive.
func (p *pushed) uploadImage(ctx context.Context, repo *registry.Repository, v *artifact.Volume,
	platform artifact.Platform, archive ocispec.Descriptor, key *ecdsa.PrivateKey) (one pushedVolume, err error) {
	text, err := v.Config(p.Facts, platform)
	if err != nil {
		return one, err
	}
	config := ocispec.Descriptor{MediaType: ocispec.MediaTypeImageConfig, Digest: digest.FromBytes(text),
		Size: int64(len(text))}
	err = repo.PushBlob(ctx, config, func() (io.Reader, error) { return bytes.NewReader(text), nil })
	if err != nil {
		return one, err
	}
	one = pushedVolume{Platform: platform}
	one.manifest, err = v.Manifest(p.Facts, platform, config, archive)
	if err != nil {
		return one, err
	}
	one.descriptor, err = repo.PushManifest(ctx, ocispec.MediaTypeImageManifest, one.manifest, "")
	if err != nil {
		return one, err
	}
	one.Reference = repo.Full(one.descriptor.Digest.String())
	if key != nil {
		signed, err := attachSignature(ctx, repo, key, one.descriptor, p.Facts)
		if err != nil {
			return one, err
		}
		one.Signature = signed.Digest.String()
	}
	_, err = repo.Attach(ctx, archive.Digest, one.descriptor)
	return one, err
}

// tagVolumes tags the volume of an archive, or an index of its volumes for several platforms.
func (p *pushed) tagVolumes(ctx context.Context, repo *registry.Repository) error {
	if len(p.Volumes) == 1 {
		_, err := repo.PushManifest(ctx, ocispec.MediaTypeImageManifest, p.Volumes[0].manifest, p.VolumeTag)
		return err
	}
	var all []ocispec.Descriptor
	for _, v := range p.Volumes {
		d := v.descriptor
		all = append(all, artifact.WithPlatform(d, v.Platform))
	}
	index, err := artifact.VolumeIndex(all)
	if err == nil {
		_, err = repo.PushManifest(ctx, ocispec.MediaTypeImageIndex, index, p.VolumeTag)
	}
	return err
}

// volumesOf returns the volumes that are attached to an archive. With a key, their signatures are verified.
func volumesOf(ctx context.Context, repo *registry.Repository, archive *artifact.Archive,
	key *ecdsa.PublicKey) (volumes []ocispec.Descriptor, err error) {
	attached, err := repo.Attached(ctx, archive.Descriptor.Digest)
	if err != nil {
		return nil, err
	}
	for _, d := range attached {
		if !canBeType(d, ocispec.MediaTypeImageConfig) {
			continue
		}
		data, err := repo.Manifest(ctx, d)
		if registry.IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v, ok := artifact.ParseVolume(d, data, archive.Descriptor.Digest)
		if !ok {
			continue
		}
		if key != nil {
			if err := verifySignature(ctx, repo, key, v); err != nil {
				return nil, fmt.Errorf("%s, a volume of %s: %w: push it again with --volume and --sign",
					repo.Full(v.Digest.String()), archive.Descriptor.Digest, err)
			}
		}
		volumes = append(volumes, v)
	}
	return volumes, nil
}

// settleVolumes writes the tag of a channel's volumes. whole is true if nothing was to be written.
func settleVolumes(ctx context.Context, repo *registry.Repository, tag string,
	c *artifact.Channel) (whole bool, err error) {
	volumes := c.Volumes()
	if len(volumes) == 0 {
		return true, nil
	}
	index, err := artifact.VolumeIndex(volumes)
	if err != nil {
		return false, err
	}
	there, err := repo.Resolve(ctx, artifact.VolumeTag(tag))
	switch {
	case err == nil && there.Digest == digest.FromBytes(index):
		return true, nil
	case err != nil && !registry.IsMissing(err):
		return false, err
	}
	_, err = repo.PushManifest(ctx, ocispec.MediaTypeImageIndex, index, artifact.VolumeTag(tag))
	return false, err
}
