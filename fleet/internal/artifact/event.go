package artifact

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// An Event is a change of a channel. A tag of its own, which nobody else writes, keeps it.
type Event struct {
	// ID sorts behind the ids of all events that its writer knew, whatever the clocks say. It
	// is empty in a history that was written before events had ids.
	ID     string        `json:"id,omitempty"`
	Time   time.Time     `json:"time"`
	What   string        `json:"what"`          // "promote" or "rollback"
	Digest digest.Digest `json:"digest"`        // of the manifest of the archive that became the current one
	Off    digest.Digest `json:"off,omitempty"` // the archive that a rollback took off

	promotion string             // the last promotion of Off that the rollback takes back
	archive   ocispec.Descriptor // of Digest; from a history it has no promotion
}

const (
	whatPromote  = "promote"
	whatRollback = "rollback"

	maxTurn = 999_999_999_999
)

// idForm is the form of an id: a number above the numbers of all known events, and a random one.
var idForm = regexp.MustCompile(`^[0-9]{12}-[0-9a-f]{16}$`)

func isEventID(id string) bool { return idForm.MatchString(id) }

func eventID(turn, random uint64) string {
	return fmt.Sprintf("%012d-%016x", min(turn, maxTurn), random)
}

// nextID returns an id for an event whose writer knows this channel.
func (c *Channel) nextID() string {
	last := uint64(0)
	note := func(id string) {
		if isEventID(id) {
			turn, _ := strconv.ParseUint(id[:12], 10, 64)
			last = max(last, turn)
		}
	}
	for _, e := range c.History {
		note(e.ID)
	}
	for _, d := range c.Archives {
		note(promotionOf(d))
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return eventID(last+1, binary.BigEndian.Uint64(random[:]))
}

// MaxChannel is the length of the longest tag that archives are promoted to: a tag has at most
// 128 characters, and names of its events are longer.
const MaxChannel = 128 - len(".event-") - len("000000000000-0123456789abcdef")

// EventTags returns what the tags of a channel's events begin with. The rest is their ids.
func EventTags(channel string) string { return channel + ".event-" }

// line returns the event as a history has it.
func (e Event) line() string {
	words := []string{e.Time.UTC().Format(time.RFC3339), e.What, string(e.Digest)}
	if e.ID != "" {
		words = append(words, e.ID, strconv.FormatInt(e.archive.Size, 10))
	}
	if e.What == whatRollback && e.ID != "" {
		words = append(words, string(e.Off), e.promotion)
	}
	return strings.Join(words, " ")
}

// parseEvent reads a line of a history: of three words if it was written before events had
// ids, of five for a promotion, and of seven for a rollback.
func parseEvent(line string) (e Event, ok bool) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return e, false
	}
	at, err := time.Parse(time.RFC3339, words[0])
	e = Event{Time: at, What: words[1], Digest: digest.Digest(words[2])}
	if err != nil || e.Digest.Validate() != nil {
		return e, false
	}
	switch n := len(words); {
	case n == 3:
		return e, true
	case n == 7 && e.What == whatRollback:
		e.Off = digest.Digest(words[5])
		e.promotion = words[6]
		ok = e.Off.Validate() == nil && isEventID(e.promotion)
	default:
		ok = n == 5 && e.What == whatPromote
	}
	size, err := strconv.ParseInt(words[4], 10, 64)
	e.ID = words[3]
	e.archive = ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: e.Digest, Size: size,
		ArtifactType: ArchiveType}
	return e, ok && err == nil && size > 0 && isEventID(e.ID)
}

// Index returns the index that keeps the event: of the archive that became the current one.
func (e Event) Index() ([]byte, error) {
	return indexOf(EventType, []ocispec.Descriptor{e.archive}, []string{e.line()})
}

// ParseEvent reads the index that keeps the event with an id.
func ParseEvent(data []byte, id string) (e Event, err error) {
	index, err := parseIndex(data, EventType, 1)
	if err != nil {
		return e, err
	}
	e, ok := parseEvent(index.Annotations[annotationHistory])
	e.archive = index.Manifests[0]
	if !ok || e.ID != id || e.archive.Digest != e.Digest || !isEventID(promotionOf(e.archive)) {
		return e, fmt.Errorf("%w: it is no event of promoted archives", ErrOther)
	}
	return e, nil
}
