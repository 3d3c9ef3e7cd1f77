package lint

import (
	"go/ast"
	"go/build"
	"go/parser"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoTestIsLost compares the tests of the main module on Linux, and the scripts of the command, with the list in
// testdata/tests.txt. .ci/run compares the list with the tests that it ran. After removing or renaming a test, update
// the list with `go test -json ./... | go run -C .ci ./testlog -write ../internal/lint/testdata/tests.txt`.
func TestNoTestIsLost(t *testing.T) {
	startInRoot(t)
	listed := map[string]bool{}
	for test := range strings.Lines(readText(t, "internal/lint/testdata/tests.txt")) {
		listed[strings.TrimSpace(test)] = true
	}
	found := declaredTests(t)
	if len(found) < 1000 {
		t.Fatalf("%d tests were found", len(found))
	}
	for _, test := range found {
		if !listed[test] {
			t.Errorf("the list of tests lacks %s", test)
		}
		delete(listed, test)
	}
	for test := range listed {
		t.Errorf("the test %s is gone", test)
	}
}

// declaredTests returns the folder and name of each test and script.
func declaredTests(t *testing.T) (tests []string) {
	t.Helper()
	linux := build.Default
	linux.GOOS = "linux"
	linux.GOARCH = "amd64"
	linux.CgoEnabled = true
	eachFile(t, parser.ParseComments, func(name string, file *ast.File) {
		folder := path.Dir(name)
		if !strings.HasSuffix(name, "_test.go") || isOtherModule(folder) {
			return
		}
		if built, err := linux.MatchFile(folder, path.Base(name)); err != nil || !built {
			return
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && runsByDefault(file, f) {
				tests = append(tests, folder+" "+f.Name.Name)
			}
		}
	})
	scripts, err := filepath.Glob("cmd/profarc/testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		tests = append(tests, "cmd/profarc TestScripts/"+strings.TrimSuffix(filepath.Base(script), ".txtar"))
	}
	slices.Sort(tests)
	return tests
}

// isOtherModule reports whether a folder is hidden or belongs to another module.
func isOtherModule(folder string) bool {
	for _, top := range []string{"bench", "fleet", "webtest", ".ci"} {
		if folder == top || strings.HasPrefix(folder, top+"/") {
			return true
		}
	}
	return false
}

// runsByDefault reports whether go test runs a function. It runs tests, fuzz tests with their seeds, and examples with
// output.
func runsByDefault(file *ast.File, f *ast.FuncDecl) bool {
	name := f.Name.Name
	if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
		return name != "TestMain" && len(f.Type.Params.List) == 1
	}
	return strings.HasPrefix(name, "Example") && slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return f.Body.Pos() < c.Pos() && c.End() < f.Body.End() && strings.Contains(c.Text(), "utput:")
	})
}
