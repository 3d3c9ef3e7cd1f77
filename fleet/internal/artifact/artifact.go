// Package artifact defines the form of an archive in a registry: an OCI artifact whose first
// layer is the compressed archive, and whose annotations describe the program and the run, so
// that an archive can be chosen without being read.
//
// # Format
//
// An archive is an image manifest (OCI 1.1) with `artifactType` `application/vnd.profarc.archive.v1`,
// the empty configuration, and one layer of type `application/vnd.profarc.archive.v1+zstd`: the
// archive in one Zstandard frame with a window of 8 MiB at most, whose title is the name of the
// archive and `.zst`: a client such as `oras pull` writes a file of that name. An archive that is a
// layer on a base has the base as its second layer, in the same form. So the manifest names the base by
// its digest: a registry keeps both, a copy takes both, and a signature covers both. Layers of several
// manifests on one base are one blob. A layer's annotations are `org.opencontainers.image.title`, the
// file's name, and
//
//   - `io.github.profarc.archive.digest`: digest of the archive, not compressed
//   - `io.github.profarc.archive.size`: its size in bytes
//
// Annotations of the manifest, each left out if it is not known:
//
//   - `org.opencontainers.image.created`: when the counts were taken; of several runs, the last
//   - `io.github.profarc.domain`, `.format`, `.producer`: domain, version of the archive format, what
//     wrote it
//   - `io.github.profarc.builds`: builds of the VMs that were profiled, as `17.0.14+7`, or build ids of
//     programs, in hexadecimal; separated by spaces
//   - `io.github.profarc.main`: main class, module or jar
//   - `io.github.profarc.fingerprint`: of VM and class path, in hexadecimal
//   - `io.github.profarc.dump`, `.dumps`: id of its dump, and of the dumps that it sums, at most 64
//   - `io.github.profarc.runs`, `.methods`, `.profiles`: how many
//   - `io.github.profarc.base`: of a layer, dump id and sum of its base, as profarc info prints them
//   - `io.github.profarc.score`: how far it fitted the code of `push --class-path`, from 0 to 1
//
// The same archive under the same file name makes the same manifest, with one version of profarc.
//
// Attached is a manifest whose `subject` is the image. Where the registry's referrers API lists it,
// nothing more is needed. Elsewhere it gets a tag of its own, `ALGORITHM-HEX.FIRST-32-DIGITS`: the
// digest of the image, and the first digits of its own. Nobody else writes that tag. From these tags
// the index of OCI's referrers tag schema (`ALGORITHM-HEX`) is made, which other tools read. Those who
// push at the same time overwrite each other's index; so each compares it with the tags after it has
// written, and completes it until nothing is missing.
//
// A signature is a Sigstore bundle, version 0.3: a DSSE envelope of an in-toto statement with the
// digest of the manifest and the predicate type `https://sigstore.dev/cosign/sign/v1`, signed with
// ECDSA P-256 and SHA-256, without transparency log or timestamp. It is the one layer of a manifest
// attached to the archive, with `artifactType` `application/vnd.dev.sigstore.bundle.v0.3+json`.
//
// A promoted tag names an image index with `artifactType` `application/vnd.profarc.channel.v1`: the
// current archive first, then at most 19 before it, each with the id of its promotion as annotation
// `io.github.profarc.event`. Its annotation `io.github.profarc.history` has a line an event, at most
// 100: time, `promote` or `rollback`, the digest that became the current one, the event's id, and the
// size of that archive's manifest; of a rollback also the digest that it took off and the id of its
// last promotion. Lines that were written before events had ids end after the digest.
//
// An event has a tag of its own, `TAG.event-ID`, which names an image index with `artifactType`
// `application/vnd.profarc.event.v1`: the archive that became the current one, and the event's line.
// An id begins with a number above the numbers of all events that its writer knew, and ends with a
// random one: `000000000042-0123456789abcdef`. Registries do not promise that a tag is written only if
// nobody else wrote it meanwhile. So the event comes first, and the index of the promoted tag is made
// of all events, in the order of their ids: an archive is in it unless a rollback took off its last
// promotion. After each write whoever wrote compares the index with the tags again, as for what is
// attached. When 100 newer events are in the history the tag of an event may be deleted.
//
// The same archive makes the same manifest, byte for byte.
package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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

// Manifest returns the manifest of packed layers: the archive, and its base if it has one. It is attached to a
// subject unless that is nil.
func Manifest(f Facts, layers []ocispec.Descriptor, subject *ocispec.Descriptor) ([]byte, error) {
	if subject != nil {
		subject = &ocispec.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size}
	}
	return json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArchiveType,
		Config: ocispec.DescriptorEmptyJSON, Layers: layers, Subject: subject,
		Annotations: f.annotations(),
	})
}

// An Archive is an archive in a registry, as far as its manifest says.
type Archive struct {
	Descriptor ocispec.Descriptor // of the manifest
	Layer      ocispec.Descriptor
	Base       *ocispec.Descriptor // the layer of its base; nil: none
	Subject    *ocispec.Descriptor // the manifest it is attached to; nil: none
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
	other := func(layer ocispec.Descriptor) bool { return layer.MediaType != LayerType }
	if len(m.Layers) == 0 || len(m.Layers) > 2 || slices.ContainsFunc(m.Layers, other) {
		return nil, fmt.Errorf("%w: %s has not the one or two layers that archives have: a newer profarc may have pushed it",
			ErrOther, d.Digest)
	}
	a := &Archive{Descriptor: d, Layer: m.Layers[0], Subject: m.Subject, Facts: parseFacts(m.Annotations)}
	if len(m.Layers) == 2 {
		a.Base = &m.Layers[1]
	}
	return a, nil
}
