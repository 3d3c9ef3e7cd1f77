package program

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/internal/jvm/sketch"
	"github.com/profarc/profarc/layout"
)

// kinds are the kinds of profile points.
var kinds = [...]fit.PointKind{
	bytecode.Call: fit.Call, bytecode.VirtualCall: fit.VirtualCall, bytecode.TypeCheck: fit.TypeCheck, bytecode.Jump: fit.Jump,
	bytecode.Branch: fit.Branch, bytecode.Switch: fit.Switch, bytecode.RetFrom: fit.Ret,
}

// versionOf is what code says of itself. A method without code is a version
// without points.
func versionOf(code []byte) fit.Version {
	if len(code) == 0 {
		return fit.Version{Opaque: true}
	}
	v := fit.Version{ID: bytecode.CodeID(code), Size: len(code)}
	points, ok := bytecode.Points(code)
	v.Opaque = !ok
	for _, p := range points {
		q := fit.Point{Bci: int32(p.Bci), Kind: kinds[p.Kind]}
		for _, bci := range p.Targets {
			target, _ := slices.BinarySearchFunc(points, bci, func(p bytecode.Point, bci int) int { return cmp.Compare(p.Bci, bci) })
			q.Targets = append(q.Targets, int32(target))
		}
		v.Points = append(v.Points, q)
	}
	return v
}

// describe adds to the points of a version what their bytecodes say.
func describe(v *fit.Version, code []bytecode.Instruction) {
	calls(v.Points, code)
	for i := range code {
		if n := code[i].Name; n != (bytecode.Name{}) {
			v.Names = append(v.Names, fit.Name(n))
		}
	}
	known, ok := sketch.Points(code)
	if !ok {
		return
	}
	v.Under = under(v.Points, code)
	next := 0
	for i := range v.Points {
		if p := &v.Points[i]; p.Kind.Sketched() && next < len(known) {
			p.Sketch, p.Holder, p.Labels = known[next].SketchPoint, known[next].Holder, known[next].Labels
			next++
		}
	}
}

// under computes sketches with other names.
func under(points []fit.Point, code []bytecode.Instruction) func(func(fit.Name) fit.Name) []layout.SketchPoint {
	return func(other func(fit.Name) fit.Name) []layout.SketchPoint {
		renamed := slices.Clone(code)
		for i := range renamed {
			if n := renamed[i].Name; n.Class != "" {
				renamed[i].Name = bytecode.Name(other(fit.Name(n)))
			}
		}
		known, _ := sketch.Points(renamed)
		all := make([]layout.SketchPoint, len(points))
		for i := range points {
			if points[i].Kind.Sketched() && len(known) > 0 {
				all[i], known = known[0].SketchPoint, known[1:]
			}
		}
		return all
	}
}

// calls adds what calls call.
func calls(points []fit.Point, code []bytecode.Instruction) {
	i := 0
	for p := range points {
		for code[i].Bci < int(points[p].Bci) {
			i++
		}
		switch op := code[i].Op; {
		case op >= bytecode.InvokeVirtual && op <= bytecode.InvokeDynamic:
			points[p].Signature, points[p].Dynamic = code[i].Name.Descriptor, op == bytecode.InvokeDynamic
		}
	}
}
