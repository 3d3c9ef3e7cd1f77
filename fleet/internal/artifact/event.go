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

// An Event is a change of a channel. It is stored in a separate tag.
type Event struct {
	// ID sorts after the ids of all events that its writer knew, regardless of clocks. It is "" for events of older
	// versions.
	ID     string        `json:"id,omitempty"`
	Time   time.Time     `json:"time"`
	What   string        `json:"what"`          // "promote" or "rollback"
	Digest digest.Digest `json:"digest"`        // digest of the new current archive's manifest
	Off    digest.Digest `json:"off,omitempty"` // digest of the archive that a rollback removed

	promotion string             // id of the last promotion that the rollback reverts
	archive   ocispec.Descriptor // manifest with Digest, without the promotion's id if parsed from a history
}

const (
	whatPromote  = "promote"
	whatRollback = "rollback"

	maxTurn = 999_999_999_999
)

// idForm matches an id, which has a number greater than the numbers of all known events, and a random number.
var idForm = regexp.MustCompile(`^[0-9]{12}-[0-9a-f]{16}$`)

func isEventID(id string) bool { return idForm.MatchString(id) }

func eventID(turn, random uint64) string {
	return fmt.Sprintf("%012d-%016x", min(turn, maxTurn), random)
}

// nextID returns the id of a new event.
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

// MaxChannel is the maximum length of a promoted tag. Tags of its events, which are longer, have at most 128
// characters.
const MaxChannel = 128 - len(".event-") - len("000000000000-0123456789abcdef")

// EventTags returns the prefix of the tags of a channel's events. The rest of a tag is the event's id.
func EventTags(channel string) string { return channel + ".event-" }

// historyLine formats the event as a line of a history.
func (e Event) historyLine() string {
	words := []string{e.Time.UTC().Format(time.RFC3339), e.What, string(e.Digest)}
	if e.ID != "" {
		words = append(words, e.ID, strconv.FormatInt(e.archive.Size, 10))
	}
	if e.What == whatRollback && e.ID != "" {
		words = append(words, string(e.Off), e.promotion)
	}
	return strings.Join(words, " ")
}

// parseEvent parses a line of a history. It has three words without an id, five for a promotion, and seven for a
// rollback.
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

// Index returns the image index that stores the event.
func (e Event) Index() ([]byte, error) {
	return indexOf(EventType, []ocispec.Descriptor{e.archive}, []string{e.historyLine()})
}

// ParseEvent parses the index that stores the event with an id.
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
