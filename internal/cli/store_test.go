package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of an archive that another client fetched the error says how it is decompressed.
func TestCompressedArchive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.parc.zst")
	for text, want := range map[string]bool{"\x28\xb5\x2f\xfd and more": true, "\x28\xb5\x2f\xfc and more": false} {
		t.Run(text, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := new(App).OpenArchive(path)
			if err == nil || strings.Contains(Message(err, nil), "decompress it with zstd -d") != want {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}
