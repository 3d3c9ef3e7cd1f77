package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// maxPublicNames is the number of names that the packages of this module export. It falls as
// names go; a change that needs one more takes one away.
const maxPublicNames = 686

// TestPublicNamesAreFew counts what an embedder can name: the exported constants, variables, functions and
// types at the top of each package, and the exported methods of exported types. Fields and interface methods
// do not count, nor do tests, commands, packages below internal/ and modules of their own.
func TestPublicNamesAreFew(t *testing.T) {
	t.Parallel()
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
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if names > maxPublicNames {
		t.Errorf("%d public names, at most %d", names, maxPublicNames)
	}
}

// isPrivateFolder reports whether nothing below a folder is public in this module.
func isPrivateFolder(name string) bool {
	base := filepath.Base(name)
	modules, _ := filepath.Glob(filepath.Join(name, "go.mod"))
	return base == "internal" || base == "testdata" || strings.HasPrefix(base, ".") || len(modules) > 0
}

// exportedNames returns how many names a declaration exports.
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

// receiverName returns the name of the type that a method is of.
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
