package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/profarc/profarc/ci/licences"
)

var sums = []string{strings.Repeat("0123456789abcdef", 4), strings.Repeat("f", 64)}

func example(t *testing.T) (*release, built) {
	t.Helper()
	r := &release{Version: "v1.2.3", Revision: strings.Repeat("a", 40), Builder: "https://builder.example/1",
		Targets: []string{"linux/amd64"}, folder: t.TempDir(), goVersion: "go1.26.0",
		names: map[string][]string{"std": {"BSD-3-Clause"}, "example.org/a": {"Apache-2.0", "MIT"}}}
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{{Key: "-trimpath", Value: "true"}},
		Deps: []*debug.Module{{Path: "example.org/a", Version: "v0.1.0", Sum: "h1:abc="},
			{Path: "github.com/profarc/profarc", Version: "v0.0.0", Replace: &debug.Module{Path: "../", Version: "(devel)"}}}}
	return r, built{"profarc-v1.2.3-linux-amd64", sums[0], info}
}

// TestContents: a bill has each module with its version, licences and URL, and the library with the release's version.
func TestContents(t *testing.T) {
	t.Parallel()
	r, b := example(t)
	list, err := r.contents(licences.Programs[0], b)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	known := map[string]bool{list.Metadata.Component.Ref: true}
	for _, c := range list.Components {
		urls, known[c.Ref] = append(urls, c.URL), true
		if c.Name == "" || c.Version == "" || len(c.Licences) == 0 || c.Type != "library" {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(urls, " "); got != "pkg:golang/std@1.26.0 pkg:golang/example.org/a@v0.1.0 "+
		"pkg:golang/github.com/profarc/profarc@v1.2.3" {
		t.Error(got)
	}
	for _, d := range list.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !known[ref] {
				t.Errorf("%s is no component", ref)
			}
		}
	}
	form := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$`)
	if !form.MatchString(list.Serial) || list.Serial == serialNumber(sums[1]) ||
		list.Metadata.Component.Hashes[0].Content != sums[0] {
		t.Errorf("%s, %+v", list.Serial, list.Metadata.Component)
	}
	delete(r.names, "example.org/a")
	if _, err := r.contents(licences.Programs[0], b); err == nil || !strings.Contains(err.Error(), "example.org/a") {
		t.Errorf("a module without a licence: %v", err)
	}
}

// TestProvenance: the statement names each program by its sum, and the commit, builder, Go and command.
func TestProvenance(t *testing.T) {
	t.Parallel()
	r, b := example(t)
	other := built{"profarc-fleet-v1.2.3-linux-amd64", sums[1], b.info}
	if err := r.writeProvenance([]built{b, other}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.folder, "provenance.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s statement
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Subject) != 2 || s.Subject[0].Digest["sha256"] != sums[0] || s.Subject[1].Name != other.name ||
		s.Predicate.Definition.Resolved[0].Digest["gitCommit"] != r.Revision ||
		s.Predicate.Details.Builder.ID != r.Builder {
		t.Errorf("%s", data)
	}
	for _, part := range []string{`"_type": "https://in-toto.io/Statement/v1"`, "https://slsa.dev/provenance/v1",
		"go1.26.0", "-trimpath", "go run -C .ci ./release -targets linux/amd64 v1.2.3 FOLDER"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("the provenance does not have %s:\n%s", part, data)
		}
	}
}

// TestSums: each file of a folder has a line that sha256sum reads.
func TestSums(t *testing.T) {
	t.Parallel()
	r, _ := example(t)
	if err := r.writeFile("a", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(r.folder); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(r.folder, "SHA256SUMS"))
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestRefusals: what is no version is refused, and a folder that is there already stays as it is.
func TestRefusals(t *testing.T) {
	t.Parallel()
	r, _ := example(t)
	for version, want := range map[string]string{"1.2.3": "no version", "v1.2.3 -X a=b": "no version",
		"v1.2.3": "exists"} {
		t.Run(version, func(t *testing.T) {
			r.Version = version
			if err := r.writeRelease(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", version, err, want)
			}
		})
	}
	if files, err := os.ReadDir(r.folder); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
