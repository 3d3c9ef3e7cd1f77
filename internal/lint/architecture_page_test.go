package lint

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitecturePage checks that all files, folders and names of packages that the page on the
// architecture mentions are there, and that it stays short.
func TestArchitecturePage(t *testing.T) {
	t.Parallel()
	text := readText(t, "docs/architecture.md")
	if n := len(strings.Fields(text)); n > 1500 {
		t.Errorf("docs/architecture.md has %d words, more than 1500", n)
	}
	folders := map[string]string{}
	isPath := regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$`)
	quoted := regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1)
	for _, q := range quoted {
		if name := strings.TrimSuffix(q[1], "/"); isPath.MatchString(name) || name != q[1] {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("docs/architecture.md mentions %s: %v", q[1], err)
			}
			folders[path.Base(name)] = name
		}
	}
	checked := 0
	for _, q := range quoted {
		of, name, ok := strings.Cut(q[1], ".")
		if !ok || !regexp.MustCompile(`^[A-Z]\w*(\.[A-Z]\w*)?$`).MatchString(name) {
			continue
		}
		folder := cmp.Or(folders[of], of) // a room at the top, unless the page says where
		if !declared(t, folder)[name] {
			t.Errorf("docs/architecture.md mentions %s, which %s does not declare", q[1], folder)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("docs/architecture.md mentions %d functions", checked)
	}
}

// declared returns the types, functions and methods (as Type.Method) of a package.
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			declaredBy(d, names)
		}
	}
	return names
}

func declaredBy(d ast.Decl, names map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if of, ok := of.(*ast.Ident); ok {
				name = of.Name + "." + name
			}
		}
		names[name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				names[spec.Name.Name] = true
			}
		}
	}
}
