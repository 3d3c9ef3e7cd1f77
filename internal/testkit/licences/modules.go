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

// A Module is a dependency of a program.
type Module struct{ Path, Folder string }

// ErrNotCached means that the module cache lacks a module.
var ErrNotCached = errors.New("a module is not in the module cache")

// Modules returns the modules that "go list -deps" finds in folder for a target GOOS/GOARCH, sorted by path. It omits
// the main module.
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
	return sortModules(found), nil
}

func sortModules(folders map[string]string) (list []Module) {
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		list = append(list, Module{path, folders[path]})
	}
	return list
}

// A Program is a program of a release.
type Program struct {
	Name    string
	Folder  string // folder of its module, relative to the root of the repository
	Package string
}

// Programs are the programs of a release.
var Programs = []Program{
	{"profarc", ".", "./cmd/profarc"},
	{"profarc-fleet", "fleet", "./cmd/profarc-fleet"},
}

// Targets are the values of GOOS/GOARCH of a release.
var Targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// Linked returns all dependencies of a release's programs on any target, including the standard library as module std.
// It omits modules of the repository.
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
	delete(found, "github.com/profarc/profarc") // dependency of fleet
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	found[Standard] = strings.TrimSpace(string(goroot))
	return sortModules(found), err
}

// Standard is the module path of the standard library.
const Standard = "std"
