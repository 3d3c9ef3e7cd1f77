package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestRecordingIsTheOneDescribed holds the recording against what recording/RECORDING.md says of it.
func TestRecordingIsTheOneDescribed(t *testing.T) {
	full.Only(t, "takes many inputs")
	about, err := os.ReadFile("recording/RECORDING.md")
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) != recordedText {
		t.Errorf("the text has %d bytes, not %d", len(text), recordedText)
	}
	report, err := readRecording()
	if err != nil {
		t.Fatal(err)
	}
	for _, fact := range []string{
		fmt.Sprintf("%x", sha256.Sum256(text)),
		grouped(len(text)) + " bytes of text", grouped(len(recording)) + " compressed",
		grouped(report.Methods) + " methods", grouped(report.Entries) + " profile entries",
		fmt.Sprintf("%d hidden classes", report.Facts["hidden_classes"]),
	} {
		if !strings.Contains(string(about), fact) {
			t.Errorf("RECORDING.md does not say %q", fact)
		}
	}
	if path := regexp.MustCompile(`(?m)(^|[\s"'(])/(home|root|tmp|usr|work|var|opt)/`).Find(text); path != nil {
		t.Errorf("the recording names a path: %q", path)
	}
}

// grouped writes a number with a comma before every three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
