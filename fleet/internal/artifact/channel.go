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

// A Channel is an index to which archives are promoted: it lists the current one and those
// before it, and what happened to it. A tag names it.
//
// It is what its events make of it, in whichever order they are added. So writers that do not
// know of each other's events overwrite each other's index, and lose nothing once one of them
// adds the events that it lacks.
type Channel struct {
	Archives []ocispec.Descriptor // the current one first; the annotation of each is the id of its promotion
	History  []Event              // the oldest first
}

const (
	maxKept   = 20
	maxEvents = 100

	annotationHistory = prefix + "history"
	annotationEvent   = prefix + "event"
)

// Promotion returns the event that makes an archive the current one.
func (c *Channel) Promotion(d ocispec.Descriptor, at time.Time) Event {
	e := Event{ID: c.nextID(), Time: at, What: whatPromote, Digest: d.Digest}
	e.archive = promotedBy(ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		ArtifactType: ArchiveType}, e.ID)
	return e
}

// Rollback returns the event that takes the current archive off, which makes the previous one the current one
// again. It takes no archive off that was promoted meanwhile. ok is false if there is no previous one.
func (c *Channel) Rollback(at time.Time) (e Event, ok bool) {
	if len(c.Archives) < 2 {
		return e, false
	}
	off := c.Archives[0]
	back := c.Archives[1]
	return Event{ID: c.nextID(), Time: at, What: whatRollback, Digest: back.Digest, Off: off.Digest,
		promotion: promotionOf(off), archive: back}, true
}

// Lacks reports whether the channel lacks an event and would take it. It takes none that is
// older than all of a history that is full.
func (c *Channel) Lacks(id string) bool {
	if !isEventID(id) || len(c.History) == maxEvents && id < c.History[0].ID {
		return false
	}
	return !slices.ContainsFunc(c.History, func(e Event) bool { return e.ID == id })
}

// Add adds those events that the channel lacks, in any order.
func (c *Channel) Add(events ...Event) {
	archives := c.Archives
	for _, e := range events {
		if c.Lacks(e.ID) {
			c.History = append(c.History, e)
			archives = append(archives, e.archive)
		}
	}
	slices.SortStableFunc(c.History, func(a, b Event) int { return strings.Compare(a.ID, b.ID) })
	c.Archives = c.inUse(archives)
	c.History = c.History[max(0, len(c.History)-maxEvents):]
}

// inUse returns those archives that no rollback took off, each once, what was promoted last in front. If
// rollbacks that did not know of each other took off all, what the last one put back stays.
func (c *Channel) inUse(archives []ocispec.Descriptor) (list []ocispec.Descriptor) {
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
		list = append(list, promotedBy(d, off[d.Digest])) // it stays taken off: the next promotion replaces it
	}
	return list[:min(len(list), maxKept)]
}

// promotionOf returns the id of the event that promoted an archive of a channel.
func promotionOf(d ocispec.Descriptor) string { return d.Annotations[annotationEvent] }

func promotedBy(d ocispec.Descriptor, id string) ocispec.Descriptor {
	d.Annotations = map[string]string{annotationEvent: id}
	return d
}

// Index returns the index of a channel.
func (c *Channel) Index() ([]byte, error) {
	var lines []string
	for _, e := range c.History {
		lines = append(lines, e.line())
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

// ParseChannel reads the index of a channel. One that was written before events had ids is
// older than every event with one.
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

// parseIndex reads an index of promoted archives.
func parseIndex(data []byte, artifactType string, most int) (index ocispec.Index, err error) {
	if err := json.Unmarshal(data, &index); err != nil || index.ArtifactType != artifactType {
		return index, fmt.Errorf("%w: it is no index of promoted archives", ErrOther)
	}
	if len(index.Manifests) == 0 || len(index.Manifests) > most {
		return index, fmt.Errorf("%w: an index of %d promoted archives", ErrOther, len(index.Manifests))
	}
	return index, nil
}
