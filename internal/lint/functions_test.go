package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// vagueNames are single words that do not describe a function and cannot be searched for.
var vagueNames = strings.Fields(`add at begin check count end fill find get is it keep list look make next note number of
	open own place print put read run set step sum take text turn walk write`)

// Limits of the code outside tests. The first two are counts, the last two are per 1,000 lines.
const (
	maxVagueNames          = 70
	minMeanLetters         = 9.5
	maxParallelAssignments = 4.0
	maxAssignmentsInIf     = 1.5
)

// TestFunctionsCanBeSearchedFor counts functions whose whole name is one vague word, and the mean length of names.
func TestFunctionsCanBeSearchedFor(t *testing.T) {
	startInRoot(t)
	vague, functions, letters := 0, 0, 0
	eachFile(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				functions++
				letters += len(f.Name.Name)
				if slices.Contains(vagueNames, f.Name.Name) {
					vague++
				}
			}
		}
	})
	if vague > maxVagueNames {
		t.Errorf("%d functions have one vague word for a name, at most %d", vague, maxVagueNames)
	}
	if mean := float64(letters) / float64(functions); mean < minMeanLetters {
		t.Errorf("names of functions have %.2f letters on average, at least %.1f", mean, minMeanLetters)
	}
}

// TestStatementsDoOneThing counts parallel assignments (a, b := x, y) and if statements that assign in their head (if x
// = f(); x > 0).
func TestStatementsDoOneThing(t *testing.T) {
	startInRoot(t)
	parallel, inIf, lines := 0, 0, 0
	eachFile(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		lines += strings.Count(readText(t, name), "\n")
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) > 1 && len(n.Lhs) == len(n.Rhs) {
					parallel++
				}
			case *ast.IfStmt:
				if a, ok := n.Init.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
					inIf++
				}
			}
			return true
		})
	})
	if rate := 1000 * float64(parallel) / float64(lines); rate > maxParallelAssignments {
		t.Errorf("%.1f parallel assignments in 1,000 lines, at most %.1f", rate, maxParallelAssignments)
	}
	if rate := 1000 * float64(inIf) / float64(lines); rate > maxAssignmentsInIf {
		t.Errorf("%.1f assignments in the head of an if in 1,000 lines, at most %.1f", rate, maxAssignmentsInIf)
	}
}
