package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// testdata has the parts of the VM that profarc's repository adds, the runner and the Lua programs.
//
//go:embed testdata
var testdata embed.FS

// A judge is a folder with the builds of the VM.
type judge struct {
	dir  string // temporary
	root string // root of the module profarc
}

// runner returns the path of a build, "untouched" or "profiled".
func (j *judge) runner(name string) string { return filepath.Join(j.dir, name, "runner") }

// program returns the path of a Lua program.
func (j *judge) program(name string) string { return filepath.Join(j.dir, "programs", name+".lua") }

// build builds both variants of the VM.
func (j *judge) build() error {
	from, err := downloadVM()
	if err != nil {
		return err
	}
	if err := copyTestdata("programs", filepath.Join(j.dir, "programs")); err != nil {
		return err
	}
	for _, variant := range []string{"untouched", "profiled"} {
		if err := j.buildVariant(variant, from); err != nil {
			return fmt.Errorf("build the %s VM: %w", variant, err)
		}
	}
	return nil
}

func (j *judge) buildVariant(variant, from string) error {
	dir := filepath.Join(j.dir, variant)
	vm := filepath.Join(dir, "gopher-lua")
	if err := copyVM(from, vm); err != nil {
		return err
	}
	if err := copyTestdata("runner", dir); err != nil {
		return err
	}
	if variant == "profiled" {
		if err := copyTestdata("vm", vm); err != nil {
			return err
		}
		if err := editVM(vm); err != nil {
			return err
		}
	}
	if err := j.writeModule(dir); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-mod=mod", "-tags", variant, "-o", j.runner(variant), ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// writeModule writes the module of the runner. It has profarc's requirements, since modules have to agree on them.
func (j *judge) writeModule(dir string) error {
	text, err := os.ReadFile(filepath.Join(j.root, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(j.root, "go.sum"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	const profarc = "github.com/profarc/profarc"
	module := fmt.Sprintf("module runner\n%s\nrequire (\n\t%s %s\n\t%s v0.0.0\n)\n\nreplace %s => ./gopher-lua\n"+
		"\nreplace %s => %s\n", rest, vmModule, vmVersion, profarc, vmModule, profarc, j.root)
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte(module)); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "go.sum"), sums)
}

// copyTestdata copies a folder of testdata.
func copyTestdata(name, to string) error {
	files, err := fs.Glob(testdata, "testdata/"+name+"/*")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := testdata.ReadFile(file)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(to, filepath.Base(file)), text); err != nil {
			return err
		}
	}
	return nil
}
