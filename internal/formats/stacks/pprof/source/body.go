package source

import (
	"go/ast"
	"go/token"
	"slices"
)

// A body is a function in the source. It implements [methodcode.Body]. Lines count from the start of the function.
type body struct {
	lines        int32              // last line
	calls        map[string][]int32 // lines of calls, keyed by the name of the callee in the source
	unnamedCalls []int32            // lines of calls of expressions without a name
	deferred     map[string]bool    // names of deferred functions, which can be called on any line
	closures     []*body            // all closures, including nested ones
	unknown      bool               // unknown body, in assembly or linked under another name
	anyCallee    bool               // any function can be called on any line
}

// newBody collects the calls of a function without the calls in its closures.
func newBody(set *token.FileSet, start token.Pos, function ast.Node, block *ast.BlockStmt) *body {
	b := &body{calls: map[string][]int32{}, deferred: map[string]bool{}}
	line := func(p token.Pos) int32 { return int32(set.Position(p).Line - set.Position(start).Line) }
	b.lines = line(function.End())
	if block == nil {
		b.unknown = true
		return b
	}
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			within := newBody(set, n.Pos(), n, n.Body)
			b.closures = append(append(b.closures, within), within.closures...)
			return false
		case *ast.DeferStmt:
			b.deferred[calleeName(n.Call.Fun)] = true
			b.closures = append(b.closures, newWrapper(set, n.Call))
		case *ast.GoStmt:
			b.closures = append(b.closures, newWrapper(set, n.Call))
		case *ast.RangeStmt: // a loop over a function is a closure
			within := newBody(set, n.Pos(), n, n.Body)
			b.closures = append(b.closures, within)
		case *ast.CallExpr:
			// For a call that spans several lines, the compiler uses the first line or the line of the name.
			for _, at := range []int32{line(n.Pos()), line(lastIdentifier(n.Fun).Pos()), line(n.Lparen)} {
				b.addCall(calleeName(n.Fun), at)
			}
		}
		return true
	})
	return b
}

// newWrapper returns the function that calls what a go or defer statement names, on the line of the statement.
func newWrapper(set *token.FileSet, call *ast.CallExpr) *body {
	b := &body{calls: map[string][]int32{}}
	b.lines = int32(set.Position(call.End()).Line - set.Position(call.Pos()).Line)
	for line := range b.lines + 1 {
		b.addCall(calleeName(call.Fun), line)
	}
	return b
}

// addCall adds a call. name is "" for an expression without a name.
func (b *body) addCall(name string, line int32) {
	if name == "" {
		b.unnamedCalls = append(b.unnamedCalls, line)
	} else if !slices.Contains(b.calls[name], line) {
		b.calls[name] = append(b.calls[name], line)
	}
}

// lastIdentifier returns the name at the end of a called expression.
func lastIdentifier(e ast.Expr) ast.Node {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return lastIdentifier(e.X)
	case *ast.IndexExpr:
		return lastIdentifier(e.X)
	case *ast.IndexListExpr:
		return lastIdentifier(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	}
	return e
}

// calleeName returns the name of the callee, or "".
func calleeName(e ast.Expr) string {
	if name, ok := lastIdentifier(e).(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// Call implements [methodcode.Body].
func (b *body) Call(line int32, callee string) (at int32, sure, ok bool) {
	s := parseSymbol(callee)
	within := line >= 0 && line <= b.lines
	if b.anyCallee && within {
		return line, false, true
	}
	lines := b.calls[s.lastName()]
	switch {
	case slices.Contains(lines, line):
		return line, true, true
	case within && (s.hasUnnamedCalls() || b.deferred[s.lastName()]):
		return line, false, true
	case len(lines) == 1:
		return lines[0], true, true
	case len(lines) > 1:
		return nearestLine(lines, line), true, true
	}
	// The callee can be a function value.
	return line, false, within && b.hasCall(line)
}

func nearestLine(lines []int32, to int32) int32 {
	return slices.MinFunc(lines, func(x, y int32) int { return int(distance(x, to) - distance(y, to)) })
}

func distance(x, y int32) int64 { return max(int64(x)-int64(y), int64(y)-int64(x)) }

func (b *body) hasCall(line int32) bool {
	if slices.Contains(b.unnamedCalls, line) {
		return true
	}
	for _, lines := range b.calls {
		if slices.Contains(lines, line) {
			return true
		}
	}
	return false
}
