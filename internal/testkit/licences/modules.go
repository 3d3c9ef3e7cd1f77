package licences

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Module is a module whose packages a program is built from.
type Module struct{ Path, Folder string }

// ErrNotCached: the module cache lacks a module.
var ErrNotCached = errors.New("a module is not in the module cache")

// Modules returns what "go list -deps" finds for arguments in the module of a folder, by path, for a system and
// processor (GOOS/GOARCH). The module itself is left out.
func Modules(ctx context.Context, folder, target string, args ...string) ([]Module, error) {
	system, processor, _ := strings.Cut(target, "/")
	args = append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"}, args...)
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOPROXY=off")
	out, err := list.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		return nil, fmt.Errorf("%w: %s", ErrNotCached, out)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", list, err, out)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[path] = dir
		}
	}
	return sorted(found), nil
}

func sorted(folders map[string]string) (list []Module) {
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		list = append(list, Module{path, folders[path]})
	}
	return list
}

// A Program is a program of a release.
type Program struct {
	Name    string
	Folder  string // of its module, below the root of the repository
	Package string
}

// Programs are the programs of a release.
var Programs = []Program{
	{"profarc", ".", "./cmd/profarc"},
	{"profarc-fleet", "fleet", "./cmd/profarc-fleet"},
}

// Targets are the systems and processors that releases are built for.
var Targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// Linked returns all modules that a release's programs are linked from, for any target, in the repository at a root.
// The standard library is the module std. Modules of the repository are left out.
func Linked(ctx context.Context, root string) ([]Module, error) {
	found := map[string]string{}
	for _, p := range Programs {
		for _, target := range Targets {
			list, err := Modules(ctx, filepath.Join(root, p.Folder), target, p.Package)
			if err != nil {
				return nil, err
			}
			for _, m := range list {
				found[m.Path] = m.Folder
			}
		}
	}
	delete(found, "github.com/profarc/profarc") // fleet builds on it
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	found[Standard] = strings.TrimSpace(string(goroot))
	return sorted(found), err
}

// Standard is the path of Go's standard library as a module.
const Standard = "std"
