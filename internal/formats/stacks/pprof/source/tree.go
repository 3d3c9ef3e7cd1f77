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
	"strings"
)

// ErrNoModule means that a folder is not in a Go module.
var ErrNoModule = errors.New("no go.mod in it or above: name the folder of a module")

// ErrNoFiles means that a folder has no Go files.
var ErrNoFiles = errors.New("no Go file in it")

// A Tree is the source of one or more modules, or of a whole build. It implements [methodcode.Source].
type Tree struct {
	packages map[string]*packageFunctions // keyed by import path, which is "main" for all programs
	assembly map[string][]*body           // functions in assembly, keyed by symbol
	links    []link
	members  map[string]bool // names of functions, methods and types
	fields   map[string]bool // names of fields, which can hold functions

	whole    bool              // all packages of a build are there
	ignored  map[string]bool   // functions in files that the build leaves out
	problems map[string]string // errors of packages that were not read
	missing  string            // reason why packages are missing, "" if the folder was all that was asked for
}

type packageFunctions struct {
	functions map[string][]*body // keyed by name
	declared  map[string]bool    // names of functions and types
	embedding map[string]bool    // types with embedded fields, from which they have methods
}

func newTree() *Tree {
	return &Tree{packages: map[string]*packageFunctions{}, assembly: map[string][]*body{},
		members: map[string]bool{}, fields: map[string]bool{}, ignored: map[string]bool{}, problems: map[string]string{}}
}

func (t *Tree) addedPackage(pkg string) *packageFunctions {
	of := t.packages[pkg]
	if of == nil {
		of = &packageFunctions{map[string][]*body{}, map[string]bool{}, map[string]bool{}}
		t.packages[pkg] = of
	}
	return of
}

// Open reads the Go files in a folder and its subfolders. It skips tests, testdata, and folders whose names begin with
// a dot or underscore. The error matches ErrNoModule or ErrNoFiles, or comes from reading a folder.
func Open(dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	t := newTree()
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
	parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution|parser.ParseComments)
	if parsed == nil || err != nil {
		return nil // skip files with errors
	}
	if parsed.Name.Name == "main" {
		pkg = "main"
	}
	of := t.addedPackage(pkg)
	t.addLinks(parsed, pkg)
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			key := linkerName(d)
			of.functions[key] = append(of.functions[key], newBody(set, d.Pos(), d, d.Body))
			of.declared[key] = true
			t.members[d.Name.Name] = true
		case *ast.GenDecl:
			of.addInitializers(set, d)
			t.addTypes(of, d)
		}
	}
	return nil
}

// addLinks adds the directives of a file that give functions another symbol.
func (t *Tree) addLinks(file *ast.File, pkg string) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if f := strings.Fields(c.Text); len(f) == 3 && f[0] == "//go:linkname" {
				t.links = append(t.links, link{pkg, f[1], f[2]})
			}
		}
	}
}

func (t *Tree) addTypes(in *packageFunctions, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if spec, ok := spec.(*ast.TypeSpec); ok {
			in.declared[spec.Name.Name] = true
			t.members[spec.Name.Name] = true
			t.addFields(in, spec)
		}
	}
}

// addFields adds the fields of a type, and the methods of an interface.
func (t *Tree) addFields(in *packageFunctions, spec *ast.TypeSpec) {
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		switch {
		case !ok:
			return true
		case len(field.Names) == 0:
			in.embedding[spec.Name.Name] = true
		}
		_, ofInterface := spec.Type.(*ast.InterfaceType)
		for _, name := range field.Names {
			if ofInterface {
				t.members[name.Name] = true
			} else {
				t.fields[name.Name] = true
			}
		}
		return true
	})
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
