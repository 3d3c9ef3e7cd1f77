package annotate

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

// dumped returns the lines of a window.
func dumped(t *testing.T, data []byte, w Window) (list []Line) {
	t.Helper()
	if err := Part(data, w, func(l Line) { list = append(list, l) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestWindowsShowWhatTheWholeShows compares windows at chosen places with the dump of the whole
// file: the same bytes, and the same text wherever a line begins at the same offset.
func TestWindowsShowWhatTheWholeShows(t *testing.T) {
	t.Parallel()
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			data, err := sp.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			starts, err := FindStarts(t.Context(), data, nil)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[int64]string{}
			for _, l := range dumped(t, data, Window{To: int64(len(data))}) {
				if len(l.Bytes) > 0 {
					texts[l.Offset] = l.Text
				}
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 100 {
				w := Window{From: random.Int64N(int64(len(data)))}
				w.To = min(w.From+1+random.Int64N(5000), int64(len(data)))
				if random.IntN(2) > 0 {
					w.Starts = starts
				}
				checkWindow(t, data, texts, w)
			}
		})
	}
}

func checkWindow(t *testing.T, data []byte, texts map[int64]string, w Window) {
	t.Helper()
	at := int64(-1)
	for _, l := range dumped(t, data, w) {
		if len(l.Bytes) == 0 {
			continue
		}
		if at >= 0 && l.Offset != at || at < 0 && l.Offset > w.From {
			t.Fatalf("window %d to %d: a line at %d follows %d", w.From, w.To, l.Offset, at)
		}
		if !bytes.Equal(l.Bytes, data[l.Offset:][:len(l.Bytes)]) {
			t.Fatalf("window %d to %d: other bytes at %d", w.From, w.To, l.Offset)
		}
		if whole, ok := texts[l.Offset]; ok && whole != l.Text && !strings.HasSuffix(l.Text, ", continued") {
			t.Fatalf("window %d to %d: %q at %d, the whole has %q", w.From, w.To, l.Text, l.Offset, whole)
		}
		at = l.Offset + int64(len(l.Bytes))
	}
	if at < w.To {
		t.Fatalf("window %d to %d ends at %d", w.From, w.To, at)
	}
}

// TestDamagedArchivesEnd annotates archives with changed bytes: each ends, with lines or with an
// error.
func TestDamagedArchivesEnd(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		sound, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 4))
		for range 100 {
			data := bytes.Clone(sound)
			for range 1 + random.IntN(4) {
				data[random.IntN(len(data))] = byte(random.Uint32())
			}
			starts, _ := FindStarts(t.Context(), data, nil)
			from := random.Int64N(int64(len(data)))
			_ = Part(data, Window{From: from, To: from + 4096, Starts: starts}, func(Line) {})
		}
	}
}
