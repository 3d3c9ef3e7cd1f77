package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

// ErrNoModule means that a folder is not in a Go module.
var ErrNoModule = errors.New("no go.mod in it or above: name the folder of a module")

// ErrNoFiles means that a folder has no Go files.
var ErrNoFiles = errors.New("no Go file in it")

// A Tree is the source of one or more modules. It implements [methodcode.Source].
type Tree struct {
	packages map[string]*packageFunctions // keyed by import path, which is "main" for all programs
}

// A folder has the functions of a package, keyed by name.
type packageFunctions struct{ functions map[string][]*body }

// Open reads the Go files in a folder and its subfolders. It skips tests, testdata, and folders whose names begin with
// a dot or underscore. The error matches ErrNoModule or ErrNoFiles, or comes from reading a folder.
func Open(dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{packages: map[string]*packageFunctions{}}
	modules := map[string]string{}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		switch {
		case d.IsDir() && name != dir && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case d.IsDir():
			modules[name] = importPath(modules, name)
		case d.Type().IsRegular() && strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go"):
			return t.addFile(name, modules[filepath.Dir(name)])
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, err)
	case len(t.packages) == 0:
		return nil, fmt.Errorf("%s: %w", dir, ErrNoFiles)
	}
	return t, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// importPath returns the import path of the package in a folder. It is outside for a folder without a module, and ""
// for packages of the standard library's vendor folder. known caches results by folder.
func importPath(known map[string]string, dir string) string {
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
		if m := moduleLine.FindSubmatch(text); m != nil {
			return strings.TrimPrefix(string(m[1]), "std")
		}
	}
	parent := filepath.Dir(dir)
	above, ok := known[parent]
	if !ok {
		if parent == dir {
			return noModule
		}
		above = importPath(known, parent)
	}
	switch base := filepath.Base(dir); {
	case above == noModule:
		return noModule
	case base == "vendor" && above != "" && above != "cmd":
		return ""
	default:
		return path.Join(above, base)
	}
}

// outside replaces the import path of folders without a module.
const noModule = "\x00"

// addFile adds the functions of a file to package pkg.
func (t *Tree) addFile(name, pkg string) error {
	if pkg == noModule {
		return ErrNoModule
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if parsed == nil || err != nil {
		return nil // skip files with errors
	}
	if parsed.Name.Name == "main" {
		pkg = "main"
	}
	of := t.packages[pkg]
	if of == nil {
		of = &packageFunctions{map[string][]*body{}}
		t.packages[pkg] = of
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			key := linkerName(d)
			of.functions[key] = append(of.functions[key], newBody(set, d.Pos(), d, d.Body))
		case *ast.GenDecl:
			of.addInitializers(set, d)
		}
	}
	return nil
}

// addInitializers adds the closures in package variables. The linker puts them in functions glob. and init.
func (f *packageFunctions) addInitializers(set *token.FileSet, d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			b := &body{}
			b.closures = append(b.closures, newBody(set, lit.Pos(), lit, lit.Body))
			for _, key := range []string{"glob.", "init"} {
				f.functions[key] = append(f.functions[key], b)
			}
		}
		return true
	})
}

// linkerName returns the linker's name of a function without its package.
func linkerName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	of := d.Recv.List[0].Type
	pointer := false
	for {
		switch x := of.(type) {
		case *ast.ParenExpr:
			of = x.X
			continue
		case *ast.StarExpr:
			of = x.X
			pointer = true
			continue
		case *ast.IndexExpr:
			of = x.X
			continue
		case *ast.IndexListExpr:
			of = x.X
			continue
		case *ast.Ident:
			if pointer {
				return "(*" + x.Name + ")." + d.Name.Name
			}
			return x.Name + "." + d.Name.Name
		}
		return d.Name.Name
	}
}

// Method implements [fit.Code]. The answer has no code to compare.
func (t *Tree) Method(k layout.Key) (methodcode.Answer, error) {
	_, presence := t.Bodies(k.Name)
	return methodcode.Answer{Presence: presence}, nil
}

// Bodies implements [methodcode.Source].
func (t *Tree) Bodies(name string) (found []methodcode.Body, presence methodcode.Presence) {
	s := parseSymbol(name)
	in := t.packages[s.pkg]
	if in == nil {
		return nil, methodcode.NoClass
	}
	of := in.functions[s.name]
	if len(of) == 0 && s.closure { // the closure's function was inlined, and its name has the caller's name as prefix
		of = in.functions[s.lastName()]
		if len(of) == 0 {
			return nil, methodcode.Unknown
		}
	}
	for _, b := range of {
		if !s.closure {
			found = append(found, b)
			continue
		}
		for _, c := range b.closures {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil, methodcode.NoMethod
	}
	return found, methodcode.Present
}

// Beside implements [methodcode.Source]. The names are sorted.
func (t *Tree) Beside(name string) (names []string) {
	s := parseSymbol(name)
	in := t.packages[s.pkg]
	if in == nil || s.closure {
		return nil
	}
	at := strings.LastIndexByte(s.pkg, '/') + 1
	pkg := s.pkg[:at] + strings.ReplaceAll(s.pkg[at:], ".", "%2e")
	for other := range in.functions {
		names = append(names, pkg+"."+other)
	}
	slices.Sort(names)
	return names
}
