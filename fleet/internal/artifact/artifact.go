// Package artifact defines the representation of archives in a registry. An archive is an OCI artifact, whose first
// layer is the compressed archive. Its annotations describe the program and the run, so that a client can choose an
// archive without downloading it.
//
// # Format
//
// An archive is an image manifest (OCI 1.1) with `artifactType` `application/vnd.profarc.archive.v1`, the empty
// configuration, and a layer of type `application/vnd.profarc.archive.v1+zstd`. The layer is one Zstandard frame with a
// window of at most 8 MiB. If the archive is itself a layer on a base archive, the base is the second layer in the same
// representation. So the manifest refers to the base by digest. A registry keeps both, a copy has both, and a signature
// covers both. Manifests with the same base share its blob.
//
// A layer has the following annotations.
//
//   - `org.opencontainers.image.title`: file name of the archive with `.zst`, used by clients such as `oras pull`
//   - `io.github.profarc.archive.digest`: digest of the decompressed archive
//   - `io.github.profarc.archive.size`: its size in bytes
//
// The manifest has the following annotations. Unknown ones are omitted.
//
//   - `org.opencontainers.image.created`: time of the dump, or of the last one of a merged archive
//   - `io.github.profarc.domain`, `.format`, `.producer`: domain, version of the archive format, producer
//   - `io.github.profarc.builds`: builds of the profiled VMs, such as `17.0.14+7`, or build ids of programs in
//     hexadecimal, separated by spaces
//   - `io.github.profarc.platforms`: platforms of the profiled VMs or of `push --platform`, such as `linux/amd64
//     linux/arm64`; an archive without it is for all
//   - `io.github.profarc.main`: main class, module or jar
//   - `io.github.profarc.fingerprint`: fingerprint of VM and class path in hexadecimal
//   - `io.github.profarc.dump`, `.dumps`: id of the dump, and ids of at most 64 merged dumps
//   - `io.github.profarc.runs`, `.methods`, `.profiles`: counts
//   - `io.github.profarc.base`: dump id and checksum of a layer's base, as printed by profarc info
//   - `io.github.profarc.inputs`: numbers of the archive's inputs by state, such as `expected=12 read=11 damaged=1`
//   - `io.github.profarc.lost`: lost counts of all by unit, such as `7/900 samples, 1/20 calls`
//   - `io.github.profarc.score`: score of `push --class-path`, from 0 to 1
//   - `io.github.profarc.gate`: verdict and criteria of the gate that it passed, of `push --gate`
//
// A version of profarc produces the same manifest for the same archive and file name.
//
// A volume is an image with the archive as its only file app.parc, and with the base of a layer as app.base.parc. It is
// an image manifest with a configuration and one gzipped tar layer, so that container runtimes unpack it. It has the
// manifest of the archive as `subject`, the annotations of the archive with a single platform, and the annotation
// `io.github.profarc.volume` with the name of the archive's file. The tag `TAG.volume` is next to the tag of an archive
// or a promoted tag. It is a volume, or an image index of volumes for different platforms with the same layer.
//
// An archive and its volume have separate tags. A container runtime chooses from an index by platform alone, and would
// take the archive, which it cannot unpack. Clients that know archives only would find an image where they expect one.
// The volume is attached to the archive, so that copies with attached manifests have both, and each has a signature.
//
// An attached manifest has the image as `subject`. If the registry's referrers API lists it, nothing more is needed.
// Otherwise it gets the tag `ALGORITHM-HEX.FIRST-32-DIGITS` with the digest of the image and the first digits of the
// manifest's own digest. No other program writes this tag. The index of OCI's referrers tag schema (`ALGORITHM-HEX`),
// which other tools read, is computed from these tags. Concurrent pushes overwrite the index. So each one compares it
// with the tags after writing, and repeats this until the index is complete.
//
// A signature is a Sigstore bundle of version 0.3, a DSSE envelope of an in-toto statement. The statement has the
// digest of the manifest and the predicate type `https://sigstore.dev/cosign/sign/v1`. It is signed with ECDSA P-256
// and SHA-256, without transparency log and timestamp. The bundle is the only layer of a manifest that is attached to
// the archive and has `artifactType` `application/vnd.dev.sigstore.bundle.v0.3+json`.
//
// A promoted tag is an image index with `artifactType` `application/vnd.profarc.channel.v1`. It lists the current
// archive and at most 19 previous ones, each with the id of its promotion as annotation `io.github.profarc.event`, and
// with its `platform` if it has a single one, and its volumes as annotation `io.github.profarc.volumes`. The annotation
// `io.github.profarc.history` has lines for at most 100 events. A line has the time, `promote` or `rollback`, the
// digest of the new current archive, the id of the event, and the size of the archive's manifest. A rollback also has
// the digest of the removed archive and the id of its last promotion. Lines of older versions, which had no ids, end
// after the digest.
//
// Each event has a tag `TAG.event-ID`, an image index with `artifactType` `application/vnd.profarc.event.v1`. It has
// the new current archive and the line of the event. An id such as `000000000042-0123456789abcdef` has a number that is
// greater than those of all events known to the writer, and a random number. Registries have no atomic compare-and-swap
// for tags. So a writer first creates the tag of the event. Then it computes the index of the promoted tag from all
// events in the order of their ids. The index has an archive unless a rollback removed its last promotion. After
// writing, the writer compares the index with the tags again. The tag of an event can be deleted when the history has
// 100 newer events.
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
	LayerType   = "application/vnd.profarc.archive.v1+zstd" // type of an archive's layer
	ChannelType = "application/vnd.profarc.channel.v1"      // artifact type of a channel's index
	EventType   = "application/vnd.profarc.event.v1"        // artifact type of an event's index
)

// ErrOther means that content has an unexpected type or is malformed.
var ErrOther = errors.New("not what it should be")

// Manifest returns the manifest of an archive and optionally its base. It is attached to subject unless subject is nil.
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

// An Archive is the parsed manifest of an archive.
type Archive struct {
	Descriptor ocispec.Descriptor  // descriptor of the manifest
	Layer      ocispec.Descriptor  // layer of the archive
	Base       *ocispec.Descriptor // layer of the base, or nil
	Subject    *ocispec.Descriptor // manifest to which this is attached, or nil
	Facts      Facts
}

// Parse parses the manifest of an archive. The error matches ErrOther if it is not the manifest of an archive.
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
