package program

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/bytecode"
	"github.com/profarc/profarc/internal/formats/hotspot/sketch"
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
	next := 0
	for i := range v.Points {
		if p := &v.Points[i]; p.Kind.Sketched() && next < len(known) {
			p.Sketch, p.Holder, p.Labels = known[next].SketchPoint, known[next].Holder, known[next].Labels
			next++
		}
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
