package classfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A Description is a constant as javap prints it behind a bytecode: "Method" and "java/lang/Object.hashCode:()I".
type Description struct {
	Kind, Text string
	// Member is the field or method of a reference; a dynamic one has no class. For a class, only Class is set.
	Member Member
}

func (d Description) String() string { return d.Kind + " " + d.Text }

// Describe describes the constant in the operand of a bytecode. The error matches ErrClassFile.
func (c *File) Describe(i uint16) (d Description, err error) {
	if int(i) >= len(c.Pool) {
		return d, fmt.Errorf("%w: constant %d", ErrClassFile, i)
	}
	switch k := c.Pool[i]; k.Tag {
	case TagInteger:
		return Description{Kind: "int", Text: strconv.Itoa(int(int32(k.Number())))}, nil
	case TagLong:
		return Description{Kind: "long", Text: strconv.FormatInt(int64(k.Number()), 10) + "l"}, nil
	case TagFloat:
		return Description{Kind: "float", Text: javaDecimal(float64(math.Float32frombits(uint32(k.Number()))), 32) + "f"}, nil
	case TagDouble:
		return Description{Kind: "double", Text: javaDecimal(math.Float64frombits(k.Number()), 64) + "d"}, nil
	case TagClass:
		name, err := c.Class(i)
		return Description{"class", quotedName(name), Member{Class: name}}, err
	case TagString:
		text, err := c.Text(binary.BigEndian.Uint16(k.Data))
		return Description{Kind: "String", Text: escapeString(strings.ReplaceAll(text, codedNUL, "\x00"))}, err
	case TagType:
		text, err := c.Text(binary.BigEndian.Uint16(k.Data))
		return Description{Kind: "MethodType", Text: text}, err
	case TagField, TagMethod, TagInterface:
		m, err := c.Member(i)
		return Description{refKinds[k.Tag], c.memberText(m), m}, err
	case TagHandle:
		return c.describeHandle(k.Data)
	case TagInvoke, TagDynamic:
		return c.describeDynamic(k)
	}
	return d, fmt.Errorf("%w: constant %d is no operand", ErrClassFile, i)
}

var refKinds = map[byte]string{TagField: "Field", TagMethod: "Method", TagInterface: "InterfaceMethod",
	TagInvoke: "InvokeDynamic", TagDynamic: "Dynamic"}

// memberText spells a field or method, without the class if it is this one.
func (c *File) memberText(m Member) string {
	text := quotedName(m.Name) + ":" + m.Signature
	if m.Class == c.Name {
		return text
	}
	return quotedName(m.Class) + "." + text
}

var handleKinds = [...]string{1: "REF_getField", "REF_getStatic", "REF_putField", "REF_putStatic", "REF_invokeVirtual",
	"REF_invokeStatic", "REF_invokeSpecial", "REF_newInvokeSpecial", "REF_invokeInterface"}

func (c *File) describeHandle(data []byte) (d Description, err error) {
	m, err := c.Member(binary.BigEndian.Uint16(data[1:]))
	if kind := int(data[0]); err == nil && kind > 0 && kind < len(handleKinds) {
		return Description{"MethodHandle", handleKinds[kind] + " " + quotedName(m.Class) + "." + quotedName(m.Name) + ":" +
			m.Signature, m}, nil
	}
	return d, fmt.Errorf("%w: a method handle of kind %d", ErrClassFile, data[0])
}

func (c *File) describeDynamic(k Constant) (Description, error) {
	name, signature, err := c.NameType(binary.BigEndian.Uint16(k.Data[2:]))
	text := fmt.Sprintf("#%d:%s:%s", binary.BigEndian.Uint16(k.Data), quotedName(name), signature)
	return Description{refKinds[k.Tag], text, Member{Name: name, Signature: signature}}, err
}

func quotedName(name string) string {
	start := true
	for _, r := range name {
		switch {
		case r == '/' && !start:
			start = true
		case unicode.IsLetter(r), r == '_', r == '$', unicode.IsDigit(r) && !start, r == '-' && !start:
			start = false
		default:
			return `"` + escapeString(name) + `"`
		}
	}
	if start {
		return `"` + escapeString(name) + `"`
	}
	return name
}

const codedNUL = "\xc0\x80"

var escapes = map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\'': `\'`,
	'\\': `\\`}

func escapeString(text string) string {
	var b strings.Builder
	for _, r := range text {
		if spelled, ok := escapes[r]; ok {
			b.WriteString(spelled)
		} else if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// javaDecimal formats a number like Double.toString and Float.toString, with an exponent outside of 10^-3 to 10^7.
func javaDecimal(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0 || math.Abs(f) >= 1e-3 && math.Abs(f) < 1e7:
		text := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	if !strings.Contains(mantissa, ".") { // Java prints the nearest number of two digits
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(f, 'e', 1, bits), "e")
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}
