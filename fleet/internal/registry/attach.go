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

// A manifest that names a subject is attached to it. Registries list attached manifests, by the referrers API.
// For those that do not, OCI has a tag for each subject whose index lists it. Everybody who attaches reads,
// extends and writes that index, and entries of those who do so at the same time are lost. So each attached
// manifest gets a tag of its own too, which nobody else writes, and the index is made of these: after each
// write whoever wrote compares it with the tags again, so that the last one to write leaves none out.

// A Way is how an attached manifest is found.
type Way string

// The ways.
const (
	WayReferrers Way = "referrers API"
	WayTags      Way = "tags"
)

// maxAttached bounds how many of the manifests that are attached to one subject are read.
const maxAttached = 10_000

// Attached lists the manifests attached to another, in no order. A descriptor may lack its
// artifact type and annotations.
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
	list = union(list, index.Manifests)
	if !listed {
		own, err := r.attachmentTags(ctx, subject)
		if err != nil {
			return nil, err
		}
		missing, err := r.missing(ctx, list, own)
		if err != nil {
			return nil, err
		}
		list = union(list, missing)
	}
	return list[:min(len(list), maxAttached)], nil
}

// union returns the descriptors of two lists, each digest once.
func union(a, b []ocispec.Descriptor) []ocispec.Descriptor {
	for _, d := range b {
		if !holds(a, d.Digest) {
			a = append(a, d)
		}
	}
	return a
}

func holds(list []ocispec.Descriptor, d digest.Digest) bool {
	return slices.ContainsFunc(list, func(e ocispec.Descriptor) bool { return e.Digest == d })
}

// referrers lists what the referrers API knows. Without it the error matches errdef.ErrUnsupported. It is not
// asked for one artifact type: some registries give back another type than was pushed.
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

// Attach makes sure that a manifest, which was pushed and names the subject, is found among
// the manifests attached to it.
func (r *Repository) Attach(ctx context.Context, subject digest.Digest, d ocispec.Descriptor) (Way, error) {
	for try := range 3 {
		list, err := r.referrers(ctx, subject)
		if errors.Is(err, errdef.ErrUnsupported) {
			break
		}
		if err != nil {
			return "", err
		}
		if holds(list, d.Digest) {
			return WayReferrers, nil
		}
		if err := pause(ctx, try); err != nil { // some list it a little later
			return "", err
		}
	}
	return WayTags, r.attachByTags(ctx, subject, d)
}

// attachByTags writes a tag of its own for a manifest, and adds it to the index of the subject.
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

// Settle calls complete until it reports that an index, which others may overwrite at the same
// time, is whole. It writes missing blobs.
func (r *Repository) Settle(ctx context.Context, reference string, complete func() (whole bool, err error)) error {
	const tries = 50
	for try := range tries {
		whole, err := complete()
		if err != nil || whole {
			return err
		}
		if err := pause(ctx, min(try, 4)); err != nil {
			return err
		}
	}
	return advise(nil, "%s: others change it all the time: try again when they have ended", r.Full(reference))
}

// completeIndex adds all manifests with a tag of their own to the index of the subject. It
// reports whether there was nothing to add.
func (r *Repository) completeIndex(ctx context.Context, subject digest.Digest) (whole bool, err error) {
	own, err := r.attachmentTags(ctx, subject)
	if err != nil {
		return false, err
	}
	index, err := r.fallbackIndex(ctx, subject)
	if err != nil {
		return false, err
	}
	missing, err := r.missing(ctx, index.Manifests, own)
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

// fallbackIndex returns the index of the manifests attached to a subject, an empty one if there is none.
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

// attachmentTags lists the tags of manifests that are attached to a subject.
func (r *Repository) attachmentTags(ctx context.Context, subject digest.Digest) ([]string, error) {
	return r.TagsWith(ctx, fallbackTag(subject)+".")
}

// TagsWith lists the tags that begin with a prefix, the last 10,000 of them.
func (r *Repository) TagsWith(ctx context.Context, prefix string) (own []string, err error) {
	err = r.remote.Tags(withList(ctx), "", func(tags []string) error {
		for _, tag := range tags {
			if strings.HasPrefix(tag, prefix) {
				own = append(own[max(0, len(own)+1-maxAttached):], tag)
			}
		}
		return nil
	})
	err = r.explain(ctx, err, "list the tags of", r.Name())
	if IsMissing(err) {
		return nil, nil // some have no list before the first tag
	}
	return own, err
}

// missing returns the descriptors of those manifests with a tag of their own that a list does not have.
func (r *Repository) missing(ctx context.Context, list []ocispec.Descriptor,
	own []string) (missing []ocispec.Descriptor, err error) {
	for _, tag := range own {
		_, short, _ := strings.Cut(tag, ".")
		if slices.ContainsFunc(list, func(d ocispec.Descriptor) bool {
			return strings.HasPrefix(d.Digest.Encoded(), short)
		}) {
			continue
		}
		d, err := r.described(ctx, tag)
		if IsMissing(err) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		missing = append(missing, d)
	}
	return missing, nil
}

// described returns the descriptor of a manifest as an index lists it.
func (r *Repository) described(ctx context.Context, reference string) (ocispec.Descriptor, error) {
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

// pause waits before the next try: longer each time, and for a random time, so that writers
// that met once do not meet again.
func pause(ctx context.Context, try int) error {
	wait := time.Duration(20+rand.IntN(80)) * time.Millisecond << try
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
