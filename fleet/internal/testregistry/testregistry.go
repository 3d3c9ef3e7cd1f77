// Package testregistry starts registries on loopback addresses, for tests.
package testregistry

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelabs.dev/go/oci/ociregistry/ociserver"
)

// Memory starts an in-memory registry, with or without the referrers API, and returns its host:port. If around is not
// nil, it wraps the registry's handler.
func Memory(t testing.TB, referrers bool, around func(http.Handler) http.Handler) string {
	t.Helper()
	handler := ociserver.New(ocimem.New(), &ociserver.Options{DisableReferrersAPI: !referrers})
	if around != nil {
		handler = around(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// Immutable starts an in-memory registry that refuses to overwrite and to delete tags, and returns its host:port.
func Immutable(t testing.TB) string {
	t.Helper()
	memory := ocimem.NewWithConfig(&ocimem.Config{ImmutableTags: true})
	server := httptest.NewServer(ociserver.New(memory, nil))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

const dockerConfig = `version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
http: {addr: "%s"}
`

// Docker starts Debian's docker-registry, which has no referrers API, and returns its host:port. It skips the test if
// the program is missing.
func Docker(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		t.Skip("docker-registry is not installed")
	}
	folder := t.TempDir()
	address := freeAddress(t)
	config := filepath.Join(folder, "config.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, dockerConfig, folder, address), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, "serve", config)
	cmd.Env = append(os.Environ(), "OTEL_TRACES_EXPORTER=none")
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + address + "/v2/")
		if err == nil {
			resp.Body.Close()
			return address
		}
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("docker-registry does not answer: %v", err)
		}
	}
}

// freeAddress returns an unused loopback address.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
