package builder

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/layout"
)

// ErrDuplicate: the builder has a profile of that method, code and context.
var ErrDuplicate = errors.New("profile was given before")

// A Profile is being built. Entries of one section may be added in any order;
// data entries are stored by profile point, then tag, then sub, and otherwise
// in the order in which they were added.
type Profile struct {
	b        *Builder
	ref      ProfileRef
	presence layout.Presence
	fields   [11]fieldData
	sections [layout.SectionDirectory]sectionData
	code     uint64
	err      error
	done     bool
}

// fieldData is the encoded optional field of a presence bit.
type fieldData struct{ bytes []byte }

type sectionData struct {
	bytes   []byte
	entries []entryData
}

type entryData struct {
	order      entryOrder
	start, end int
}

type entryOrder struct {
	point int32
	tag   layout.Tag
	sub   uint16
}

type profileKey struct {
	method  MethodRef
	context ContextRef
	code    uint64
}

// profileData is a finished profile: the block as it will lie in the file, but
// for its links and for pointer cells, which hold references.
type profileData struct {
	profileKey
	block []byte
	stats profileStats
}

// Profile begins the profile of a method, for the code with that id (0 if it
// is not known), in that context. One that is begun twice makes Done fail with
// ErrDuplicate.
func (b *Builder) Profile(m MethodRef, code uint64, c ContextRef) *Profile {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &Profile{b: b, code: code}
	switch {
	case !b.methods.has(uint32(m)):
		p.fail(fmt.Errorf("method %d is not of this builder", m))
	case c != NoContext && (!b.contexts.has(uint32(c)) || b.contexts.at(uint32(c)).method != m):
		p.fail(fmt.Errorf("context %d is not one of method %d", c, m))
	default:
		p.begin(profileKey{m, c, code})
	}
	return p
}

func (p *Profile) begin(key profileKey) {
	if _, ok := p.b.profiles.find(key); ok {
		p.fail(fmt.Errorf("%w: %s, code %016x, context %d", ErrDuplicate, p.b.text(p.b.methods.at(uint32(key.method)).name), key.code, key.context))
		return
	}
	p.ref = ProfileRef(p.b.profiles.add(key, profileData{profileKey: key}))
	if key.code != 0 {
		p.field(layout.HasCode, u64s(key.code))
	}
}

// Ref names the profile, for tables.
func (p *Profile) Ref() ProfileRef { return p.ref }

func (p *Profile) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("profile: %w", err)
	}
}

// Done hands the profile over to the builder. It must be called once.
func (p *Profile) Done() error {
	if p.done {
		p.fail(errors.New("Done was called before"))
	}
	p.done = true
	var block []byte
	if p.err == nil {
		block = p.encode()
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.err != nil {
		p.b.fail(p.err)
		return p.err
	}
	d := p.b.profiles.at(uint32(p.ref))
	d.stats = measure(p.b.shape, layout.Block(block))
	d.block = p.b.blocks.keep(block)
	return nil
}

// field sets the encoded optional field of a presence bit.
func (p *Profile) field(f layout.Presence, encoded []byte) {
	p.presence |= f
	p.fields[fieldIndex(f)] = fieldData{encoded}
}

func u64s(values ...uint64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func u32s(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// What the method as a whole has counted and been through.

// Invocations sets the invocation counter.
func (p *Profile) Invocations(n uint64) { p.field(layout.HasInvocations, u64s(n)) }

// Backedges sets the backedge counter.
func (p *Profile) Backedges(n uint64) { p.field(layout.HasBackedges, u64s(n)) }

// Interpreted sets the number of invocations by the interpreter.
func (p *Profile) Interpreted(n uint64) { p.field(layout.HasInterpreted, u64s(n)) }

// Size sets the size in bytes of the method's code and of the VM's own
// MethodData, each 0 if not known.
func (p *Profile) Size(code, host uint32) { p.field(layout.HasSize, u32s(code, host)) }

// History is how often compiled code of the method was given up.
type History struct{ Decompiles, OverflowRecompiles, OverflowTraps, TenureTraps uint32 }

// History sets how often compiled code of the method was given up.
func (p *Profile) History(h History) {
	p.field(layout.HasHistory, u32s(h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps))
}

// Compile is what the VM's compilers noted of the method.
type Compile struct {
	Level, State, WouldProfile uint8
	Loops, Blocks              uint16
}

// Compile sets what the VM's compilers noted of the method.
func (p *Profile) Compile(c Compile) {
	b := []byte{c.Level, c.State, c.WouldProfile, 0}
	b = binary.LittleEndian.AppendUint16(b, c.Loops)
	p.field(layout.HasCompile, binary.LittleEndian.AppendUint16(b, c.Blocks))
}

// Escape is the result of escape analysis of the arguments, a bit an argument.
type Escape struct{ Flags, Local, Stack, Returned uint64 }

// Escape sets the result of escape analysis.
func (p *Profile) Escape(e Escape) {
	p.field(layout.HasEscape, u64s(e.Flags, e.Local, e.Stack, e.Returned))
}

// TrapHistory sets the number of traps taken, by reason.
func (p *Profile) TrapHistory(byReason []byte) {
	b := u32s(uint32(len(byReason)), 0)
	b = append(b, byReason...)
	p.field(layout.HasTraps, append(b, make([]byte, layout.AlignUp(int64(len(b)), layout.Unit)-int64(len(b)))...))
}

// encode lays the block out, without links.
func (p *Profile) encode() []byte {
	data := p.sections[layout.SectionData].sorted()
	var directory []byte
	if len(p.sections[layout.SectionData].entries) >= layout.DirectoryMin {
		directory = p.sections[layout.SectionData].directory()
	}
	p.sectionFields(len(directory))
	b := make([]byte, layout.BlockHeaderSize, layout.BlockHeaderSize+len(data)+len(directory)+256)
	for _, f := range p.fields {
		b = append(b, f.bytes...)
	}
	b = append(b, data...)
	for s := layout.SectionExtra; s < layout.SectionDirectory; s++ {
		b = append(b, p.sections[s].bytes...)
	}
	b = append(b, directory...)
	le := binary.LittleEndian
	le.PutUint32(b, uint32(len(b)/layout.Unit))
	le.PutUint32(b[8:], uint32(p.presence))
	le.PutUint32(b[12:], uint32(len(data)/layout.Unit))
	return b
}

// sectionFields adds the fields that say how long the sections are.
func (p *Profile) sectionFields(directory int) {
	units := func(s layout.BlockSection) uint32 { return uint32(len(p.sections[s].bytes) / layout.Unit) }
	extra, parameters, handlers := units(layout.SectionExtra), units(layout.SectionParameters), units(layout.SectionHandlers)
	if extra|parameters|handlers != 0 {
		p.field(layout.HasSections, u32s(extra, parameters, handlers, 0))
	}
	if directory > 0 {
		p.field(layout.HasDirectory, u32s(uint32(directory/layout.Unit), 0))
	}
}

// sorted gives the entries' bytes in the order of their profile points. The
// entries mostly come so.
func (s *sectionData) sorted() []byte {
	inOrder := func(a, b entryData) int { return a.order.compare(b.order) }
	if slices.IsSortedFunc(s.entries, inOrder) {
		return s.bytes
	}
	slices.SortStableFunc(s.entries, inOrder)
	b := make([]byte, 0, len(s.bytes))
	for i, e := range s.entries {
		s.entries[i].start = len(b)
		b = append(b, s.bytes[e.start:e.end]...)
		s.entries[i].end = len(b)
	}
	s.bytes = b
	return b
}

func (o entryOrder) compare(p entryOrder) int {
	return cmp.Or(cmp.Compare(o.point, p.point), cmp.Compare(o.tag, p.tag), cmp.Compare(o.sub, p.sub))
}

// directory is the point directory of entries that are sorted.
func (s *sectionData) directory() (b []byte) {
	for _, e := range s.entries {
		b = layout.AppendDirectoryRow(b, e.order.point, int64(e.start))
	}
	return b
}
