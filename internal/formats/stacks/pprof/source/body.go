package source

import (
	"go/ast"
	"go/doc"
	"go/token"
	"slices"
)

// A body is a function in the source. Lines count from the start of the function.
type body struct {
	lines        int32              // last line
	calls        map[string][]int32 // lines of calls, keyed by the name of the callee in the source
	unnamedCalls []int32            // lines of calls of expressions without a name
	deferred     map[string]bool    // names of deferred functions, which can be called on any line
	closures     []*body            // all closures, including nested ones
	unknown      bool               // unknown body, in assembly or linked under another name
	suffix       string             // part of the symbol of a closure that the compiler made: rangeSuffix or wrapSuffix
	qualified    map[int32][]string // names of calls of methods, fields and other packages, by line
	plain        map[int32][]string // names of other calls
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
			within.suffix = rangeSuffix
			b.closures = append(b.closures, within)
		case *ast.CallExpr:
			// For a call that spans several lines, the compiler uses the first line or the line of the name.
			for _, at := range []int32{line(n.Pos()), line(lastIdentifier(n.Fun).Pos()), line(n.Lparen)} {
				b.addCall(calleeName(n.Fun), at)
				b.addSpelling(n.Fun, at)
			}
		}
		return true
	})
	return b
}

// newWrapper returns the function that calls what a go or defer statement names, on the line of the statement.
func newWrapper(set *token.FileSet, call *ast.CallExpr) *body {
	b := &body{calls: map[string][]int32{}, suffix: wrapSuffix}
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

// addSpelling notes how a call names its callee.
func (b *body) addSpelling(e ast.Expr, line int32) {
	name := calleeName(e)
	if _, ok := lastIdentifier(e).(*ast.Ident); !ok || name == "" {
		return
	}
	to := &b.plain
	if isQualified(e) {
		to = &b.qualified
	}
	if *to == nil {
		*to = map[int32][]string{}
	}
	if !slices.Contains((*to)[line], name) {
		(*to)[line] = append((*to)[line], name)
	}
}

// isQualified reports whether a called expression is x.name.
func isQualified(e ast.Expr) bool {
	_, ok := unwrap(e).(*ast.SelectorExpr)
	return ok
}

// lastIdentifier returns the name at the end of a called expression.
func lastIdentifier(e ast.Expr) ast.Node {
	e = unwrap(e)
	if selector, ok := e.(*ast.SelectorExpr); ok {
		return selector.Sel
	}
	return e
}

// unwrap removes parentheses and type arguments.
func unwrap(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return e
		}
	}
}

// calleeName returns the name of the callee, or "".
func calleeName(e ast.Expr) string {
	if name, ok := lastIdentifier(e).(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// A located body knows the names of its package and its program. It implements [methodcode.Body].
type located struct {
	*body
	in      *packageFunctions // nil if unknown
	program *Tree
}

// Call implements [methodcode.Body].
func (b located) Call(line int32, callee string) (at int32, sure, ok bool) {
	s := parseSymbol(callee)
	within := line >= 0 && line <= b.lines
	lines := b.calls[s.lastName()]
	switch {
	case slices.Contains(lines, line):
		return line, true, true
	case within && (s.hasUnnamedCalls() || b.deferred[s.lastName()]):
		return line, false, true
	case len(lines) > 0:
		return nearestLine(lines, line), true, true
	}
	return line, false, within && b.hasDynamicCall(line)
}

// hasDynamicCall reports whether a line may call a function value.
func (b located) hasDynamicCall(line int32) bool {
	if slices.Contains(b.unnamedCalls, line) {
		return true
	}
	return slices.ContainsFunc(b.plain[line], func(name string) bool {
		return !doc.IsPredeclared(name) && (b.in == nil || !b.in.declared[name])
	}) || slices.ContainsFunc(b.qualified[line], func(name string) bool {
		return b.program.fields[name] || !b.program.members[name]
	})
}

func nearestLine(lines []int32, to int32) int32 {
	return slices.MinFunc(lines, func(x, y int32) int { return int(distance(x, to) - distance(y, to)) })
}

func distance(x, y int32) int64 { return max(int64(x)-int64(y), int64(y)-int64(x)) }
