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
type Channel struct {
	Archives []ocispec.Descriptor // the current one first
	History  []Event              // the oldest first
}

// An Event is a change of a channel.
type Event struct {
	Time   time.Time     `json:"time"`
	What   string        `json:"what"`   // "promote" or "rollback"
	Digest digest.Digest `json:"digest"` // of the manifest of the archive that became the current one
}

const (
	maxKept   = 20
	maxEvents = 100

	annotationHistory = prefix + "history"
)

// Promote makes an archive the current one.
func (c *Channel) Promote(d ocispec.Descriptor, at time.Time) {
	c.Archives = slices.DeleteFunc(c.Archives, func(o ocispec.Descriptor) bool { return o.Digest == d.Digest })
	c.Archives = slices.Insert(c.Archives, 0, ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, ArtifactType: ArchiveType})
	c.Archives = c.Archives[:min(len(c.Archives), maxKept)]
	c.note(Event{at, "promote", d.Digest})
}

// Rollback makes the previous archive the current one again. It reports whether there is one.
func (c *Channel) Rollback(at time.Time) bool {
	if len(c.Archives) < 2 {
		return false
	}
	c.Archives = c.Archives[1:]
	c.note(Event{at, "rollback", c.Archives[0].Digest})
	return true
}

func (c *Channel) note(e Event) {
	c.History = append(c.History, e)
	c.History = c.History[max(0, len(c.History)-maxEvents):]
}

// Index returns the index of a channel.
func (c *Channel) Index() ([]byte, error) {
	var lines []string
	for _, e := range c.History {
		lines = append(lines, fmt.Sprintf("%s %s %s", e.Time.UTC().Format(time.RFC3339), e.What, e.Digest))
	}
	return json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, ArtifactType: ChannelType, Manifests: c.Archives,
		Annotations: map[string]string{annotationHistory: strings.Join(lines, "\n")},
	})
}

// ParseChannel reads the index of a channel.
func ParseChannel(data []byte) (*Channel, error) {
	var index ocispec.Index
	if err := json.Unmarshal(data, &index); err != nil || index.ArtifactType != ChannelType {
		return nil, fmt.Errorf("%w: it is no index of promoted archives", ErrOther)
	}
	if len(index.Manifests) == 0 || len(index.Manifests) > maxKept {
		return nil, fmt.Errorf("%w: an index of %d promoted archives", ErrOther, len(index.Manifests))
	}
	c := &Channel{Archives: index.Manifests}
	for line := range strings.Lines(index.Annotations[annotationHistory]) {
		words := strings.Fields(line)
		if len(words) != 3 || len(c.History) == maxEvents {
			continue
		}
		at, err1 := time.Parse(time.RFC3339, words[0])
		d, err2 := digest.Parse(words[2])
		if err1 == nil && err2 == nil {
			c.History = append(c.History, Event{at, words[1], d})
		}
	}
	return c, nil
}
