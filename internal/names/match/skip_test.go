package match

import (
	"debug/elf"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

func demanglerFolder(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ianlancetaylor/demangle").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The list has each word in the demangler's string literals that can reach a name.
func TestDemanglerWordsAreListed(t *testing.T) {
	t.Parallel()
	words := 0
	for _, file := range []string{"ast.go", "demangle.go", "rust.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(demanglerFolder(t), file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.FuncDecl:
				return !strings.EqualFold(n.Name.Name, "GoString") // for debugging
			case *ast.CallExpr:
				return !isFailure(n.Fun)
			case *ast.BasicLit:
				text, _ := strconv.Unquote(n.Value)
				for _, w := range word().FindAllString(text, -1) {
					words++
					if got := verbatimWord(w); got != "" {
						t.Errorf("%s: %q is not listed", file, got)
					}
				}
			}
			return true
		})
	}
	if words < 200 {
		t.Errorf("only %d words", words)
	}
}

func isFailure(call ast.Expr) bool {
	switch call := call.(type) {
	case *ast.Ident:
		return call.Name == "panic"
	case *ast.SelectorExpr:
		return slices.Contains([]string{"fail", "New", "Errorf"}, call.Sel.Name)
	}
	return false
}

var mangledName = lazyregexp.New(`_(Z|R)[A-Za-z0-9_.$]+`)

// mangledNames returns the names of the demangler's own tests and of libraries of this machine.
func mangledNames(t *testing.T) (names []string) {
	files, _ := filepath.Glob(filepath.Join(demanglerFolder(t), "testdata", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, mangledName().FindAllString(string(text), -1)...)
	}
	if len(names) < 1000 {
		t.Fatalf("only %d names", len(names))
	}
	for pattern, every := range map[string]int{"/usr/lib/*/libstdc++.so.6": 4, "/usr/lib/*/libLLVM*.so*": 200} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files[:min(1, len(files))] {
			f, err := elf.Open(file)
			if err != nil {
				continue
			}
			symbols, _ := f.DynamicSymbols()
			for i := 0; i < len(symbols); i += every {
				names = append(names, symbols[i].Name)
			}
			_ = f.Close()
		}
	}
	return append(names, "a.cpp;_ZL3runi", "_ZN4a$u65$bcd17h0123456789abcdefE", "_ZN7$u6d$ain17h0123456789abcdefE",
		"_RNvCs1234_7mycrateu8gdel_5qa6escher", "_RINvC3std4nameKo123456789abcdef01_E")
}

// No name is excluded by a word, or a part of one, in a form of it.
func TestWordsOfFormsExcludeNothing(t *testing.T) {
	t.Parallel()
	decoded, checked := 0, 0
	for _, name := range mangledNames(t) {
		k := layout.Key{Name: name}
		for form := range Forms(layout.DomainLLVMIR, k) {
			for _, w := range regexp.MustCompile(`[A-Za-z0-9_$]+`).FindAllString(form, -1) {
				if strings.Contains(name, w) {
					checked++
					continue
				}
				decoded++
				checkParts(t, w, form, k)
			}
		}
	}
	if decoded < 1000 || checked < 1000 {
		t.Errorf("only %d and %d words", decoded, checked)
	}
}

func checkParts(t *testing.T, w, form string, k layout.Key) {
	for i := range len(w) {
		for end := i + shortestWord; end <= len(w); end++ {
			p := New(w[i:end])
			if p.excludes(layout.DomainLLVMIR, k) {
				t.Errorf("%q excludes %q of %s", w[i:end], form, k.Name)
				return
			}
		}
	}
}

func TestExcludedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"nosuch", "_ZN4Tree3addEPKc", true}, {"Tree::removed", "_ZN4Tree3addEPKc", true},
		{"Tree::add", "_ZN4Tree3addEPKc", false}, {"char const", "_ZN4Tree3addEPKc", false},
		{"unsigned", "_Z1fj", false}, {"sign", "_Z1fj", false}, {"nosu*", "_Z1fj", false}, {"/nosuch/", "_Z1fj", false},
		{"777", "_Z1fj", false}, {"", "_Z1fj", false}, {`"nosuch"`, "_Z1fj", false}, {"nosuch", "_ZN7$u6e$osuch1fE", false},
		{"a$bcdef", "_ZN1a5bcdefE", false}, {"xbcdef$", "_ZN1a6bcdefgE", true},
	} {
		p := New(c.text)
		if got := p.excludes(layout.DomainLLVMIR, layout.Key{Name: c.name}); got != c.want {
			t.Errorf("%q excludes %s: %v", c.text, c.name, got)
		}
	}
}
