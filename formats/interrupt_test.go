package formats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
)

// TestAnInterruptEndsAnImportSoon cancels an import of a file after its first part was read: it
// does not go on to the end of a large buffer.
func TestAnInterruptEndsAnImportSoon(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "main;f%d %d\n", i, i+1)
	}
	name := filepath.Join(t.TempDir(), "a.folded")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := int64(0)
	options := formats.ImportOptions{Progress: func(_ string, done, _ int64) {
		if read = done; done > 1<<16 { // behind what the compression is told from
			cancel()
		}
	}}
	if _, err := formats.Import(ctx, formats.Files(name), options); !errors.Is(err, context.Canceled) || read > 1<<17 {
		t.Errorf("%d of %d bytes were read after the interrupt: %v", read, text.Len(), err)
	}
}
