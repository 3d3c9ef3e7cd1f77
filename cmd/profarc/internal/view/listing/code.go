package listing

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

type Instruction struct {
	Bci      int    `json:"bci"`
	Mnemonic string `json:"mnemonic"`
	// Operands are the operands in the code, as javap prints them: "1, 1" of iinc, "22" of
	// goto 22. A switch has Labels and Targets instead.
	Operands string `json:"operands,omitempty"`
	// Ref is the constant in the operand, or nil.
	Ref *Ref `json:"ref,omitempty"`
	// Targets are the bcis of the targets. A branch or jump has one. A switch has the default and the
	// cases in order. Labels are the values of the cases.
	Targets []int   `json:"targets,omitempty"`
	Labels  []int32 `json:"labels,omitempty"`
	Line    int     `json:"line,omitempty"` // source line; 0 if unknown

	Points []analyze.Point `json:"points,omitempty"`
	Count  uint64          `json:"count"` // number of executions; see Basis
	Basis  Basis           `json:"basis,omitempty"`
	Heat   float64         `json:"heat"` // result of the function Heat

	NotInlined *Refusal `json:"not_inlined,omitempty"` // nil unless C2 does not inline the call
}

type Basis string

const (
	NotKnown Basis = ""
	Counted  Basis = "counted" // counted by a profile point of the bytecode
	Derived  Basis = "derived" // derived from other points
)

// CountText formats a count, with ~ before a derived one, or returns "" if it is unknown. number formats numbers.
func (b Basis) CountText(n uint64, number func(uint64) string) string {
	switch b {
	case NotKnown:
		return ""
	case Derived:
		return "~" + number(n)
	}
	return number(n)
}

// A Ref is a constant in the operand of a bytecode. Javap prints Text after Kind. Fields and methods have Class, Name
// and Descriptor, classes only Class, and dynamic calls only Name and Descriptor.
type Ref struct {
	Kind       string `json:"kind"` // kind as javap names it: Method, Field, class, String, int
	Text       string `json:"text"`
	Class      string `json:"class,omitempty"`
	Name       string `json:"name,omitempty"`
	Descriptor string `json:"descriptor,omitempty"`
}

var numbers = map[string]bool{"int": true, "long": true, "float": true, "double": true}

// DisplayText returns the constant as programmers write it, such as java.util.List.size(), a field with its class, a
// quoted string, or the name that invokedynamic calls. Other constants follow their kind.
func (r *Ref) DisplayText(sp display.Spelling, d layout.Domain) string {
	switch {
	case r.Class != "" && r.Name == "":
		return sp.Type(d, r.Class)
	case r.Class != "" && strings.HasPrefix(r.Descriptor, "("):
		return sp.Method(d, layout.Key{Class: r.Class, Name: r.Name, Signature: r.Descriptor})
	case r.Class != "":
		return sp.Type(d, r.Class) + "." + r.Name
	case r.Kind == "String":
		return `"` + r.Text + `"`
	case r.Name != "" && r.Class == "":
		if parameters, ok := javanames.JavaParameters(r.Descriptor, false); ok {
			return r.Name + parameters
		}
	case numbers[r.Kind]:
		return r.Text
	}
	return r.Kind + " " + r.Text
}

// instructions lists the code of a method. If a byte is no bytecode, it stops there, and ok is false.
func instructions(class *classfile.File, m classfile.Method) (list []Instruction, ok bool) {
	lines := class.Lines(m)
	line := 0
	for at := 0; at < len(m.Code); {
		size := bytecode.Size(m.Code, at)
		if size == 0 {
			return list, false
		}
		for ; len(lines) > 0 && lines[0].Bci <= at; lines = lines[1:] {
			line = lines[0].Line
		}
		i := Instruction{Bci: at, Mnemonic: bytecode.Mnemonic(m.Code, at), Line: line}
		i.decodeOperands(class, m.Code[at:at+size], m.Code)
		list = append(list, i)
		at += size
	}
	return list, true
}

func (i *Instruction) decodeOperands(class *classfile.File, raw, code []byte) {
	d, ok := bytecode.DecodeAt(code, i.Bci)
	i.Targets = d.Targets
	i.Labels = d.Labels
	switch java := raw[0]; {
	case !ok:
	case bytecode.HasConstant(java):
		i.setConstant(class, raw)
	case len(d.Labels) > 0 || java == bytecode.TableSwitch || java == bytecode.LookupSwitch:
	case len(d.Targets) > 0:
		i.Operands = strconv.Itoa(d.Targets[0])
	case d.Op == bytecode.IInc:
		i.Operands = fmt.Sprintf("%d, %d", d.Local, d.Value)
	case java == bytecode.BiPush, java == bytecode.SiPush:
		i.Operands = strconv.FormatInt(d.Value, 10)
	case java == bytecode.NewArray:
		i.Operands = bytecode.ArrayTypeName(d.Value)
	case len(raw) > 1:
		i.Operands = strconv.Itoa(d.Local)
	}
}

// setConstant sets the constant in the operand. A damaged constant is shown by index.
func (i *Instruction) setConstant(class *classfile.File, raw []byte) {
	index := uint16(raw[1])
	if raw[0] != bytecode.Ldc {
		index = binary.BigEndian.Uint16(raw[1:])
	}
	switch raw[0] {
	case bytecode.MultiANewArray, bytecode.InvokeInterface, bytecode.InvokeDynamic:
		i.Operands = strconv.Itoa(int(raw[3]))
	}
	d, err := class.Describe(index)
	if err != nil {
		i.Operands = strings.TrimSuffix(fmt.Sprintf("#%d, %s", index, i.Operands), ", ")
		return
	}
	i.Ref = &Ref{d.Kind, d.Text, d.Member.Class, d.Member.Name, d.Member.Signature}
}

func instructionAt(list []Instruction, bci int) (place int, ok bool) {
	return slices.BinarySearchFunc(list, bci, func(i Instruction, bci int) int { return i.Bci - bci })
}

type Source struct {
	File  string `json:"file"` // path, or zip!/path in a zip file
	Lines []Line `json:"lines"`
	// First and Last delimit the method, from 1; 0 without line numbers.
	First int `json:"first"`
	Last  int `json:"last"`
	// Short means that the code has lines after the end of the file, which is another version.
	Short bool `json:"short,omitempty"`
}

type Line struct {
	Text  string  `json:"text"` // without line end; any length, any valid UTF-8
	Bcis  []int   `json:"bcis,omitempty"`
	Count uint64  `json:"count"`
	Basis Basis   `json:"basis,omitempty"`
	Sum   uint64  `json:"sum"` // total of the counts of its profile points
	Heat  float64 `json:"heat"`
}

// maxLines is the highest line number in a class file.
const maxLines = 1<<16 - 1

func (l *Listing) addSource(sources *classfile.Sources, class *classfile.File) {
	file, text, err := sources.Find(class)
	if err != nil {
		l.Problem = strings.TrimPrefix(l.Problem+"; "+err.Error(), "; ")
	}
	if file == "" {
		return
	}
	s := &Source{File: file, Lines: splitLines(text)}
	for i := range l.Instructions {
		s.addInstruction(&l.Instructions[i])
	}
	setHeat(s.Lines, func(l *Line) (uint64, *float64) { return l.Count, &l.Heat })
	l.Source = s
}

// splitLines splits a text into lines as Java does, and replaces invalid UTF-8.
func splitLines(text []byte) (lines []Line) {
	whole := strings.TrimPrefix(strings.ToValidUTF8(string(text), "\uFFFD"), "\uFEFF")
	whole = strings.ReplaceAll(strings.ReplaceAll(whole, "\r\n", "\n"), "\r", "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(whole, "\n"), "\n") {
		if len(lines) == maxLines {
			break
		}
		lines = append(lines, Line{Text: line})
	}
	return lines
}

func (s *Source) addInstruction(i *Instruction) {
	if i.Line == 0 {
		return
	}
	if s.First == 0 {
		s.First = i.Line
	}
	s.First = min(s.First, i.Line)
	s.Last = max(s.Last, i.Line)
	if i.Line > len(s.Lines) {
		s.Short = true
		return
	}
	line := &s.Lines[i.Line-1]
	line.Bcis = append(line.Bcis, i.Bci)
	for _, p := range i.Points {
		line.Sum = schema.AddCounts(line.Sum, p.Count)
	}
	switch {
	case i.Basis == Counted && line.Basis != Counted:
		line.Count = i.Count
		line.Basis = Counted
	case i.Basis == line.Basis, line.Basis == NotKnown:
		line.Count = max(line.Count, i.Count)
		line.Basis = i.Basis
	}
}
