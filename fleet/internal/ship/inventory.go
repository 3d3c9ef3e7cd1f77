package ship

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
)

// A listedArchive is an archive of a repository, and everything that refers to it or is attached to it.
type listedArchive struct {
	Digest     digest.Digest   `json:"digest"`
	Tags       []string        `json:"tags"`     // tags of the archive and of its volumes, sorted
	Promoted   []string        `json:"promoted"` // tags whose current archive it is
	Before     []string        `json:"before"`   // promoted tags that can be rolled back to it
	AttachedTo digest.Digest   `json:"attached_to,omitempty"`
	Images     []string        `json:"images"` // tags of the image that it is attached to
	Compressed int64           `json:"compressed_bytes"`
	Signatures []digest.Digest `json:"signatures"`
	Volumes    []digest.Digest `json:"volumes"`
	Facts      artifact.Facts  `json:"facts"`

	indexed          bool // an index of somebody else lists it or a volume
	manifest         artifact.Archive
	volumeSignatures map[digest.Digest][]digest.Digest
}

// An inventory is the content of a repository.
type inventory struct {
	Repository string           `json:"repository"`
	Archives   []*listedArchive `json:"archives"` // newest first
	Tags       map[string]int   `json:"tags"`     // numbers of tags by kind

	repo     *registry.Repository
	mu       sync.Mutex
	archives map[digest.Digest]*listedArchive
	tags     map[digest.Digest][]string // tags of archives, volumes, and indexes of volumes
	users    map[digest.Digest][]string // tags of indexes that list a manifest
	channels map[string]*artifact.Channel
	subjects map[digest.Digest]bool // images and other manifests that archives can be attached to
	events   []string               // tags of events
	known    map[string]bool        // all tags that were read

	eventsBefore int // number of events when the inventory was taken
}

// Kinds of tags.
const (
	kindArchive  = "archives"
	kindVolume   = "volumes"
	kindPromoted = "promoted"
	kindEvent    = "events"
	kindAttached = "attachments"
	kindImage    = "images"
	kindMissing  = "without a manifest"
)

// eventForm matches the tags of events.
var eventForm = regexp.MustCompile(`\.event-[0-9]{12}-[0-9a-f]{16}$`)

// atOnce is the number of concurrent requests.
const atOnce = 8

// takeInventory reads the manifests of a repository.
func takeInventory(ctx context.Context, repo *registry.Repository) (*inventory, error) {
	v := &inventory{Repository: repo.Name(), Archives: []*listedArchive{}, Tags: map[string]int{}, repo: repo,
		archives: map[digest.Digest]*listedArchive{}, tags: map[digest.Digest][]string{},
		users: map[digest.Digest][]string{}, channels: map[string]*artifact.Channel{}, subjects: map[digest.Digest]bool{},
		known: map[string]bool{}}
	if err := v.readNewTags(ctx); err != nil {
		return nil, err
	}
	for _, c := range v.channels {
		for _, d := range c.Archives {
			if err := v.readListed(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	if err := forEach(ctx, slices.Collect(maps.Keys(v.subjects)), v.readSubject); err != nil {
		return nil, err
	}
	if err := forEach(ctx, slices.Collect(maps.Values(v.archives)), v.readAttached); err != nil {
		return nil, err
	}
	v.complete()
	v.eventsBefore = len(v.events)
	return v, nil
}

// readNewTags reads what the tags name that are not known.
func (v *inventory) readNewTags(ctx context.Context) error {
	tags, err := v.repo.AllTags(ctx)
	if err != nil {
		return err
	}
	tags = slices.DeleteFunc(tags, func(tag string) bool { return v.known[tag] })
	for _, tag := range tags {
		v.known[tag] = true
	}
	return forEach(ctx, tags, v.readTag)
}

func forEach[T any](ctx context.Context, all []T, work func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, one := range all {
		group.Go(func() error { return work(ctx, one) })
	}
	return group.Wait()
}

// readTag reads what a tag names.
func (v *inventory) readTag(ctx context.Context, tag string) error {
	if subject, ok := registry.SubjectOf(tag); ok {
		v.countTag(kindAttached)
		v.addSubject(subject)
		return nil
	}
	if eventForm.MatchString(tag) {
		v.countTag(kindEvent)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.events = append(v.events, tag)
		return nil
	}
	d, data, err := v.readManifest(ctx, tag)
	if registry.IsMissing(err) {
		v.countTag(kindMissing)
		return nil
	}
	if err != nil {
		return err
	}
	if d.MediaType == ocispec.MediaTypeImageIndex || d.MediaType == dockerList {
		return v.addIndex(ctx, tag, d, data)
	}
	a, err := artifact.Parse(d, data)
	var volumeOf struct{ Subject *ocispec.Descriptor }
	_ = json.Unmarshal(data, &volumeOf) // a manifest, as Parse has read
	switch {
	case err == nil:
		v.countTag(kindArchive)
		v.addArchive(a)
		v.addTag(d.Digest, tag)
	case volumeOf.Subject != nil && isVolume(d, data, volumeOf.Subject.Digest):
		v.countTag(kindVolume)
		v.addSubject(volumeOf.Subject.Digest)
		v.addTag(d.Digest, tag)
	default:
		v.countTag(kindImage)
		v.addSubject(d.Digest)
		v.addTag(d.Digest, tag)
	}
	return nil
}

func isVolumeTag(tag string) bool { return strings.HasSuffix(tag, artifact.VolumeTag("")) }

func isVolume(d ocispec.Descriptor, data []byte, subject digest.Digest) bool {
	_, ok := artifact.ParseVolume(d, data, subject)
	return ok
}

func (v *inventory) readManifest(ctx context.Context, reference string) (d ocispec.Descriptor, data []byte, err error) {
	d, err = v.repo.Resolve(ctx, reference)
	if err == nil {
		data, err = v.repo.Manifest(ctx, d)
	}
	return d, data, err
}

// addIndex adds a promoted tag, or an image for several platforms.
func (v *inventory) addIndex(ctx context.Context, tag string, d ocispec.Descriptor, data []byte) error {
	var index ocispec.Index
	if err := json.Unmarshal(data, &index); err != nil {
		return err
	}
	if index.ArtifactType == artifact.ChannelType {
		c, err := artifact.ParseChannel(data)
		if err == nil {
			v.countTag(kindPromoted)
			v.addChannel(tag, c)
		}
		return err
	}
	if isVolumeTag(tag) {
		v.countTag(kindVolume)
	} else {
		v.countTag(kindImage)
	}
	v.addSubject(d.Digest)
	v.addTag(d.Digest, tag)
	return v.addUser(ctx, tag, index.Manifests, maxNesting)
}

// maxNesting is the number of indexes in indexes that are read. A deeper one can only be made to let prune work long.
const maxNesting = 8

// addUser adds a tag to the users of what its index lists, also in the indexes that it lists.
func (v *inventory) addUser(ctx context.Context, tag string, manifests []ocispec.Descriptor, nesting int) error {
	for _, m := range manifests {
		v.mu.Lock()
		v.users[m.Digest] = append(v.users[m.Digest], tag)
		v.subjects[m.Digest] = true
		v.mu.Unlock()
		if m.MediaType != ocispec.MediaTypeImageIndex && m.MediaType != dockerList {
			continue
		}
		if nesting == 0 {
			return fmt.Errorf("%s: its index has indexes in more than %d levels: remove it, or prune by hand",
				v.repo.Full(tag), maxNesting)
		}
		data, err := v.repo.Manifest(ctx, m)
		if registry.IsMissing(err) {
			continue
		}
		var index ocispec.Index
		if err == nil {
			err = json.Unmarshal(data, &index)
		}
		if err == nil {
			err = v.addUser(ctx, tag, index.Manifests, nesting-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *inventory) addChannel(tag string, c *artifact.Channel) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.channels[tag] = c
}

func (v *inventory) countTag(kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Tags[kind]++
}

func (v *inventory) addSubject(d digest.Digest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.subjects[d] = true
}

func (v *inventory) addTag(d digest.Digest, tag string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tags[d] = append(v.tags[d], tag)
}

func (v *inventory) addArchive(a *artifact.Archive) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.archives[a.Descriptor.Digest] != nil {
		return
	}
	one := &listedArchive{Digest: a.Descriptor.Digest, Tags: []string{}, Promoted: []string{}, Before: []string{},
		Images: []string{}, Signatures: []digest.Digest{}, Volumes: []digest.Digest{},
		Compressed: a.Layer.Size, Facts: a.Facts, manifest: *a,
		volumeSignatures: map[digest.Digest][]digest.Digest{}}
	if a.Base != nil {
		one.Compressed += a.Base.Size
	}
	if a.Subject != nil {
		one.AttachedTo = a.Subject.Digest
		v.subjects[a.Subject.Digest] = true
	}
	v.archives[a.Descriptor.Digest] = one
}

// readListed adds an archive of a list, unless it is missing or no archive.
func (v *inventory) readListed(ctx context.Context, d ocispec.Descriptor) error {
	a, err := readArchive(ctx, v.repo, d)
	if errors.Is(err, artifact.ErrOther) || registry.IsMissing(err) {
		return nil
	}
	if err == nil {
		v.addArchive(a)
	}
	return err
}

// readSubject adds the archives that are attached to a manifest, or the manifest itself if it is an archive.
func (v *inventory) readSubject(ctx context.Context, subject digest.Digest) error {
	d, data, err := v.readManifest(ctx, subject.String())
	if err != nil && !registry.IsMissing(err) {
		return err
	}
	if err == nil {
		if a, err := artifact.Parse(d, data); err == nil {
			v.addArchive(a)
			return nil
		}
	}
	attached, err := v.repo.Attached(ctx, subject)
	if err != nil {
		return err
	}
	for _, d := range attached {
		if !canBeType(d, artifact.ArchiveType) {
			continue
		}
		if err := v.readListed(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// readAttached finds the signatures and volumes of an archive.
func (v *inventory) readAttached(ctx context.Context, a *listedArchive) error {
	signatures, err := v.signatures(ctx, a.Digest)
	if err != nil {
		return err
	}
	a.Signatures = signatures
	volumes, err := volumesOf(ctx, v.repo, &a.manifest, nil)
	if err != nil {
		return err
	}
	for _, d := range volumes {
		a.Volumes = append(a.Volumes, d.Digest)
		a.volumeSignatures[d.Digest], err = v.signatures(ctx, d.Digest)
		if err != nil {
			return err
		}
	}
	return nil
}

// signatures returns the manifests with a signature that are attached to a manifest.
func (v *inventory) signatures(ctx context.Context, subject digest.Digest) ([]digest.Digest, error) {
	found := []digest.Digest{}
	attached, err := v.repo.Attached(ctx, subject)
	if err != nil {
		return nil, err
	}
	for _, d := range attached {
		if d.ArtifactType == signature.BundleType {
			found = append(found, d.Digest)
			continue
		}
		bundle, err := bundleOf(ctx, v.repo, d)
		if err != nil && !registry.IsMissing(err) && !errors.Is(err, registry.ErrTampered) {
			return nil, err
		}
		if bundle != nil {
			found = append(found, d.Digest)
		}
	}
	return found, nil
}

// complete adds to each archive the tags that refer to it or to its volumes, and sorts the archives.
func (v *inventory) complete() {
	for tag, c := range v.channels {
		for i, d := range c.Archives {
			a := v.archives[d.Digest]
			switch {
			case a == nil:
			case i == 0:
				a.Promoted = append(a.Promoted, tag)
			default:
				a.Before = append(a.Before, tag)
			}
		}
	}
	for _, a := range v.archives {
		for _, d := range append([]digest.Digest{a.Digest}, a.Volumes...) {
			a.Tags = append(a.Tags, v.tags[d]...)
			for _, tag := range v.users[d] {
				a.indexed = a.indexed || !isVolumeTag(tag)
				a.Tags = append(a.Tags, tag)
			}
		}
		a.Images = slices.Concat(a.Images, v.tags[a.AttachedTo], v.users[a.AttachedTo])
		slices.Sort(a.Images)
		slices.Sort(a.Tags)
		a.Tags = slices.Compact(a.Tags)
		slices.Sort(a.Promoted)
		slices.Sort(a.Before)
		v.Archives = append(v.Archives, a)
	}
	slices.SortFunc(v.Archives, func(a, b *listedArchive) int {
		return cmp.Or(b.Facts.Created.Compare(a.Facts.Created), cmp.Compare(b.Facts.Runs, a.Facts.Runs),
			strings.Compare(string(a.Digest), string(b.Digest)))
	})
}

// age returns the time since the archive's last run.
func (a *listedArchive) age(now time.Time) time.Duration { return max(0, now.Sub(a.Facts.Created)) }
