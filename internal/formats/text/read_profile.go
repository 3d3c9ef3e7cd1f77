package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

func (p *parser) readTypeLine() {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a type")
		return
	}
	ref := p.takeTypeRef()
	alias := ""
	flags := layout.TypeFlags(0)
	if p.skipToken("flags=") {
		flags = layout.TypeFlags(p.takeBits(typeFlags, math.MaxUint32))
	}
	if p.skipToken("alias=") {
		alias = string(p.takeName())
	}
	if p.OK() {
		p.b.Internal().DescribeType(ref, alias, flags)
	}
}

func (p *parser) readNewMethodLine() {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a method")
		return
	}
	start := p.At
	ref := p.parseMethodToken(start, p.takeReference("a method"))
	access := uint32(0)
	flags := layout.MethodFlags(0)
	if p.skipToken("access=") {
		access = uint32(p.takeBits(accessFlags, math.MaxUint32))
	}
	if p.skipWord("not-matchable") {
		flags = layout.MethodNotMatchable
	}
	neverRan := p.skipWord("never-ran")
	if !p.OK() {
		return
	}
	p.b.Internal().DescribeMethod(ref, access, flags)
	if neverRan {
		p.b.Seen(ref)
	}
	p.method = ref
	p.report.Methods++
}

// readMethodLine reads a line of the open method. It returns false for other lines.
func (p *parser) readMethodLine(word []byte) bool {
	if p.method == 0 {
		return false
	}
	switch string(word) {
	case "context":
		if p.takeContext(p.method) == profileset.NoContext {
			p.Expect("<-")
		}
	case "profile":
		p.readNewProfileLine()
	default:
		return false
	}
	return true
}

// takeContext consumes the frames of a context. Without frames it returns profileset.NoContext.
func (p *parser) takeContext(m builder.MethodRef) builder.ContextRef {
	p.frames = p.frames[:0]
	for p.skipWord("<-") {
		f := builder.Frame{Caller: p.takeMethodToken()}
		p.expectToken("@")
		f.Point = p.takePoint()
		p.frames = append(p.frames, f)
	}
	if !p.OK() {
		return profileset.NoContext
	}
	return p.b.Context(m, p.frames...)
}

// An openProfile is the profile whose lines are being read.
type openProfile struct {
	*builder.Profile
	line   parse.Place
	fields uint // bit i is set if the field fieldForms[i] occurred
}

func (p *parser) readNewProfileLine() {
	p.closeProfile()
	key := profileKey{method: p.method}
	if p.skipToken("code=") {
		key.code = p.Hex(math.MaxUint64)
	}
	key.context = p.takeContext(p.method)
	if !p.OK() || p.failure != nil {
		return
	}
	p.profile = openProfile{Profile: p.b.ProfileIn(key.method, key.code, key.context), line: p.lines.Place}
	p.profiles[key] = p.profile.Internal().Ref()
	p.report.Profiles++
}

func (p *parser) closeProfile() {
	if open := p.profile; open.Profile != nil {
		p.profile = openProfile{}
		p.recordFailure(open.line, open.Done())
	}
}

func (p *parser) closeMethod() {
	p.closeProfile()
	p.method = 0
	p.table = openTable{}
}

// readProfileLine reads a line of the open profile. It returns false for other lines.
func (p *parser) readProfileLine(start int, word []byte) bool {
	if p.profile.Profile == nil {
		return false
	}
	if section, ok := sectionWords.numberOf(word); ok {
		p.nextToken()
		p.readEntryLine(start, disk.BlockSection(section))
		return true
	}
	for i := range fieldForms {
		if string(word) == fieldForms[i].name {
			p.readFieldLine(start, i)
			return true
		}
	}
	return false
}

// readFieldLine reads an optional field, which must not repeat.
func (p *parser) readFieldLine(start, i int) {
	if p.profile.fields&(1<<i) != 0 {
		p.MissAt(start, "no second "+fieldForms[i].name)
		return
	}
	p.profile.fields |= 1 << i
	p.readField(&fieldForms[i])
}

// refCache caches the references for the texts of types and methods, to avoid allocations.
type refCache struct {
	types   map[string]builder.TypeRef
	methods map[string]builder.MethodRef
	values  map[string]uint64 // name ids in ValueSite entries
}

// maxRefs is the size at which a cache is emptied.
const maxRefs = 1 << 16

func cacheRef[V any](known *map[string]V, token string, v V) {
	if *known == nil || len(*known) >= maxRefs {
		*known = map[string]V{}
	}
	(*known)[token] = v
}

// takeTypeRef consumes a type, or - for 0.
func (p *parser) takeTypeRef() builder.TypeRef {
	return takeRef(p, "a type, or -", &p.refs.types, p.parseTypeToken)
}

// takeMethodRef consumes a method, or - for 0.
func (p *parser) takeMethodRef() builder.MethodRef {
	return takeRef(p, "a method, or -", &p.refs.methods, p.parseMethodToken)
}

func takeRef[R ~uint32](p *parser, expected string, known *map[string]R, parse func(start int, token []byte) R) R {
	start := p.At
	token := p.takeReference(expected)
	if !p.OK() || string(token) == "-" {
		return 0
	}
	ref, ok := (*known)[string(token)]
	if !ok {
		ref = parse(start, token)
		cacheRef(known, string(token), ref)
	}
	return ref
}

// parseTypeToken parses a token that begins at offset start, and adds its type to the builder.
func (p *parser) parseTypeToken(start int, token []byte) builder.TypeRef {
	c := newCursor(token)
	key := builder.TypeKey{Name: c.takeKeyPart(false, false)}
	key.Loader = c.takeLoader()
	if !c.OK() {
		p.MissAt(start+c.At, c.Expected())
		return 0
	}
	return p.b.Type(key)
}

// parseMethodToken parses a token that begins at offset start, and adds its method to the builder.
func (p *parser) parseMethodToken(start int, token []byte) builder.MethodRef {
	c := newCursor(token)
	key := c.takeMethodKey()
	if !c.OK() {
		p.MissAt(start+c.At, c.Expected())
		return 0
	}
	return p.b.Method(key)
}

// takeMethodToken consumes the next token, which must be a method.
func (p *parser) takeMethodToken() builder.MethodRef {
	if !p.nextToken() || p.skipWord("-") {
		p.Miss("a method")
	}
	return p.takeMethodRef()
}
