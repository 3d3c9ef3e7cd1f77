package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// ErrNoGoCommand means that the go command, which lists the packages of a build, is not on the PATH.
var ErrNoGoCommand = errors.New("the go command is not on the PATH: install Go, or name the binary")

// A listedPackage has the fields of a package that go list prints.
type listedPackage struct {
	Dir, ImportPath, Name string

	GoFiles, CgoFiles, IgnoredGoFiles []string

	Error *struct{ Err string }
}

const listedFields = "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,IgnoredGoFiles,Error"

// OpenBuild reads all packages of the program in a folder: of its module, other modules, and the standard
// library. Without a program in the folder it reads the packages of all folders below. It downloads nothing. The
// error matches ErrNoGoCommand, or has the message of the go command.
func OpenBuild(ctx context.Context, dir string) (*Tree, error) {
	all, err := listPackages(ctx, dir, ".")
	if err != nil || len(all) == 0 || all[len(all)-1].Name != "main" { // dependencies come first
		all, err = listPackages(ctx, dir, "./...")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	t := newTree()
	for i := range all {
		if p := &all[i]; p.Error != nil {
			t.problems[p.ImportPath] = strings.TrimSpace(p.Error.Err)
		}
	}
	if err := t.addPackages(ctx, all); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if len(t.packages) == 0 {
		return nil, fmt.Errorf("%s: %w: name the folder of a Go module: %v", dir, ErrNoFiles,
			slices.Collect(maps.Values(t.problems)))
	}
	t.resolveLinks()
	return t, nil
}

func listPackages(ctx context.Context, dir, pattern string) (all []listedPackage, err error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, ErrNoGoCommand
	}
	// Profiles of the build would rename packages in the list.
	cmd := exec.CommandContext(ctx, goCommand, "list", "-e", "-deps", "-pgo=off", listedFields, "--", pattern)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off")
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, bytes.TrimSpace(failure.Bytes()))
	}
	for d := json.NewDecoder(&out); ; {
		var p listedPackage
		if err := d.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// addPackages parses the files of packages in parallel.
func (t *Tree) addPackages(ctx context.Context, all []listedPackage) error {
	parsed := make([]*Tree, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i := range all {
		group.Go(func() error {
			parsed[i] = newTree()
			parsed[i].addPackage(&all[i])
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, one := range parsed {
		t.mergeTree(one)
	}
	return nil
}

func (t *Tree) addPackage(p *listedPackage) {
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		t.addFile(name, p.ImportPath)
	}
	other := newTree() // files that the build leaves out, for its system or its tags
	for _, name := range p.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			other.addFile(filepath.Join(p.Dir, name), p.ImportPath)
		}
	}
	for pkg, of := range other.packages {
		for function := range of.functions {
			t.ignored[pkg+"."+function] = true
		}
	}
}

// mergeTree adds the functions of another tree.
func (t *Tree) mergeTree(other *Tree) {
	for pkg, from := range other.packages {
		to := t.addedPackage(pkg)
		for name, bodies := range from.functions {
			to.functions[name] = append(to.functions[name], bodies...)
		}
		maps.Copy(to.embedding, from.embedding)
		maps.Copy(to.declared, from.declared)
	}
	maps.Copy(t.ignored, other.ignored)
	maps.Copy(t.members, other.members)
	maps.Copy(t.fields, other.fields)
	t.links = append(t.links, other.links...)
}

// A link is a directive go:linkname that gives a function of a package a symbol.
type link struct{ pkg, name, symbol string }

// resolveLinks gives functions that are declared without a body the body that is linked under their name.
func (t *Tree) resolveLinks() {
	for _, l := range t.links {
		for _, b := range t.packages[l.pkg].functions[l.name] {
			if s := parseSymbol(l.symbol); !b.unknown {
				to := t.addedPackage(s.pkg)
				to.functions[s.name] = append(to.functions[s.name], b)
			}
		}
	}
}
