package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
)

// A manifest with a subject is attached to it. The referrers API of a registry lists attached manifests. For registries
// without this API, OCI defines a tag with an index of the manifests attached to a subject. A writer must read, extend
// and write this index, so that concurrent writers lose entries. For this reason, each attached manifest also gets a
// separate tag. The index is computed from these tags. After each write, the writer compares the index with the tags
// again, so that the last writer leaves a complete index.

// A Way is a method to find attached manifests.
type Way string

// Ways to find attached manifests.
const (
	WayReferrers Way = "referrers API"
	WayTags      Way = "tags"
)

// maxAttached limits the number of manifests attached to a subject.
const maxAttached = 10_000

// Attached lists the manifests attached to subject in any order. The descriptors can lack artifact type and
// annotations.
func (r *Repository) Attached(ctx context.Context, subject digest.Digest) ([]ocispec.Descriptor, error) {
	list, err := r.referrers(ctx, subject)
	listed := err == nil
	if err != nil && !errors.Is(err, errdef.ErrUnsupported) {
		return nil, err
	}
	index, err := r.fallbackIndex(ctx, subject)
	if err != nil {
		return nil, err
	}
	list = unionByDigest(list, index.Manifests)
	if !listed {
		own, err := r.attachmentTags(ctx, subject)
		if err != nil {
			return nil, err
		}
		missing, err := r.missingAttachments(ctx, list, own)
		if err != nil {
			return nil, err
		}
		list = unionByDigest(list, missing)
	}
	return list[:min(len(list), maxAttached)], nil
}

// unionByDigest appends the descriptors of b with other digests to a.
func unionByDigest(a, b []ocispec.Descriptor) []ocispec.Descriptor {
	for _, d := range b {
		if !containsDigest(a, d.Digest) {
			a = append(a, d)
		}
	}
	return a
}

func containsDigest(list []ocispec.Descriptor, d digest.Digest) bool {
	return slices.ContainsFunc(list, func(e ocispec.Descriptor) bool { return e.Digest == d })
}

// referrers calls the referrers API. The error matches errdef.ErrUnsupported if the registry lacks it. It does not
// filter by artifact type, because some registries return wrong types.
func (r *Repository) referrers(ctx context.Context, subject digest.Digest) (list []ocispec.Descriptor, err error) {
	err = r.remote.Referrers(withList(ctx), ocispec.Descriptor{Digest: subject}, "",
		func(page []ocispec.Descriptor) error {
			list = append(list, page...)
			return nil
		})
	switch {
	case errors.Is(err, errdef.ErrUnsupported):
		return nil, errdef.ErrUnsupported
	case err != nil:
		err = r.explain(ctx, err, "read", r.Full(subject.String()))
	}
	return list, err
}

// Attach makes sure that Attached returns a manifest that was pushed with subject as its subject.
func (r *Repository) Attach(ctx context.Context, subject digest.Digest, d ocispec.Descriptor) (Way, error) {
	for try := range 3 {
		list, err := r.referrers(ctx, subject)
		if errors.Is(err, errdef.ErrUnsupported) {
			break
		}
		if err != nil {
			return "", err
		}
		if containsDigest(list, d.Digest) {
			return WayReferrers, nil
		}
		if err := waitForRetry(ctx, try); err != nil { // some registries list it with a delay
			return "", err
		}
	}
	return WayTags, r.attachByTags(ctx, subject, d)
}

// attachByTags writes the tag of an attached manifest, and adds the manifest to the index of the subject.
func (r *Repository) attachByTags(ctx context.Context, subject digest.Digest, d ocispec.Descriptor) error {
	data, err := r.Manifest(ctx, d)
	if err != nil {
		return err
	}
	if _, err := r.PushManifest(ctx, d.MediaType, data, attachmentTag(subject, d.Digest)); err != nil {
		return err
	}
	return r.Settle(ctx, subject.String(), func() (bool, error) { return r.completeIndex(ctx, subject) })
}

// Settle calls complete until it reports that an index, which other programs can overwrite concurrently, is complete.
func (r *Repository) Settle(ctx context.Context, reference string, complete func() (whole bool, err error)) error {
	const tries = 50
	for try := range tries {
		whole, err := complete()
		if err != nil || whole {
			return err
		}
		if err := waitForRetry(ctx, min(try, 4)); err != nil {
			return err
		}
	}
	return advise(nil, "%s: others change it all the time: try again when they have ended", r.Full(reference))
}

// completeIndex adds all manifests with attachment tags to the index of the subject. whole is true if the index already
// had them.
func (r *Repository) completeIndex(ctx context.Context, subject digest.Digest) (whole bool, err error) {
	own, err := r.attachmentTags(ctx, subject)
	if err != nil {
		return false, err
	}
	index, err := r.fallbackIndex(ctx, subject)
	if err != nil {
		return false, err
	}
	missing, err := r.missingAttachments(ctx, index.Manifests, own)
	if err != nil || len(missing) == 0 {
		return err == nil, err
	}
	index.Manifests = append(index.Manifests, missing...)
	slices.SortFunc(index.Manifests, func(a, b ocispec.Descriptor) int {
		return strings.Compare(string(a.Digest), string(b.Digest))
	})
	data, err := json.Marshal(index)
	if err == nil {
		_, err = r.PushManifest(ctx, ocispec.MediaTypeImageIndex, data, fallbackTag(subject))
	}
	return false, err
}

// fallbackTag returns the tag that OCI reserves for the index of manifests attached to a subject.
func fallbackTag(subject digest.Digest) string {
	return string(subject.Algorithm()) + "-" + subject.Encoded()
}

// attachmentTag returns the tag of one attached manifest.
func attachmentTag(subject, attached digest.Digest) string {
	return fmt.Sprintf("%s.%.32s", fallbackTag(subject), attached.Encoded())
}

// fallbackIndex returns the index of the manifests attached to a subject. A missing index is empty.
func (r *Repository) fallbackIndex(ctx context.Context, subject digest.Digest) (*ocispec.Index, error) {
	index := &ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex,
		Manifests: []ocispec.Descriptor{}}
	d, err := r.Resolve(ctx, fallbackTag(subject))
	if IsMissing(err) {
		return index, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := r.Manifest(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, index); err != nil || d.MediaType != ocispec.MediaTypeImageIndex {
		return nil, advise(ErrTampered, "%s: it is no index of what is attached to %s: delete that tag",
			r.Full(fallbackTag(subject)), subject)
	}
	return index, nil
}

// attachmentTags lists the tags of manifests attached to a subject.
func (r *Repository) attachmentTags(ctx context.Context, subject digest.Digest) ([]string, error) {
	return r.TagsWith(ctx, fallbackTag(subject)+".")
}

// TagsWith lists the tags that begin with prefix, at most the last 10,000.
func (r *Repository) TagsWith(ctx context.Context, prefix string) (own []string, err error) {
	err = r.eachPageOfTags(ctx, func(tags []string) error {
		for _, tag := range tags {
			if strings.HasPrefix(tag, prefix) {
				own = append(own[max(0, len(own)+1-maxAttached):], tag)
			}
		}
		return nil
	})
	return own, err
}

// maxTags limits the number of tags of a repository that AllTags lists.
const maxTags = 1_000_000

// AllTags lists all tags. More than maxTags are an error, since a tag that is left out can keep an archive.
func (r *Repository) AllTags(ctx context.Context) (all []string, err error) {
	err = r.eachPageOfTags(ctx, func(tags []string) error {
		all = append(all, tags...)
		if len(all) > maxTags {
			return advise(nil, "%s: it has more than %d tags: remove some that no archive needs", r.Name(), maxTags)
		}
		return nil
	})
	return all, err
}

// eachPageOfTags calls f with each page of the list of tags.
func (r *Repository) eachPageOfTags(ctx context.Context, f func(tags []string) error) error {
	err := r.explain(ctx, r.remote.Tags(withList(ctx), "", f), "list the tags of", r.Name())
	if IsMissing(err) {
		return nil // some registries have no list before the first tag
	}
	return err
}

// missingAttachments returns the descriptors of the manifests with the tags own that list lacks.
func (r *Repository) missingAttachments(ctx context.Context, list []ocispec.Descriptor,
	own []string) (missing []ocispec.Descriptor, err error) {
	for _, tag := range own {
		_, short, _ := strings.Cut(tag, ".")
		if slices.ContainsFunc(list, func(d ocispec.Descriptor) bool {
			return strings.HasPrefix(d.Digest.Encoded(), short)
		}) {
			continue
		}
		d, err := r.describeManifest(ctx, tag)
		if IsMissing(err) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, err
		}
		missing = append(missing, d)
	}
	return missing, nil
}

// describeManifest returns the descriptor of a manifest with its artifact type and annotations.
func (r *Repository) describeManifest(ctx context.Context, reference string) (ocispec.Descriptor, error) {
	d, err := r.Resolve(ctx, reference)
	if err != nil {
		return d, err
	}
	data, err := r.Manifest(ctx, d)
	if err != nil {
		return d, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return d, advise(ErrTampered, "%s: it is no manifest: %v", r.Full(reference), err)
	}
	d.ArtifactType = m.ArtifactType
	d.Annotations = m.Annotations
	return d, nil
}

// waitForRetry waits before the next try with exponential backoff and jitter.
func waitForRetry(ctx context.Context, try int) error {
	wait := time.Duration(20+rand.IntN(80)) * time.Millisecond << try
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
