package lint

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLibraryLinksNoEntropyBuffer checks that programs which read, write or merge archives do not link
// crypto/internal/fips140/drbg. Since Go 1.26 this package has a buffer of 32 MiB. crypto/md5 and crypto/rand import
// it.
func TestLibraryLinksNoEntropyBuffer(t *testing.T) {
	startInRoot(t)
	for _, system := range []string{"linux", "windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			list := exec.Command("go", "list", "-deps", "./reader", "./builder", "./merge")
			list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
			out, err := list.Output()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(out), "/profarc/reader\n") {
				t.Fatalf("%s: the packages were not listed: %s", system, out)
			}
			for imported := range strings.Lines(string(out)) {
				if strings.HasPrefix(imported, "crypto/") {
					t.Errorf("%s: the library imports %s", system, imported)
				}
			}
		})
	}
}
