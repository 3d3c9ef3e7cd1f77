package recipes

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// largestImage is the largest size of the init container's image in bytes.
const largestImage = 15e6

// TestKubernetesDockerfile builds the image of the init container, with this machine's Go in place of the public image,
// and runs its program.
func TestKubernetesDockerfile(t *testing.T) {
	b := newBuilder(t)
	root := t.TempDir()
	putShell(t, root)
	goroot := strings.TrimSpace(must(t, root, "go", "env", "GOROOT"))
	put(t, read(t, "/etc/ssl/certs/ca-certificates.crt"), root, "etc", "ssl", "certs", "ca-certificates.crt")
	b.run("from", "--name", "go", "scratch")
	b.run("copy", "go", root, "/")
	b.run("config", "--env", "PATH=/usr/local/go/bin:/bin", "--env", "GOTOOLCHAIN=local", "--env",
		"GOFLAGS=-buildvcs=false", "--env", "GOPROXY=off", "--env", "GOCACHE=/cache", "--env", "GOMODCACHE=/modules", "go")
	b.run("commit", "go", "docker.io/library/golang:1.26")

	modules := strings.TrimSpace(must(t, root, "go", "env", "GOMODCACHE"))
	cache := strings.TrimSpace(must(t, root, "go", "env", "GOCACHE"))
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	b.run("build", "--network", "none", "--pull-never", "--volume", goroot+":/usr/local/go:ro",
		"--volume", modules+":/modules:ro", "--volume", cache+":/cache",
		"--file", filepath.Join(repository, "recipes/kubernetes/Dockerfile"), "--tag", "localhost/pull", repository)
	size := b.run("images", "--format", "{{.Size}}", "localhost/pull")
	t.Log("the image has ", size)
	number, unit, _ := strings.Cut(strings.TrimSpace(size), " ")
	if n, err := strconv.ParseFloat(number, 64); err != nil || unit != "MB" || n*1e6 > largestImage {
		t.Errorf("the image has %s, more than 15 MB", size)
	}
	b.run("from", "--name", "pull", "localhost/pull")
	contains(t, b.run("run", "--user", "65532:65532", "pull", "--", "/profarc-pull", "--version"), "profarc-pull version")
}
