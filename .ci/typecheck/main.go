// Typecheck type-checks all packages of this module for all systems and processors of the go command, or for the given
// ones. With -tests it includes tests. It finds the errors of the compiler, such as an undefined name on a system or a
// constant that overflows a 32-bit int. It is ten times faster than compiling, because it ignores function bodies of
// other modules and of the standard library.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	tests := flag.Bool("tests", false, "check the tests, too")
	flag.Parse()
	targets := flag.Args()
	if len(targets) == 0 {
		out, err := exec.Command("go", "tool", "dist", "list").Output()
		if err != nil {
			fmt.Println("go tool dist list:", err)
			os.Exit(1)
		}
		targets = strings.Fields(string(out))
	}
	if failed := checkAll(targets, *tests); failed > 0 {
		fmt.Printf("%d of %d targets failed\n", failed, len(targets))
		os.Exit(1)
	}
	fmt.Printf("%d targets: %s\n", len(targets), strings.Join(targets, " "))
}

// checkAll checks targets concurrently, and returns the number of failures.
func checkAll(targets []string, tests bool) (failed int) {
	var all sync.WaitGroup
	var mu sync.Mutex
	running := make(chan struct{}, runtime.NumCPU())
	for _, target := range targets {
		running <- struct{}{}
		all.Go(func() {
			err := checkTarget(target, tests)
			<-running
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed++
				fmt.Printf("%s:\n%v\n", target, err)
			}
		})
	}
	all.Wait()
	return failed
}

type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
}

func checkTarget(target string, tests bool) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return errors.New("a target is named as linux/amd64")
	}
	packages, err := listPackages(system, processor, tests)
	if err != nil {
		return err
	}
	c := checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", processor),
		listed: map[string]listed{}, done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for _, p := range packages {
		c.listed[p.ImportPath] = p
	}
	own := 0
	for _, p := range packages {
		if p.Module != nil && p.Module.Main && !strings.HasSuffix(p.ImportPath, ".test") {
			own++
			_, _ = importer{checker: &c}.Import(p.ImportPath)
		}
	}
	if own == 0 {
		return errors.New("go list found no package of this module")
	}
	return errors.Join(c.errs...)
}

// listPackages lists the packages of a target. It uses go list -e, since programs of some systems need a C compiler to link.
func listPackages(system, processor string, tests bool) (packages []listed, err error) {
	cmd := exec.Command("go", "list", "-e", "-deps", fmt.Sprintf("-test=%t", tests), "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		failed := &exec.ExitError{}
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		packages = append(packages, p)
	}
}

type checker struct {
	files  *token.FileSet
	sizes  types.Sizes
	listed map[string]listed // packages by import path
	done   map[string]*types.Package
	errs   []error
}

const mostErrors = 20

// checkPackage checks a package. The import path of a package that is compiled for a test ends with the test. check reports
// errors in other modules, which then do not support the target, but not in the standard library.
func (c *checker) checkPackage(p listed) {
	own := p.Module != nil && p.Module.Main
	fail := func(err error) {
		if !p.Standard && len(c.errs) < mostErrors {
			c.errs = append(c.errs, err)
		}
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			fail(err)
			continue
		}
		files = append(files, f)
	}
	config := types.Config{Importer: importer{c, p.ImportMap}, Sizes: c.sizes, IgnoreFuncBodies: !own, Error: fail}
	path, _, _ := strings.Cut(p.ImportPath, " [")
	c.done[p.ImportPath], _ = config.Check(path, c.files, files, nil)
}

// An importer checks packages when they are first imported.
type importer struct {
	*checker
	renamed map[string]string // vendored packages of the standard library
}

func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.renamed[path]; ok {
		path = to
	}
	if p, ok := i.listed[path]; ok && i.done[path] == nil {
		i.checkPackage(p)
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("go list does not have %s", path)
}
