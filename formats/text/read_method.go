package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// Lines of types, methods, their contexts and their profiles.

func (p *parser) typeLine() {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a type")
		return
	}
	ref := p.typeRef()
	var info builder.TypeInfo
	if p.skipToken("flags=") {
		info.Flags = layout.TypeFlags(p.bits(typeFlags, math.MaxUint32))
	}
	if p.skipToken("alias=") {
		info.Alias = string(p.name())
	}
	if p.OK() {
		p.b.DescribeType(ref, info)
	}
}

func (p *parser) newMethodLine() {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a method")
		return
	}
	start := p.At
	ref, _ := p.newMethod(start, p.reference("a method"))
	var info builder.MethodInfo
	if p.skipToken("access=") {
		info.Access = uint32(p.bits(accessFlags, math.MaxUint32))
	}
	if p.skipWord("not-matchable") {
		info.Flags = layout.MethodNotMatchable
	}
	neverRan := p.skipWord("never-ran")
	if !p.OK() {
		return
	}
	p.b.DescribeMethod(ref, info)
	if neverRan {
		p.b.Seen(ref)
	}
	p.method = ref
	p.report.Methods++
}

// methodLine reads a line of the open method. It gives false for any other.
func (p *parser) methodLine(word []byte) bool {
	if p.method == 0 {
		return false
	}
	switch string(word) {
	case "context":
		p.contextLine()
	case "profile":
		p.newProfileLine()
	default:
		return false
	}
	return true
}

func (p *parser) contextLine() {
	if p.context(p.method) == builder.NoContext {
		p.Expect("<-")
	}
}

// context takes the frames of a context, none for the method itself.
func (p *parser) context(m builder.MethodRef) builder.ContextRef {
	p.frames = p.frames[:0]
	for p.skipWord("<-") {
		f := builder.Frame{Caller: p.someMethod()}
		p.expectToken("@")
		f.Point = p.point()
		p.frames = append(p.frames, f)
	}
	if !p.OK() {
		return builder.NoContext
	}
	return p.b.Context(m, p.frames...)
}

// An openProfile is the profile whose lines are being read.
type openProfile struct {
	*builder.Profile
	line   parse.Place
	fields uint // of fieldForms, that it has
}

func (p *parser) newProfileLine() {
	p.closeProfile()
	key := profileKey{method: p.method}
	if p.skipToken("code=") {
		key.code = p.Hex(math.MaxUint64)
	}
	if key.context = p.context(p.method); !p.OK() || p.failure != nil {
		return
	}
	p.profile = openProfile{Profile: p.b.Profile(key.method, key.code, key.context), line: p.lines.Place}
	p.profiles.add(key, p.profile.Ref())
	p.report.Profiles++
}

// closeProfile hands the open profile over.
func (p *parser) closeProfile() {
	if open := p.profile; open.Profile != nil {
		p.profile = openProfile{}
		p.refuse(open.line, open.Done())
	}
}

// close ends the open method or table.
func (p *parser) close() {
	p.closeProfile()
	p.method = 0
	p.table = openTable{}
}
