package artifact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

var day = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// archiveNo returns the descriptor of the manifest of an archive.
func archiveNo(i int) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: digest.FromString(fmt.Sprint(i)),
		Size: int64(100 + i)}
}

// reread returns what an index says, and that index.
func reread(t *testing.T, c *Channel) (*Channel, string) {
	t.Helper()
	data, err := c.Index()
	if err != nil {
		t.Fatal(err)
	}
	c, err = ParseChannel(data)
	if err != nil {
		t.Fatal(err)
	}
	return c, string(data)
}

// kept returns an event as its tag keeps it.
func kept(t *testing.T, e Event) Event {
	t.Helper()
	data, err := e.Index()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseEvent(data, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestEventsInAnyOrder: writers know some of each other's events, and whoever adds the rest, in
// whichever order and through however many indexes, has the same index.
func TestEventsInAnyOrder(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		start := &Channel{}
		start.Add(start.Promotion(archiveNo(0), nil, nil, day))
		start.Add(start.Promotion(archiveNo(1), nil, nil, day))
		_, base := reread(t, start)
		var all []Event
		for range 1 + r.IntN(25) {
			writer, _ := ParseChannel([]byte(base))
			for _, e := range all {
				if r.IntN(3) > 0 {
					writer.Add(e)
				}
			}
			e := writer.Promotion(archiveNo(r.IntN(6)), nil, nil, day.AddDate(0, 0, -len(all))) // clocks differ
			if back, ok := writer.Rollback(day); ok && r.IntN(2) == 0 {
				e = back
			}
			all = append(all, kept(t, e))
		}
		want := ""
		for range 5 {
			c, _ := ParseChannel([]byte(base))
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for rest := all; len(rest) > 0; {
				n := 1 + r.IntN(len(rest))
				c.Add(rest[:n]...)
				c.Add(all[0]) // no event counts twice
				c, _ = reread(t, c)
				rest = rest[n:]
			}
			_, got := reread(t, c)
			if want == "" {
				want = got
			}
			if got != want || len(c.History) != 2+len(all) || len(c.Archives) == 0 {
				t.Fatalf("seed %d: %d of %d events, %d archives:\n%s\nwant\n%s", seed, len(c.History), 2+len(all),
					len(c.Archives), got, want)
			}
		}
	}
}

// TestRollbackKeepsWhatCameMeanwhile: it takes off what its writer saw, once.
func TestRollbackKeepsWhatCameMeanwhile(t *testing.T) {
	c := &Channel{}
	for i := range 3 {
		c.Add(c.Promotion(archiveNo(i), nil, nil, day))
	}
	first, _ := c.Rollback(day)
	second, _ := c.Rollback(day)
	newer := c.Promotion(archiveNo(3), nil, nil, day)
	again := c.Promotion(archiveNo(2), nil, nil, day)
	c.Add(first, newer, second)
	if len(c.Archives) != 3 || c.Archives[0].Digest != archiveNo(3).Digest || c.Archives[1].Digest != archiveNo(1).Digest {
		t.Errorf("%v", c.Archives)
	}
	c.Add(again) // the rollbacks took off the promotion before this one
	if len(c.Archives) != 4 {
		t.Errorf("%v", c.Archives)
	}
}

// TestHistoriesWithoutIds: what was written before events had ids stays, older than all that
// follows, and is changed like any other.
func TestHistoriesWithoutIds(t *testing.T) {
	a, b, c0 := archiveNo(0), archiveNo(1), archiveNo(2)
	lines := fmt.Sprintf("2026-10-01T00:00:00Z promote %s\n2026-12-02T00:00:00Z promote %s\n2026-12-03T00:00:00Z "+
		"rollback %s", a.Digest, b.Digest, a.Digest)
	data, _ := json.Marshal(ocispec.Index{ArtifactType: ChannelType, Manifests: []ocispec.Descriptor{b, a},
		Annotations: map[string]string{annotationHistory: lines}})
	c, err := ParseChannel(data)
	if err != nil || len(c.History) != 3 || c.History[2].Digest != a.Digest {
		t.Fatalf("%+v, %v", c, err)
	}
	c.Add(c.Promotion(c0, nil, nil, day))
	back, _ := c.Rollback(day)
	c.Add(back)
	again, _ := c.Rollback(day)
	c.Add(again)
	c, text := reread(t, c)
	if len(c.History) != 6 || len(c.Archives) != 1 || c.Archives[0].Digest != a.Digest || c.History[0].ID != "" ||
		c.History[5].Off != b.Digest {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(text, strings.ReplaceAll(lines, "\n", `\n`)) {
		t.Errorf("the old lines changed: %s", text)
	}
}

// TestLongHistories: no event comes back that went out of a full history.
func TestLongHistories(t *testing.T) {
	c := &Channel{}
	var all []Event
	for i := range maxEvents + 20 {
		e := c.Promotion(archiveNo(i), nil, nil, day)
		all = append(all, kept(t, e))
		c.Add(e)
	}
	_, before := reread(t, c)
	for _, e := range all {
		if c.Lacks(e.ID) {
			t.Errorf("%s is missing", e.ID)
		}
	}
	c.Add(all...)
	if _, after := reread(t, c); after != before || len(c.History) != maxEvents || len(c.Archives) != maxKept {
		t.Errorf("%d events, %d archives", len(c.History), len(c.Archives))
	}
}

// TestForgedEvents are refused.
func TestForgedEvents(t *testing.T) {
	c := &Channel{}
	e := c.Promotion(archiveNo(0), nil, nil, day)
	data, _ := e.Index()
	for what, forged := range map[string]string{
		"another id":          strings.ReplaceAll(string(data), e.ID, eventID(7, 7)),
		"an id of the writer": strings.ReplaceAll(string(data), e.ID, "latest"),
		"another archive":     strings.Replace(string(data), e.Digest.Encoded(), archiveNo(1).Digest.Encoded(), 1),
		"no archive":          strings.Replace(string(data), `"manifests":[`, `"manifests":[],"other":[`, 1),
		"another kind":        strings.ReplaceAll(string(data), EventType, ChannelType),
		"no history":          strings.ReplaceAll(string(data), annotationHistory, "x"),
		"no digest":           strings.ReplaceAll(string(data), " sha256:", " md5:"),
		"no JSON":             "{",
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := ParseEvent([]byte(forged), e.ID); err == nil {
				t.Errorf("%s: no error", what)
			}
		})
	}
	if c.Lacks("latest") {
		t.Error("a tag of another form is an event")
	}
}
