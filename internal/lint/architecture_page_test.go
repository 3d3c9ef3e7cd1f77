package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecturePage checks the architecture page. All mentioned files and folders must exist. A paragraph that
// mentions a package must name a declaration of it that other packages use. A paragraph that mentions a file must name
// a declaration of the file. A statement about a path therefore fails the test after its code has moved.
func TestArchitecturePage(t *testing.T) {
	startInRoot(t)
	page := readText(t, "docs/architecture.md")
	if n := len(strings.Fields(page)); n > 1500 {
		t.Errorf("docs/architecture.md has %d words, more than 1500", n)
	}
	used := usedElsewhere(t)
	statements := 0
	for _, paragraph := range architectureParagraphs(page) {
		statements += checkArchitectureParagraph(t, paragraph, used)
	}
	if statements < 40 {
		t.Errorf("docs/architecture.md has %d statements about paths", statements)
	}
}

var (
	quotedText  = regexp.MustCompile("`([^`\n]+)`")
	pathText    = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)*/?$`)
	goName      = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)$`)
	codeOfPages = regexp.MustCompile("(?s)```.*?```")
)

// architectureParagraphs returns the paragraphs and list items of the page, without the diagram.
func architectureParagraphs(page string) []string {
	page = codeOfPages.ReplaceAllString(page, "")
	return strings.Split(strings.ReplaceAll(page, "\n- ", "\n\n- "), "\n\n")
}

// checkArchitectureParagraph checks the paths and names of a paragraph, and returns the number of its paths.
func checkArchitectureParagraph(t *testing.T, paragraph string, used map[string]bool) (statements int) {
	t.Helper()
	var paths, names []string
	for _, q := range quotedText.FindAllStringSubmatch(paragraph, -1) {
		if name := q[1]; goName.MatchString(name) {
			names = append(names, name)
		} else if info, err := os.Stat(name); pathText.MatchString(name) && (err == nil || strings.Contains(name, "/")) {
			if err != nil {
				t.Errorf("docs/architecture.md mentions %s: %v", name, err)
				continue
			}
			paths = append(paths, strings.TrimSuffix(name, "/"))
			if info.IsDir() && !hasGoFiles(name) {
				paths = paths[:len(paths)-1]
			}
		} else {
			names = append(names, name)
		}
	}
	for _, path := range paths {
		if !slices.ContainsFunc(names, func(name string) bool { return isStatement(t, path, name, used) }) {
			t.Errorf("docs/architecture.md mentions %s and nothing that it declares for others, in: %s", path, paragraph)
		}
	}
	return len(paths)
}

func hasGoFiles(folder string) bool {
	files, _ := filepath.Glob(folder + "/*.go")
	return len(files) > 0
}

// isStatement reports whether a path declares a name. In a package, other packages must use the name. In a C file, it
// must be a function.
func isStatement(t *testing.T, file, name string, used map[string]bool) bool {
	t.Helper()
	switch m := goName.FindStringSubmatch(name); {
	case strings.HasSuffix(file, ".c"):
		return regexp.MustCompile(`(?m)^\w[^;{}]*\b` + regexp.QuoteMeta(name) + `\(`).MatchString(readText(t, file))
	case m == nil:
		return strings.Contains(file, ".") && !strings.HasSuffix(file, ".go") && strings.Contains(readText(t, file), name) ||
			strings.HasSuffix(file, ".go") && declaredIn(t, file)[name]
	case strings.HasSuffix(file, ".go"):
		return declaredIn(t, file)[m[2]]
	default:
		return path.Base(file) == m[1] && declared(t, file)[m[2]] && used[name[strings.LastIndexByte(name, '.')+1:]]
	}
}

// usedElsewhere returns the selected names in code outside tests, such as Open in reader.Open.
func usedElsewhere(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	eachFile(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				used[s.Sel.Name] = true
			}
			return true
		})
	})
	return used
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
		maps.Copy(names, declaredIn(t, name))
	}
	return names
}

// declaredIn returns the types, functions and methods (as Type.Method) of a file.
func declaredIn(t *testing.T, name string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, d := range file.Decls {
		declaredBy(d, names)
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
