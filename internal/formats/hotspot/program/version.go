package program

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/bytecode"
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
