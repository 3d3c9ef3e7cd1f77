// Package story tells how archives go from training to production: story.sh, which its test
// runs against registries with and without the referrers API.
package story

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

func TestStory(t *testing.T) {
	for _, tool := range []string{"javac", "cc", "openssl", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	programs := build(t)
	for name, start := range map[string]func(t *testing.T) string{
		"with referrers":  func(t *testing.T) string { return testregistry.Memory(t, true, nil) },
		"docker-registry": func(t *testing.T) string { return testregistry.Docker(t) },
	} {
		t.Run(name, func(t *testing.T) { tell(t, programs, pushImage(t, start(t)+"/shop:1.4")) })
	}
}

// The page has commands of the script, word for word.
func TestPageQuotesTheScript(t *testing.T) {
	script, err := os.ReadFile("story.sh")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "    profarc ") || !strings.Contains(line, `"$image"`) {
			continue
		}
		command, _, _ := strings.Cut(line, " #")
		if quoted++; !strings.Contains(string(script), strings.TrimSpace(command)) {
			t.Errorf("story.sh does not have the line %s", line)
		}
	}
	if quoted < 4 {
		t.Errorf("the page has %d lines of story.sh", quoted)
	}
}

// build builds the two programs, and returns their folder.
func build(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for program, module := range map[string]string{"./cmd/profarc": "../..", "./cmd/profarc-fleet": ".."} {
		cmd := exec.Command("go", "build", "-o", folder, program)
		cmd.Dir = module
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return folder
}

// pushImage pushes an image without layers.
func pushImage(t *testing.T, name string) string {
	t.Helper()
	repo, err := registry.Open(name, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := ocispec.DescriptorEmptyJSON
	if err := repo.PushBlob(t.Context(), config, func() (io.Reader, error) {
		return bytes.NewReader(config.Data), nil
	}); err != nil {
		t.Fatal(err)
	}
	m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, Config: config, Layers: []ocispec.Descriptor{}}
	m.SchemaVersion, m.Config.MediaType = 2, ocispec.MediaTypeImageConfig
	data, err := json.Marshal(m)
	if err == nil {
		_, err = repo.PushManifest(t.Context(), ocispec.MediaTypeImageManifest, data, repo.Tag())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// tell runs the script, and looks at its files.
func tell(t *testing.T, programs, image string) {
	script, err := filepath.Abs("story.sh")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cmd := exec.Command("sh", script, image)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"),
		"DOCKER_CONFIG="+folder, "XDG_CACHE_HOME="+filepath.Join(programs, "cache"), "JAVA_HOME=")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if file("refused") != "3\n" || file("promoted") != "1\n2\n" {
		t.Errorf("refused %q, promoted %q", file("refused"), file("promoted"))
	}
	for _, report := range []string{"warm.json", "rolledback.json"} {
		if adopted(t, file(report)) == 0 {
			t.Errorf("%s: no profile was adopted", report)
		}
	}
	if n := strings.Count(string(out), "kept    elsewhere/app.parc"); n != 1 {
		t.Errorf("%d pulls found the archive there, want the second of three", n)
	}
	if file("elsewhere/app.parc") != file("candidate2.parc") {
		t.Error("after the rollback it is not the archive before the merged one")
	}
	if strings.Count(string(out), "there   fleet.parc") != 1 {
		t.Error("the second push does not say that the registry has the archive")
	}
	if !strings.Contains(string(out), "there is no such archive") || strings.Count(string(out), "sold for ") != 4 {
		t.Error("the start without an archive is not as it should be")
	}
}

// adopted returns how many profiles were adopted, according to a report of the agent.
func adopted(t *testing.T, report string) int {
	t.Helper()
	var r struct {
		Adopted int `json:"methods_adopted"`
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	return r.Adopted
}
