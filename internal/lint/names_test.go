package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Maximum numbers of exported names. Lower them when names are removed. A change that adds a name must remove another.
const (
	maxStableNames = 498
	maxPublicNames = 625 // with experimental packages and examples
)

// stablePackages lists the folders whose API is stable until version 2. README.md lists them too.
var stablePackages = []string{".", "layout", "archive", "reader", "builder", "relocate", "merge", "verify", "formats",
	"formats/codec"}

// TestPublicNamesAreFew counts the names in the API. These are the exported constants, variables, functions and types
// of each package, and the exported methods of exported types. It does not count fields and interface methods, tests,
// commands, packages below internal/ and separate modules.
func TestPublicNamesAreFew(t *testing.T) {
	startInRoot(t)
	stable := 0
	names := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && isPrivateFolder(name):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err == nil && f.Name.Name != "main" {
			for _, decl := range f.Decls {
				names += exportedNames(decl)
				if slices.Contains(stablePackages, filepath.ToSlash(filepath.Dir(name))) {
					stable += exportedNames(decl)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if stable > maxStableNames {
		t.Errorf("%d public names in the stable packages, at most %d", stable, maxStableNames)
	}
	if names > maxPublicNames {
		t.Errorf("%d public names, at most %d", names, maxPublicNames)
	}
}

// isPrivateFolder reports whether a folder contains no public package of this module.
func isPrivateFolder(name string) bool {
	base := filepath.Base(name)
	modules, _ := filepath.Glob(filepath.Join(name, "go.mod"))
	return base == "internal" || base == "testdata" || strings.HasPrefix(base, ".") || len(modules) > 0
}

// exportedNames returns the number of names that a declaration exports.
func exportedNames(decl ast.Decl) (n int) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && (decl.Recv == nil || ast.IsExported(receiverName(decl.Recv.List[0].Type))) {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

// receiverName returns the type name of a method's receiver.
func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
