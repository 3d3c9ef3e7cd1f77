package artifact

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// A Channel is the content of a promoted tag. It lists the current archive, the previous ones, and the events.
//
// The events determine a channel, regardless of the order in which they were added. So concurrent writers can overwrite
// each other's index. The next writer adds the missing events again.
type Channel struct {
	Archives []ocispec.Descriptor // current archive first, each annotated with the id of its promotion
	History  []Event              // oldest event first
}

const (
	maxKept   = 20
	maxEvents = 100

	annotationHistory = prefix + "history"
	annotationEvent   = prefix + "event"
)

// Promotion returns the event that makes an archive the current one. volumes are the descriptors of its volumes with
// their platforms.
func (c *Channel) Promotion(d ocispec.Descriptor, platforms []Platform, volumes []ocispec.Descriptor,
	at time.Time) Event {
	e := Event{ID: c.nextID(), Time: at, What: whatPromote, Digest: d.Digest}
	e.archive = promotedBy(ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		ArtifactType: ArchiveType}, e.ID)
	if len(platforms) == 1 {
		e.archive.Platform = platforms[0].describe()
	}
	if len(volumes) > 0 {
		e.archive.Annotations[annotationVolumes] = formatVolumes(volumes)
	}
	return e
}

// Rollback returns the event that removes the current archive and so makes the previous one current again. It does not
// remove archives that another writer promotes concurrently. ok is false if there is no previous archive.
func (c *Channel) Rollback(at time.Time) (e Event, ok bool) {
	if len(c.Archives) < 2 {
		return e, false
	}
	off := c.Archives[0]
	back := c.Archives[1]
	return Event{ID: c.nextID(), Time: at, What: whatRollback, Digest: back.Digest, Off: off.Digest,
		promotion: promotionOf(off), archive: back}, true
}

// Lacks reports whether Add would add an event. It is false if the event is older than a full history.
func (c *Channel) Lacks(id string) bool {
	if !isEventID(id) || len(c.History) == maxEvents && id < c.History[0].ID {
		return false
	}
	return !slices.ContainsFunc(c.History, func(e Event) bool { return e.ID == id })
}

// HasOutlived reports whether an event is older than a full history, so that nobody needs its tag.
func (c *Channel) HasOutlived(id string) bool {
	return isEventID(id) && len(c.History) == maxEvents && id < c.History[0].ID
}

// Add adds missing events in any order.
func (c *Channel) Add(events ...Event) {
	archives := c.Archives
	for _, e := range events {
		if c.Lacks(e.ID) {
			c.History = append(c.History, e)
			archives = append(archives, e.archive)
		}
	}
	slices.SortStableFunc(c.History, func(a, b Event) int { return strings.Compare(a.ID, b.ID) })
	c.Archives = c.archivesInUse(archives)
	c.History = c.History[max(0, len(c.History)-maxEvents):]
}

// archivesInUse returns the different archives that no rollback removed, the last promoted one first. If concurrent
// rollbacks removed all archives, it returns the one that the last rollback restored.
func (c *Channel) archivesInUse(archives []ocispec.Descriptor) (list []ocispec.Descriptor) {
	off := map[digest.Digest]string{}
	for _, e := range c.History {
		if e.What == whatRollback {
			off[e.Off] = max(off[e.Off], e.promotion)
		}
	}
	archives = slices.Clone(archives)
	slices.SortStableFunc(archives, func(a, b ocispec.Descriptor) int {
		return strings.Compare(promotionOf(b), promotionOf(a))
	})
	seen := map[digest.Digest]bool{}
	for _, d := range archives {
		if !seen[d.Digest] && promotionOf(d) > off[d.Digest] {
			list = append(list, d)
		}
		seen[d.Digest] = true
	}
	if n := len(c.History); len(list) == 0 && n > 0 {
		d := c.History[n-1].archive
		list = append(list, promotedBy(d, off[d.Digest])) // the next promotion replaces it
	}
	return list[:min(len(list), maxKept)]
}

// promotionOf returns the id of the event that promoted an archive of a channel.
func promotionOf(d ocispec.Descriptor) string { return d.Annotations[annotationEvent] }

func promotedBy(d ocispec.Descriptor, id string) ocispec.Descriptor {
	all := map[string]string{annotationEvent: id}
	if volumes := d.Annotations[annotationVolumes]; volumes != "" {
		all[annotationVolumes] = volumes
	}
	d.Annotations = all
	return d
}

// Index returns the image index of the channel as JSON.
func (c *Channel) Index() ([]byte, error) {
	var lines []string
	for _, e := range c.History {
		lines = append(lines, e.historyLine())
	}
	return indexOf(ChannelType, c.Archives, lines)
}

func indexOf(artifactType string, archives []ocispec.Descriptor, history []string) ([]byte, error) {
	return json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, ArtifactType: artifactType,
		Manifests:   archives,
		Annotations: map[string]string{annotationHistory: strings.Join(history, "\n")},
	})
}

// ParseChannel parses the index of a channel. Promotions without ids, from older versions, get ids that precede all
// others.
func ParseChannel(data []byte) (*Channel, error) {
	index, err := parseIndex(data, ChannelType, maxKept)
	if err != nil {
		return nil, err
	}
	c := &Channel{Archives: index.Manifests}
	for i, d := range c.Archives {
		if !isEventID(promotionOf(d)) {
			c.Archives[i] = promotedBy(d, eventID(0, uint64(maxKept-i)))
		}
	}
	for line := range strings.Lines(index.Annotations[annotationHistory]) {
		if e, ok := parseEvent(line); ok && len(c.History) < maxEvents {
			c.History = append(c.History, e)
		}
	}
	return c, nil
}

// parseIndex parses an index of 1 to most archives.
func parseIndex(data []byte, artifactType string, most int) (index ocispec.Index, err error) {
	if err := json.Unmarshal(data, &index); err != nil || index.ArtifactType != artifactType {
		return index, fmt.Errorf("%w: it is no index of promoted archives", ErrOther)
	}
	if len(index.Manifests) == 0 || len(index.Manifests) > most {
		return index, fmt.Errorf("%w: an index of %d promoted archives", ErrOther, len(index.Manifests))
	}
	return index, nil
}
