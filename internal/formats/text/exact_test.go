package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoldenTexts(t *testing.T) {
	for name, data := range specimens(t) {
		text := write(t, data)
		golden(t, goldenFile(name), text)
		if !Detect([]byte(text)) {
			t.Errorf("%s: not detected", name)
		}
	}
}

func TestSpecimensBecomeTheSameBytes(t *testing.T) {
	for name, data := range specimens(t) {
		t.Run(name, func(t *testing.T) { checkExact(t, data) })
	}
}

// checkExact checks that an archive becomes the same bytes by way of its text.
func checkExact(t testing.TB, data []byte) {
	t.Helper()
	text := write(t, data)
	again := read(t, text)
	if !bytes.Equal(data, again) {
		t.Fatalf("another archive by way of the text:\n%s",
			cmp.Diff(strings.Split(text, "\n"), strings.Split(write(t, again), "\n")))
	}
}
