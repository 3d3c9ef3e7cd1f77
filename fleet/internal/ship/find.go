package ship

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
)

// Media types of Docker images.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerList     = "application/vnd.docker.distribution.manifest.list.v2+json"
)

// maxPlatforms and maxCandidates limit the number of manifests read for an image.
const (
	maxPlatforms  = 64
	maxCandidates = 1000
)

// referenceTarget is the target of a reference. It is an archive, a channel of promoted archives, or an image with
// attached
// archives.
type referenceTarget struct {
	digest   digest.Digest
	archive  *artifact.Archive
	channel  *artifact.Channel
	subjects subjects // an image and its platforms, or nil
}

// subjects maps the digests of an image and of its manifests to their platforms, which can be "".
type subjects map[digest.Digest]artifact.Platform

// lookUp resolves a reference.
func lookUp(ctx context.Context, repo *registry.Repository, reference string) (*referenceTarget, error) {
	d, err := repo.Resolve(ctx, reference)
	if err != nil {
		return nil, err
	}
	data, err := repo.Manifest(ctx, d)
	if err != nil {
		return nil, err
	}
	n := &referenceTarget{digest: d.Digest}
	switch d.MediaType {
	case ocispec.MediaTypeImageManifest, dockerManifest:
		n.archive, err = artifact.Parse(d, data)
		if errors.Is(err, artifact.ErrOther) && !isArchive(data) {
			n.subjects = subjects{d.Digest: ""}
			err = nil
		}
	case ocispec.MediaTypeImageIndex, dockerList:
		err = n.readIndex(d, data)
	default:
		err = fmt.Errorf("it is no image and no archive, but %.80q: name another one", d.MediaType)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", repo.Full(reference), err)
	}
	return n, err
}

// isArchive reports whether a manifest has the artifact type of archives.
func isArchive(manifest []byte) bool {
	var m struct{ ArtifactType string }
	return json.Unmarshal(manifest, &m) == nil && m.ArtifactType == artifact.ArchiveType
}

// readIndex parses an index, which is a channel or an image for several platforms.
func (n *referenceTarget) readIndex(d ocispec.Descriptor, data []byte) error {
	var index ocispec.Index
	if err := json.Unmarshal(data, &index); err != nil {
		return fmt.Errorf("%w: it is no index: %v", artifact.ErrOther, err)
	}
	if index.ArtifactType == artifact.ChannelType {
		var err error
		n.channel, err = artifact.ParseChannel(data)
		return err
	}
	n.subjects = subjects{d.Digest: ""}
	for _, m := range index.Manifests[:min(len(index.Manifests), maxPlatforms)] {
		n.subjects[m.Digest] = artifact.PlatformOf(m)
	}
	return nil
}

// archives returns the candidate archives, best first.
func (n *referenceTarget) archives(ctx context.Context, repo *registry.Repository) ([]*artifact.Archive, error) {
	switch {
	case n.archive != nil:
		return []*artifact.Archive{n.archive}, nil
	case n.channel != nil:
		return promoted(ctx, repo, n.channel, nil)
	}
	return attached(ctx, repo, n.subjects)
}

// attached returns the archives that are attached to subjects, newest first. A merged archive has the time of its last
// run and precedes the archive of this run.
func attached(ctx context.Context, repo *registry.Repository, of subjects) (all []*artifact.Archive, err error) {
	for _, subject := range slices.Sorted(maps.Keys(of)) {
		list, err := repo.Attached(ctx, subject)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !canBeType(d, artifact.ArchiveType) || len(all) == maxCandidates {
				continue
			}
			a, err := readArchive(ctx, repo, d)
			if errors.Is(err, artifact.ErrOther) || registry.IsMissing(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if a.Subject != nil && a.Subject.Digest == subject { // the referrer list is not trusted
				all = append(all, of.complete(a))
			}
		}
	}
	slices.SortFunc(all, func(a, b *artifact.Archive) int {
		return cmp.Or(b.Facts.Created.Compare(a.Facts.Created), cmp.Compare(b.Facts.Runs, a.Facts.Runs),
			strings.Compare(string(a.Descriptor.Digest), string(b.Descriptor.Digest)))
	})
	return all, nil
}

// promoted returns the archives of a channel, the current one first. Unless subjects is nil, it omits archives that are
// attached to other subjects.
func promoted(ctx context.Context, repo *registry.Repository, c *artifact.Channel,
	of subjects) (all []*artifact.Archive, err error) {
	for _, d := range c.Archives {
		a, err := readArchive(ctx, repo, d)
		if err != nil {
			return nil, err
		}
		if of == nil || a.Subject == nil || of.has(a.Subject.Digest) {
			all = append(all, of.complete(a))
		}
	}
	return all, nil
}

func (s subjects) has(d digest.Digest) bool {
	_, ok := s[d]
	return ok
}

// complete adds the platform of the image's manifest that an archive is attached to, if the archive has none.
func (s subjects) complete(a *artifact.Archive) *artifact.Archive {
	if a.Subject != nil && len(a.Facts.Platforms) == 0 && s[a.Subject.Digest] != "" {
		a.Facts.Platforms = []artifact.Platform{s[a.Subject.Digest]}
	}
	return a
}

// readArchive returns the archive with manifest d.
func readArchive(ctx context.Context, repo *registry.Repository, d ocispec.Descriptor) (*artifact.Archive, error) {
	data, err := repo.Manifest(ctx, d)
	if err != nil {
		return nil, err
	}
	return artifact.Parse(d, data)
}
