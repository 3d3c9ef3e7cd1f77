package ship

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
)

// pushEmptyConfig uploads the empty configuration of artifacts.
func pushEmptyConfig(ctx context.Context, repo *registry.Repository) error {
	d := ocispec.DescriptorEmptyJSON
	return repo.PushBlob(ctx, d, func() (io.Reader, error) { return bytes.NewReader(d.Data), nil })
}

// attachSignature attaches a signature to the manifest d.
func attachSignature(ctx context.Context, repo *registry.Repository, key *ecdsa.PrivateKey, d ocispec.Descriptor,
	f artifact.Facts) (ocispec.Descriptor, error) {
	bundle, err := signature.Sign(key, d.Digest)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	layer := ocispec.Descriptor{MediaType: signature.BundleType, Digest: digest.FromBytes(bundle),
		Size: int64(len(bundle))}
	err = repo.PushBlob(ctx, layer, func() (io.Reader, error) { return bytes.NewReader(bundle), nil })
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	manifest, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		ArtifactType: signature.BundleType,
		Config:       ocispec.DescriptorEmptyJSON, Layers: []ocispec.Descriptor{layer},
		Subject: &ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size},
		Annotations: map[string]string{
			"dev.sigstore.bundle.content":       "dsse-envelope",
			"dev.sigstore.bundle.predicateType": signature.PredicateType,
			ocispec.AnnotationCreated:           f.Created.UTC().Format(time.RFC3339Nano),
		},
	})
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	signed, err := repo.PushManifest(ctx, ocispec.MediaTypeImageManifest, manifest, "")
	if err == nil {
		_, err = repo.Attach(ctx, d.Digest, signed)
	}
	return signed, err
}

var errUnsigned = errors.New("it has no signature")

// maxSignatures is the maximum number of signatures to verify for an archive.
const maxSignatures = 100

// verifySignature returns nil if a manifest has a valid signature by key.
func verifySignature(ctx context.Context, repo *registry.Repository, key *ecdsa.PublicKey, d ocispec.Descriptor) error {
	attached, err := repo.Attached(ctx, d.Digest)
	if err != nil {
		return err
	}
	why := errUnsigned
	tried := 0
	for _, a := range attached {
		if tried == maxSignatures {
			break
		}
		bundle, err := bundleOf(ctx, repo, a)
		if errors.Is(err, registry.ErrTampered) || registry.IsMissing(err) {
			why = err
			continue
		}
		if err != nil {
			return err
		}
		if bundle == nil {
			continue
		}
		tried++
		why = signature.Verify(key, bundle, d.Digest)
		if why == nil {
			return nil
		}
	}
	return why
}

// bundleOf returns the signature bundle of an attached manifest, or nil if d is not a signature.
func bundleOf(ctx context.Context, repo *registry.Repository, d ocispec.Descriptor) ([]byte, error) {
	if !canBeType(d, signature.BundleType) {
		return nil, nil
	}
	data, err := repo.Manifest(ctx, d)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if json.Unmarshal(data, &m) != nil || m.ArtifactType != signature.BundleType || len(m.Layers) != 1 ||
		m.Layers[0].MediaType != signature.BundleType {
		return nil, nil
	}
	return repo.SmallBlob(ctx, m.Layers[0])
}

// canBeType reports whether an attached manifest can have an artifact type. The referrer lists of some registries have
// the
// wrong type or no type.
func canBeType(d ocispec.Descriptor, artifactType string) bool {
	return d.ArtifactType == artifactType || d.ArtifactType == "" || d.ArtifactType == ocispec.MediaTypeEmptyJSON
}
