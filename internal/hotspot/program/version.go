package program

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/java/sketch"
)

func versionOf(code []byte) methodcode.Version {
	if len(code) == 0 {
		return methodcode.Version{Opaque: true}
	}
	v := methodcode.Version{ID: bytecode.CodeID(code), Size: len(code)}
	points, ok := bytecode.Points(code)
	v.Opaque = !ok
	for _, p := range points {
		q := methodcode.Point{Bci: int32(p.Bci), Kind: p.Kind}
		for _, bci := range p.Targets {
			target, _ := slices.BinarySearchFunc(points, bci,
				func(p bytecode.Point, bci int) int { return cmp.Compare(p.Bci, bci) })
			q.Targets = append(q.Targets, int32(target))
		}
		v.Points = append(v.Points, q)
	}
	return v
}

func addNamesAndSketches(v *methodcode.Version, code []bytecode.Instruction) {
	addCallSignatures(v.Points, code)
	for i := range code {
		if n := code[i].Name; n != (bytecode.Name{}) {
			v.Names = append(v.Names, n)
		}
	}
	known, ok := sketch.Points(code)
	if !ok {
		return
	}
	v.Blocks = blocksOf(v.Points, code)
	v.Under = sketchWithNames(v.Points, code)
	next := 0
	for i := range v.Points {
		if p := &v.Points[i]; p.Kind.Sketched() && next < len(known) {
			p.Sketch = known[next].SketchPoint
			p.Holder = known[next].Holder
			p.Labels = known[next].Labels
			next++
		}
	}
}

func blocksOf(points []methodcode.Point, code []bytecode.Instruction) (blocks []methodcode.Block) {
	found, _ := sketch.Blocks(code)
	next := 0
	for _, b := range found {
		c := methodcode.Block{First: int32(next), Throws: b.Throws, Handler: b.Handler, IfNull: -1}
		if last := code[b.End-1].Op; (last == bytecode.IfNull || last == bytecode.IfNonNull) && b.End-b.First > 1 &&
			loadsArgument(code, &code[b.End-2]) {
			c.IfNull = int(last - bytecode.IfNull)
		}
		for next < len(points) && int(points[next].Bci) <= code[b.End-1].Bci {
			next++
		}
		c.End = int32(next)
		for _, to := range b.To {
			c.To = append(c.To, int32(to))
		}
		blocks = append(blocks, c)
	}
	return blocks
}

func loadsArgument(code []bytecode.Instruction, in *bytecode.Instruction) bool {
	sets := func(i bytecode.Instruction) bool {
		return i.Op >= bytecode.IStore && i.Op <= bytecode.AStore && i.Local == in.Local
	}
	return in.Op == bytecode.ALoad && !slices.ContainsFunc(code, sets)
}

// sketchWithNames returns a function that computes the sketches of points after renaming the names in code.
func sketchWithNames(points []methodcode.Point,
	code []bytecode.Instruction) func(func(methodcode.Name) methodcode.Name) []disk.SketchPoint {
	return func(other func(methodcode.Name) methodcode.Name) []disk.SketchPoint {
		renamed := slices.Clone(code)
		for i := range renamed {
			if n := renamed[i].Name; n.Class != "" {
				renamed[i].Name = other(n)
			}
		}
		known, _ := sketch.Points(renamed)
		all := make([]disk.SketchPoint, len(points))
		for i := range points {
			if points[i].Kind.Sketched() && len(known) > 0 {
				all[i] = known[0].SketchPoint
				known = known[1:]
			}
		}
		return all
	}
}

func addCallSignatures(points []methodcode.Point, code []bytecode.Instruction) {
	i := 0
	for p := range points {
		for code[i].Bci < int(points[p].Bci) {
			i++
		}
		if op := code[i].Op; op >= bytecode.InvokeVirtual && op <= bytecode.InvokeDynamic {
			points[p].Signature = code[i].Name.Descriptor
			points[p].Dynamic = op == bytecode.InvokeDynamic
		}
	}
}

func decodeInstructions(c *classfile.File, code []byte) ([]bytecode.Instruction, bool) {
	return bytecode.Instructions(code, func(_, java byte, operand []byte) (bytecode.Name, bool) {
		index := uint16(operand[0])
		if java != bytecode.Ldc {
			index = binary.BigEndian.Uint16(operand)
		}
		return bytecode.NameAt(java, index, constants{c})
	})
}

type constants struct{ c *classfile.File }

func (p constants) Class(i uint16) (string, bool) {
	name, err := p.c.Class(i)
	return name, err == nil
}

func (p constants) Member(i uint16) (bytecode.Name, bool) {
	m, err := p.c.Member(i)
	return bytecode.Name{Class: m.Class, Name: m.Name, Descriptor: m.Signature}, err == nil
}

func (p constants) Dynamic(i uint16) (n bytecode.Name, ok bool) {
	if int(i) >= len(p.c.Pool) || p.c.Pool[i].Tag != classfile.TagInvoke {
		return n, false
	}
	name, descriptor, err := p.c.NameType(binary.BigEndian.Uint16(p.c.Pool[i].Data[2:]))
	return bytecode.Name{Name: name, Descriptor: descriptor}, err == nil
}

func (p constants) Value(i uint16) (text string, ok bool) {
	if int(i) >= len(p.c.Pool) {
		return "", false
	}
	k := p.c.Pool[i]
	if k.Tag == classfile.TagString {
		text, err := p.c.Text(uint16(k.Number()))
		return bytecode.ConstantText(text), err == nil
	}
	return classfile.NumberText(k.Tag, k.Number())
}
