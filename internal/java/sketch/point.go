package sketch

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/system/lists"
)

type Point struct {
	disk.SketchPoint
	// Holder is the static class of a virtual call's receivers; "" for other points.
	Holder string
	// Labels are the values of a switch's cases, nil if they may mean something else in other versions of the code.
	Labels []int32
}

// Points returns the recorded profile points of code in order. ok is false if the code has no sketch.
func Points(code []bytecode.Instruction) (points []Point, ok bool) {
	g, ok := newGraph(code)
	if !ok {
		return nil, false
	}
	v, ok := findVariables(g)
	if !ok {
		return nil, false
	}
	identities, ok := identifyVariables(g, v)
	if !ok {
		return nil, false
	}
	r := newRun(g, v, identities)
	r.points = func(_ int, p Point) { points = append(points, p) }
	return points, r.runBlocks()
}

func EncodeSketch(code []bytecode.Instruction, id uint64) []byte {
	points, ok := Points(code)
	if !ok || len(points) == 0 {
		return nil
	}
	return disk.AppendSketch(nil, id, lists.Map(points, func(p Point) disk.SketchPoint { return p.SketchPoint }))
}

func (r *run) emitPoint(i int, p Point) {
	if r.points != nil {
		r.points(i, p)
	}
}

func (r *run) noteOperands(i int, operands []value) {
	in := &r.g.code[i]
	kind := in.Kind()
	if r.points == nil || !kind.Sketched() {
		return
	}
	what := operatorValue(in.Op, r.g.names[i])
	all := operatorValue(in.Op, noName, operands...)
	var p Point
	switch kind {
	case methodcode.Call:
		p.SketchPoint = disk.NewSketchPoint(what.full, all.full, false)
	case methodcode.VirtualCall:
		p.Holder = in.Name.Class
		p.SketchPoint = disk.NewSketchPoint(hashNumbers(what.full, operands[0].root), all.full, false)
	case methodcode.TypeCheck:
		roots := []uint64{what.full}
		for _, o := range operands {
			roots = append(roots, o.root)
		}
		p.SketchPoint = disk.NewSketchPoint(hashNumbers(roots...), all.full, false)
	}
	if all.unstable || isInvented(in.Name.Name) {
		p.SketchPoint = disk.SketchPoint{}
	}
	r.emitPoint(i, p)
}

func switchPoint(in *bytecode.Instruction, v value) Point {
	if v.unstable {
		return Point{}
	}
	labels := constantValue(fmt.Sprint(in.Labels))
	return Point{SketchPoint: disk.NewSketchPoint(hashNumbers(bytecode.TableSwitch, v.full), labels.full, false),
		Labels: in.Labels}
}

func branchPoint(c condition) Point {
	if c.unstable || c.unknown {
		return Point{}
	}
	return Point{SketchPoint: disk.NewSketchPoint(c.shape, c.full, c.inverse)}
}

func conditionOf(op byte, operands []value) condition {
	a := operands[0]
	switch {
	case op == bytecode.IfNull || op == bytecode.IfNonNull:
		return equality(a, operatorValue(bytecode.AConstNull, noName), op == bytecode.IfNonNull)
	case op >= ifICmpEq:
		return relationOf((op-ifICmpEq)%6, lCmp, a, operands[1])
	case a.compared != nil:
		return relationOf(op-bytecode.IfEq, a.compared.op, a.compared.left, a.compared.right)
	}
	return relationOf(op-bytecode.IfEq, lCmp, a, integerValue(0, false))
}

// relationOf returns the condition of a branch. which is its index among eq, ne, lt, ge, gt and le. compares is the
// instruction that compares the operands.
func relationOf(which, compares byte, a, b value) condition {
	switch which {
	case 0, 1:
		return equality(a, b, which == 1)
	case 2, 3:
		return lessThan(resultForNaN(compares, fCmpL, dCmpL), a, b, which == 3)
	}
	return lessThan(resultForNaN(compares, fCmpG, dCmpG), b, a, which == 5)
}

// Results of a less-than condition if one operand is NaN.
const (
	integral = 0
	nanFails = 1
	nanHolds = 2
)

// resultForNaN returns the result for NaN. The condition holds if compares is float or double.
func resultForNaN(compares, float, double byte) byte {
	switch compares {
	case lCmp:
		return integral
	case float, double:
		return nanHolds
	}
	return nanFails
}
