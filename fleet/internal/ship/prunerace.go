package ship

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
)

// Other programs promote and tag archives while prune works, and no registry deletes a manifest on a condition. So
// prune reads what is new before it removes an archive, and again afterwards. If the archive became needed in between,
// prune puts it back. A promotion that comes later finds that the archive is missing (see runPromote).

// removeUnneeded removes an archive. It returns false if the archive stays because others need it.
func (v *inventory) removeUnneeded(ctx context.Context, a *listedArchive) (gone bool, err error) {
	if needed, err := v.isNeededNow(ctx, a); err != nil || needed {
		return false, err
	}
	copies, err := v.copyManifests(ctx, a)
	if err != nil {
		return false, err
	}
	if err := v.removeArchive(ctx, a); err != nil {
		return false, err
	}
	needed, err := v.isNeededNow(ctx, a)
	if err == nil && needed {
		err = v.putBack(ctx, copies)
	}
	return !needed, err
}

// isNeededNow reads what is new in the repository, and reports whether a promoted tag has the archive, or a new tag.
func (v *inventory) isNeededNow(ctx context.Context, a *listedArchive) (bool, error) {
	if err := v.readNewTags(ctx); err != nil {
		return false, err
	}
	tags := slices.Collect(maps.Keys(v.channels))
	for _, tag := range v.events[v.eventsBefore:] {
		tags = append(tags, tag[:strings.LastIndex(tag, ".event-")])
	}
	slices.Sort(tags)
	for _, tag := range slices.Compact(tags) {
		c, _, err := completeChannel(ctx, v.repo, tag)
		if err != nil {
			return false, err
		}
		for _, d := range c.Archives {
			if d.Digest == a.Digest {
				return true, nil
			}
		}
	}
	for _, d := range append([]digest.Digest{a.Digest}, a.Volumes...) {
		for _, tag := range slices.Concat(v.tags[d], v.users[d]) {
			if !slices.Contains(a.Tags, tag) {
				return true, nil
			}
		}
	}
	return false, nil
}

// A manifestCopy can be pushed again.
type manifestCopy struct {
	mediaType string
	data      []byte
	tags      []string
	subject   digest.Digest // manifest that it is attached to, or ""
}

// copyManifests returns what removeArchive removes, each after its subject.
func (v *inventory) copyManifests(ctx context.Context, a *listedArchive) (copies []manifestCopy, err error) {
	add := func(reference string, subject digest.Digest, tags ...string) {
		if err != nil {
			return
		}
		d, data, failed := v.readManifest(ctx, reference)
		if registry.IsMissing(failed) {
			return
		}
		err = failed
		copies = append(copies, manifestCopy{d.MediaType, data, tags, subject})
	}
	add(a.Digest.String(), a.AttachedTo, v.tags[a.Digest]...)
	for _, d := range a.Signatures {
		add(d.String(), a.Digest)
	}
	for _, volume := range a.Volumes {
		add(volume.String(), a.Digest, v.tags[volume]...)
		for _, d := range a.volumeSignatures[volume] {
			add(d.String(), volume)
		}
		for _, tag := range v.users[volume] {
			add(tag, "", tag)
		}
	}
	return copies, err
}

// putBack pushes manifests again. Registries keep their blobs for some time.
func (v *inventory) putBack(ctx context.Context, copies []manifestCopy) error {
	for _, m := range copies {
		d, err := v.repo.PushManifest(ctx, m.mediaType, m.data, "")
		for _, tag := range m.tags {
			if err == nil {
				_, err = v.repo.PushManifest(ctx, m.mediaType, m.data, tag)
			}
		}
		if err == nil && m.subject != "" {
			_, err = v.repo.Attach(ctx, m.subject, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPresent returns an error if prune removed an archive that was promoted to a tag. If there is an archive before
// it, that one becomes current.
func checkPresent(ctx context.Context, repo *registry.Repository, tag string, promoted digest.Digest) error {
	_, err := repo.Resolve(ctx, promoted.String())
	if !registry.IsMissing(err) {
		return err
	}
	_, err = changeChannel(ctx, repo, tag, func(c *artifact.Channel) (*artifact.Event, error) {
		e, ok := c.Rollback(time.Now())
		if !ok || c.Archives[0].Digest != promoted {
			return nil, nil
		}
		return &e, nil
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("%s was removed while it was promoted: push it again, and promote it then",
		repo.Full(promoted.String()))
}
