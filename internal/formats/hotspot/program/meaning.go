package program

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/bytecode"
	"github.com/profarc/profarc/internal/formats/hotspot/classfile"
)

// around is how many bytecodes before a point, and as many behind it, are
// compared.
const around = 4

// describe adds to the points of a version what their bytecodes mean, and those
// around them.
func describe(v *fit.Version, c *classfile.File, code []byte) {
	var meanings []uint64
	at := map[int32]int{} // bci: place in meanings
	for bci := 0; bci < len(code); {
		size := bytecode.Size(code, bci)
		if size == 0 {
			return
		}
		at[int32(bci)] = len(meanings)
		meanings = append(meanings, meaning(c, code[bci:bci+size]))
		bci += size
	}
	for i := range v.Points {
		p := &v.Points[i]
		place := at[p.Bci]
		p.What = meanings[place]
		p.Signature, p.Dynamic = called(c, code[p.Bci:])
		for d := -around; d <= around; d++ {
			if d == 0 {
				continue
			}
			var m uint64 // none, before the first and behind the last
			if place+d >= 0 && place+d < len(meanings) {
				m = meanings[place+d]
			}
			p.Around = append(p.Around, m)
		}
	}
}

// called is the descriptor of the method that a bytecode calls, if it calls one.
func called(c *classfile.File, b []byte) (signature string, dynamic bool) {
	if len(b) < 3 {
		return "", false
	}
	i := binary.BigEndian.Uint16(b[1:])
	switch java := b[0]; {
	case java == bytecode.InvokeDynamic:
		_, signature = dynamicName(c, i)
		return signature, true
	case java >= bytecode.InvokeVirtual && java <= bytecode.InvokeInterface:
		m, _ := c.Called(i)
		return m.Signature, false
	}
	return "", false
}

// dynamicName is the name and descriptor of an InvokeDynamic or Dynamic
// constant.
func dynamicName(c *classfile.File, i uint16) (name, signature string) {
	if int(i) >= len(c.Pool) || len(c.Pool[i].Data) < 4 {
		return "", ""
	}
	name, signature, _ = c.NameType(binary.BigEndian.Uint16(c.Pool[i].Data[2:]))
	return name, signature
}

// meaning stands for a bytecode and what it names, in any class: constants by
// their value, and no local variables, which a new one would renumber. Where a
// branch goes is no part of it.
func meaning(c *classfile.File, b []byte) uint64 {
	java := b[0]
	switch {
	case java == bytecode.Wide:
		return plain(b[1])
	case java == bytecode.Ldc:
		return named(java, constant(c, uint16(b[1])))
	case java == bytecode.LdcW || java == bytecode.Ldc2W:
		return named(bytecode.Ldc, constant(c, binary.BigEndian.Uint16(b[1:])))
	case java >= bytecode.GetStatic && java <= bytecode.New, java == bytecode.ANewArray, java == bytecode.CheckCast,
		java == bytecode.InstanceOf, java == bytecode.MultiANewArray:
		return named(java, constant(c, binary.BigEndian.Uint16(b[1:])))
	case java == bytecode.BiPush || java == bytecode.SiPush || java == bytecode.NewArray:
		return named(java, string(b[1:]))
	}
	return plain(java)
}

// Bytecodes of local variables 0 to 3 have numbers of their own: four for each
// type, int first, behind those for any variable.
const (
	firstILoad0, lastALoad3   = 26, 45
	firstIStore0, lastAStore3 = 59, 78
)

// plain stands for a bytecode without what it names.
func plain(java byte) uint64 {
	switch {
	case java >= firstILoad0 && java <= lastALoad3:
		java = bytecode.ILoad + (java-firstILoad0)/4
	case java >= firstIStore0 && java <= lastAStore3:
		java = bytecode.IStore + (java-firstIStore0)/4
	case java == bytecode.GotoW:
		java = bytecode.Goto
	case java == bytecode.JsrW:
		java = bytecode.Jsr
	}
	return named(java, "")
}

func named(java byte, name string) uint64 {
	return max(xxhash.Sum64String(string(java)+name), 1)
}

// constant is what a constant of the pool says, in any class.
func constant(c *classfile.File, i uint16) string {
	if name, err := c.Class(i); err == nil {
		return name
	}
	if m, err := c.Member(i); err == nil {
		return m.Class + "." + m.Name + m.Signature
	}
	if int(i) >= len(c.Pool) {
		return ""
	}
	data := c.Pool[i].Data
	switch c.Pool[i].Tag {
	case classfile.TagInvoke, classfile.TagDynamic:
		name, signature := dynamicName(c, i)
		return name + signature
	case classfile.TagString:
		if len(data) >= 2 {
			text, _ := c.Text(binary.BigEndian.Uint16(data))
			return text
		}
	}
	return fmt.Sprint(c.Pool[i].Tag, data)
}
