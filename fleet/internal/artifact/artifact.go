// Package artifact defines the form of an archive in a registry: an OCI artifact whose only
// layer is the compressed archive, and whose annotations describe the program and the run, so
// that an archive can be chosen without being read. docs/fleet.md has the format.
//
// The same archive makes the same manifest, byte for byte.
package artifact

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Media types.
const (
	ArchiveType = "application/vnd.profarc.archive.v1"      // artifact type of an archive
	LayerType   = "application/vnd.profarc.archive.v1+zstd" // of its layer
	ChannelType = "application/vnd.profarc.channel.v1"      // artifact type of an index of promoted archives
	EventType   = "application/vnd.profarc.event.v1"        // of an index with one event of a channel
)

// ErrOther: content is of another kind or form than expected.
var ErrOther = errors.New("not what it should be")

// Manifest returns the manifest of a packed archive, attached to a subject unless that is nil.
func Manifest(f Facts, layer ocispec.Descriptor, subject *ocispec.Descriptor) ([]byte, error) {
	if subject != nil {
		subject = &ocispec.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size}
	}
	return json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArchiveType,
		Config: ocispec.DescriptorEmptyJSON, Layers: []ocispec.Descriptor{layer}, Subject: subject,
		Annotations: f.annotations(),
	})
}

// An Archive is an archive in a registry, as far as its manifest says.
type Archive struct {
	Descriptor ocispec.Descriptor // of the manifest
	Layer      ocispec.Descriptor
	Subject    *ocispec.Descriptor // what it is attached to; nil: nothing
	Facts      Facts
}

// Parse reads the manifest of an archive. The error matches ErrOther if it is one of something else.
func Parse(d ocispec.Descriptor, manifest []byte) (*Archive, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("%w: %s is no manifest: %v", ErrOther, d.Digest, err)
	}
	if m.ArtifactType != ArchiveType {
		return nil, fmt.Errorf("%w: %s is no archive of profiles", ErrOther, d.Digest)
	}
	if len(m.Layers) != 1 || m.Layers[0].MediaType != LayerType {
		return nil, fmt.Errorf("%w: %s has not the one layer that archives have: a newer profarc may have pushed it",
			ErrOther, d.Digest)
	}
	return &Archive{Descriptor: d, Layer: m.Layers[0], Subject: m.Subject, Facts: parseFacts(m.Annotations)}, nil
}
