package profarc

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licenceTexts identifies each licence that a dependency may have by a phrase of
// its text, in lower case with single spaces.
var licenceTexts = map[string]string{
	"Apache-2.0": "apache license version 2.0",
	"BSD":        "redistribution and use in source and binary forms, with or without modification, are permitted",
	"MIT":        "permission is hereby granted, free of charge, to any person obtaining a copy",
	"MPL-2.0":    "mozilla public license version 2.0",
}

// forbiddenTexts are phrases of licences that restrict use, or that extend to
// the programs a module is linked into.
var forbiddenTexts = []string{
	"gnu general public license version", "gnu lesser general public license version", "gnu affero general public license version",
	"server side public license", "business source license", "commons clause", "noncommercial",
}

// licences lists the dependencies and their licences. A new dependency needs a
// row here.
var licences = map[string]string{
	"github.com/RoaringBitmap/roaring/v2":      "Apache-2.0 BSD",
	"github.com/bits-and-blooms/bitset":        "BSD",
	"github.com/cespare/xxhash/v2":             "MIT",
	"github.com/edsrzf/mmap-go":                "BSD",
	"github.com/google/go-cmp":                 "BSD",
	"github.com/google/pprof":                  "Apache-2.0",
	"github.com/inconshreveable/mousetrap":     "Apache-2.0",
	"github.com/klauspost/compress":            "Apache-2.0 BSD MIT",
	"github.com/mitchellh/colorstring":         "MIT",
	"github.com/rivo/uniseg":                   "MIT",
	"github.com/rogpeppe/go-internal":          "BSD",
	"github.com/santhosh-tekuri/jsonschema/v6": "Apache-2.0",
	"github.com/schollz/progressbar/v3":        "MIT",
	"github.com/spf13/cobra":                   "Apache-2.0",
	"github.com/spf13/pflag":                   "BSD",
	"golang.org/x/sync":                        "BSD",
	"golang.org/x/sys":                         "BSD",
	"golang.org/x/term":                        "BSD",
	"golang.org/x/text":                        "BSD",
	"golang.org/x/tools":                       "BSD",
	"pgregory.net/rapid":                       "MPL-2.0",
	// the tools of tools/go.mod
	"github.com/BurntSushi/toml":       "MIT",
	"github.com/aclements/go-moremath": "BSD",
	"github.com/tetratelabs/wazero":    "Apache-2.0",
	"golang.org/x/exp/typeparams":      "BSD",
	"golang.org/x/mod":                 "BSD",
	"golang.org/x/perf":                "BSD",
	"golang.org/x/telemetry":           "BSD",
	"golang.org/x/vuln":                "BSD",
	"honnef.co/go/tools":               "BSD MIT",
}

// fleetLicences lists the dependencies that only the module fleet has.
var fleetLicences = map[string]string{
	"cuelabs.dev/go/oci/ociregistry":       "Apache-2.0",
	"github.com/opencontainers/go-digest":  "Apache-2.0",
	"github.com/opencontainers/image-spec": "Apache-2.0",
	"oras.land/oras-go/v2":                 "Apache-2.0",
}

// TestLicencesOfFleet checks those of the module fleet in the same way.
func TestLicencesOfFleet(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for path, dir := range modulesOf(t, "fleet", system, "-test", "./...") {
			if path != "github.com/profarc/profarc" && (licences[path] == "" || fleetLicences[path] != "") {
				checkLicence(t, fleetLicences, path, dir, seen)
			}
		}
	}
	for path := range fleetLicences {
		if !seen[path] {
			t.Errorf("%s is no dependency of fleet any more: delete its row in fleetLicences", path)
		}
	}
}

// TestLicences checks the licence of every module whose packages the command,
// the library, their tests or the tools of tools/go.mod are built from, on
// every system. It reads the module cache and uses no network.
func TestLicences(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for path, dir := range modulesOf(t, ".", system, "-test", "./...") {
			checkLicence(t, licences, path, dir, seen)
		}
	}
	for path, dir := range modulesOf(t, ".", "linux", "-modfile=tools/go.mod", "tool") {
		checkLicence(t, licences, path, dir, seen)
	}
	for path := range licences {
		if !seen[path] {
			t.Errorf("%s is no dependency any more: delete its row in licences", path)
		}
	}
}

// modulesOf returns the folders of the modules that "go list -deps" finds for
// these arguments in the module of a folder, by module path. The module itself is left out.
func modulesOf(t *testing.T, folder, system string, args ...string) map[string]string {
	t.Helper()
	args = append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"}, args...)
	list := exec.Command("go", args...)
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOPROXY=off")
	out, err := list.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		t.Skipf("a module is not in the module cache: %s", out)
	} else if err != nil {
		t.Fatalf("%s: %v: %s", list, err, out)
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			modules[path] = dir
		}
	}
	return modules
}

// checkLicence compares the licences in a module's folder with the module's row
// in a table, once.
func checkLicence(t *testing.T, licences map[string]string, path, dir string, seen map[string]bool) {
	t.Helper()
	if seen[path] {
		return
	}
	seen[path] = true
	text := licenceText(t, dir)
	for _, phrase := range forbiddenTexts {
		if strings.Contains(text, phrase) {
			t.Errorf("the licence of %s says %q", path, phrase)
		}
	}
	var found []string
	for name, phrase := range licenceTexts {
		if strings.Contains(text, phrase) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	if got := strings.Join(found, " "); got == "" || got != licences[path] {
		t.Errorf("%s has the licences %q, the table in licence_test.go says %q", path, got, licences[path])
	}
}

// licenceText returns the text of the licence files in a folder, in lower case
// with single spaces.
func licenceText(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, e := range entries {
		if !e.IsDir() && regexp.MustCompile(`(?i)^(licen[cs]e|copying)`).MatchString(e.Name()) {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
			text.WriteByte('\n')
		}
	}
	return strings.ToLower(strings.Join(strings.Fields(text.String()), " "))
}
