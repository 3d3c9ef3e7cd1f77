package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// These packages and dependencies of the command must stay, because profarc promised them at its beginning.
var (
	promisedPackages = []string{"archive", "layout", "builder", "reader", "relocate", "cmd/profarc", "bench"}
	promisedModules  = []string{
		"github.com/edsrzf/mmap-go", "github.com/cespare/xxhash/v2", "github.com/RoaringBitmap/roaring/v2",
	}
)

func TestPromisedPackagesExist(t *testing.T) {
	startInRoot(t)
	for _, dir := range promisedPackages {
		list := exec.Command("go", "list", ".")
		list.Dir = dir // bench is a separate module
		if _, err := list.Output(); err != nil {
			t.Errorf("there is no package %s: %v", dir, err)
		}
	}
}

func TestCommandLinksPromisedModules(t *testing.T) {
	startInRoot(t)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/profarc").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, module := range promisedModules {
		if !slices.Contains(linked, module) {
			t.Errorf("the command does not link %s", module)
		}
	}
}
