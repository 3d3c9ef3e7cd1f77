package hotspot

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/sketch"
)

// The listing of a method's bytecodes becomes its code id and a sketch of its profile points. The archive does not keep
// the listing.

// A textCode is the readable part of a method's listing.
type textCode struct {
	code    []bytecode.Instruction
	listing bytecode.Listing
	unnamed bool // a name is not printed as it is
	bad     bool
}

// addInstruction adds a line of the listing like "12 iload_2".
func (t *textCode) addInstruction(line []byte) {
	if t.bad {
		return
	}
	t.unnamed = t.unnamed || bytes.ContainsFunc(line, func(r rune) bool { return r > '~' }) // HotSpot escapes such names
	i, java, ok := t.parseInstruction(line)
	if n := len(t.code); !ok || n > 0 && t.code[n-1].Bci >= i.Bci || n == 0 && i.Bci != 0 {
		t.bad = true
		return
	}
	t.code = append(t.code, i)
	t.listing.Add(java, &i)
}

// id returns the code id of the method, or 0 if it is unknown.
func (t *textCode) id() uint64 {
	if t.bad {
		return 0
	}
	return t.listing.ID()
}

// hasPoints reports whether the VM has a profile of an instruction.
func (t *textCode) hasPoints() bool {
	return slices.ContainsFunc(t.code, func(i bytecode.Instruction) bool {
		return i.Op >= bytecode.IfEq && i.Op <= bytecode.LookupSwitch || i.Op >= bytecode.InvokeVirtual &&
			i.Op <= bytecode.InvokeDynamic || i.Op == bytecode.CheckCast || i.Op == bytecode.InstanceOf
	})
}

// sketchOfCode returns the sketch of the method, or nil.
func (t *textCode) sketchOfCode() []byte {
	if t.bad || t.unnamed || len(t.code) == 0 {
		return nil
	}
	return sketch.EncodeSketch(t.code, t.id())
}

const maxBci = 1 << 16

// parseInstruction reads a line of the listing. java is the opcode in the class file, which i has in its plain form.
func (t *textCode) parseInstruction(line []byte) (i bytecode.Instruction, java byte, ok bool) {
	c := newCursor(line)
	c.Spaces()
	bci := int(c.Number(maxBci))
	c.Expect(" ")
	name, rest, _ := strings.Cut(string(c.Rest()), " ")
	op, known := bytecode.Opcode(name)
	if !c.OK() || !known {
		return i, op, false
	}
	i, ok = bytecode.ShortInstruction(bci, op)
	if ok {
		return i, op, true
	}
	i = bytecode.Instruction{Bci: bci, Op: op}
	if op == bytecode.Ldc || op == bytecode.LdcW || op == bytecode.Ldc2W {
		t.unnamed = t.unnamed || strings.HasPrefix(rest, "<") // a string, or the class that it is not resolved to
		i.Name.Name = printedConstant(rest)
		return i, op, true
	}
	c = newCursor([]byte(rest))
	parseOperands(&c, &i)
	return i, op, c.OK()
}

// printedConstant returns the constant in a line. JDK 17 prints strings without quotes.
func printedConstant(text string) string {
	if strings.HasPrefix(text, "<") {
		return "" // a method handle, method type or dynamic constant
	}
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	return bytecode.ConstantText(text)
}

func parseOperands(c *cursor, i *bytecode.Instruction) {
	switch op := i.Op; {
	case op == bytecode.BiPush || op == bytecode.SiPush:
		i.Op, i.Value = bytecode.SiPush, c.Signed(math.MaxInt64)
	case op == bytecode.IInc:
		c.Expect("#")
		i.Local = int(c.Number(maxBci))
		c.Expect(" ")
		i.Value = c.Signed(math.MaxInt64)
	case op >= bytecode.ILoad && op <= bytecode.ALoad, op >= bytecode.IStore && op <= bytecode.AStore:
		c.Expect("#")
		i.Local = int(c.Number(maxBci))
	case op == bytecode.Ret:
		i.Local = int(c.Number(maxBci))
	case op == bytecode.NewArray:
		code, ok := bytecode.ArrayType(strings.TrimSpace(string(c.Rest())))
		i.Value = code
		if !ok {
			c.Miss("a primitive type")
		}
	case op == bytecode.TableSwitch:
		parseCases(c, i, 2)
	case op == bytecode.LookupSwitch:
		parseCases(c, i, 1)
	case op >= bytecode.GetStatic && op <= bytecode.InvokeDynamic:
		parseMember(c, i)
	case op == bytecode.MultiANewArray:
		i.Name.Class = string(c.Until(" "))
		i.Value = int64(c.Number(255))
	case op == bytecode.New, op == bytecode.ANewArray, op == bytecode.CheckCast, op == bytecode.InstanceOf:
		parseClass(c, i)
	default:
		i.Targets = []int{int(c.Number(maxBci))}
		if i.Op >= bytecode.GotoW {
			i.Op = i.Op - bytecode.GotoW + bytecode.Goto
		}
	}
}

// parseCases reads a switch with its default, some numbers, and its cases. Some releases print the distance of a case
// in parentheses.
func parseCases(c *cursor, i *bytecode.Instruction, numbers int) {
	i.Targets = []int{int(c.Number(maxBci))}
	for range numbers {
		c.Spaces()
		c.Signed(math.MaxInt64)
	}
	for c.Spaces(); c.OK() && len(c.Rest()) > 0; c.Spaces() {
		i.Labels = append(i.Labels, int32(c.Signed(math.MaxInt64)))
		c.Expect(":")
		i.Targets = append(i.Targets, int(c.Number(maxBci)))
		if c.Skip(" (") {
			c.Until(")")
		}
		c.Skip(",")
	}
}

// parseMember reads a field or method like "29 <java/util/List.size()I>". Fields are printed as name/type, or as
// name:type since JDK 21.
func parseMember(c *cursor, i *bytecode.Instruction) {
	c.Until("<")
	text, ok := strings.CutSuffix(strings.TrimRight(string(c.Rest()), " "), ">")
	if i.Op != bytecode.InvokeDynamic {
		var class string
		class, text, _ = strings.Cut(text, ".")
		i.Name.Class = strings.TrimSpace(class)
	}
	at := strings.IndexByte(text, '(')
	if i.Op <= bytecode.PutField {
		at = strings.IndexAny(text, "/:")
	}
	if !ok || at < 0 {
		c.Miss("a field or method")
		return
	}
	i.Name.Name, i.Name.Descriptor = text[:at], text[at:]
	if i.Op <= bytecode.PutField {
		i.Name.Descriptor = text[at+1:]
	}
}

func parseClass(c *cursor, i *bytecode.Instruction) {
	text := strings.TrimSpace(string(c.Rest()))
	if _, quoted, ok := strings.Cut(text, "<"); ok {
		text = strings.TrimSuffix(quoted, ">")
	}
	i.Name.Class = text
	if text == "" {
		c.Miss("a class")
	}
}

// addSketch stores the sketch of a method, unless its class is hidden.
func (b *textBuild) addSketch(m builder.MethodRef, t *textMethod) {
	if _, hidden := b.Hidden[t.class]; hidden || t.sketch == nil {
		return
	}
	table := b.Internal().Table(disk.TableCode, 0)
	table.Row(uint64(m), uint64(b.Internal().Symbol(string(t.sketch))))
}
