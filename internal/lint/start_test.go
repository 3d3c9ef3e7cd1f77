package lint

import (
	"go/ast"
	"go/token"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// heavyPackages lists packages that the command must not link. Each adds a megabyte, or work at each start.
var heavyPackages = []string{"encoding/gob", "encoding/xml", "expvar", "go/build", "go/printer", "go/types",
	"net/http/httptest", "net/http/pprof", "net/rpc", "testing"}

func TestCommandLinksNoHeavyPackages(t *testing.T) {
	startInRoot(t)
	out, err := exec.Command("go", "list", "-deps", "./cmd/profarc").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, "net/http") {
		t.Fatalf("the packages were not listed: %s", out)
	}
	for _, heavy := range heavyPackages {
		if slices.Contains(all, heavy) {
			t.Errorf("cmd/profarc imports %s", heavy)
		}
	}
}

// TestExpressionsAreLazy checks that no package compiles regular expressions or templates when it is initialized, and
// that expressions which are compiled later are valid.
func TestExpressionsAreLazy(t *testing.T) {
	startInRoot(t)
	lazy := 0
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || isOtherModule(name) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			switch {
			case !ok:
				_, isFunction := n.(*ast.FuncDecl)
				_, isLiteral := n.(*ast.FuncLit)
				return !isFunction && !isLiteral
			case calls(call, "regexp", "MustCompile"), calls(call, "template", "Must"):
				t.Errorf("%s: each start compiles an expression: use lazyregexp.New or sync.OnceValue", name)
			case calls(call, "lazyregexp", "New"):
				lazy++
				checkExpression(t, name, call.Args[0])
			}
			return true
		})
	})
	if lazy < 30 {
		t.Errorf("%d lazy expressions were found", lazy)
	}
}

func calls(call *ast.CallExpr, pkg, function string) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == pkg && f.Sel.Name == function
}

// checkExpression compiles an expression if it is one literal.
func checkExpression(t *testing.T, name string, e ast.Expr) {
	t.Helper()
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := regexp.Compile(text); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
