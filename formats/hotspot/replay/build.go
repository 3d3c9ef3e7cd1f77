package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ReadOptions say how a file is read. The zero value reads with the defaults.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config configures the archive. The Params that the file shows are overwritten.
	Config builder.Config
	// Shape is the shape of the VM's entries; nil to infer it.
	Shape *disk.Shape
	// Unordered drops the order of the methods.
	Unordered bool
	// ProfilesOnly leaves out all records except profiles. Write then needs a class path.
	ProfilesOnly bool
}

// Read reads a replay file into a new builder, with the settings that the file shows.
// The error is a [*hotspot.TextError] if the file is not what a VM writes.
//
// Methods with method data become profiles. Uncalled methods are recorded as unexecuted.
// All other records are kept as text, from which [Write] makes a replay file again.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	rec, err := parseFile(r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	return rec.buildArchive(o)
}

// buildArchive puts a recording into a builder.
func (r *recording) buildArchive(o ReadOptions) (*builder.Builder, *Report, error) {
	shape, err := r.shapeOr(o.Shape)
	if err != nil {
		return nil, nil, err
	}
	params := &o.Config.Params
	params.TypeProfileWidth = uint32(shape.TypeRows)
	params.BciProfileWidth = uint32(shape.BciRows)
	params.ReceiverGap = uint32(shape.Gap)
	report := &Report{Version: r.version, Params: *params, Classes: r.classes(), Inlines: len(r.compile.inlines)}
	b, err := r.build(o, shape, report)
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return b, report, err
}

// shapeOr returns the shape that was given, if the file fits it, or the file's own.
func (r *recording) shapeOr(given *disk.Shape) (disk.Shape, error) {
	if given == nil {
		return r.shape()
	}
	return *given, r.fits(*given, false)
}

// classes returns the number of classes that the file records.
func (r *recording) classes() (n int) {
	for _, k := range r.klasses {
		if k.kind == kindKlass {
			n++
		}
	}
	return n
}

// A build puts a recording into a builder.
type build struct {
	*builder.Builder
	*recording
	shape   disk.Shape
	report  *Report
	names   map[string]string // the VM's names of hidden classes, by reference
	hidden  map[string]string // the archive's names of hidden classes, by the VM's names
	methods map[methodKey]*method
}

func (r *recording) build(o ReadOptions, shape disk.Shape, report *Report) (*builder.Builder, error) {
	b := &build{
		Builder: builder.New(layout.DomainHotSpot, o.Config), recording: r, shape: shape, report: report,
		names: r.references(), methods: map[methodKey]*method{},
	}
	b.hidden = names.CanonicalHidden(b.vmNames())
	for i := range r.methods {
		b.methods[r.methods[i].methodKey] = &r.methods[i]
	}
	seen := map[methodKey]bool{}
	for i := range r.data {
		d := &r.data[i]
		if seen[d.methodKey] {
			report.Lost.AddAt(LossTwice, d.place.Line)
			continue
		}
		seen[d.methodKey] = true
		p, err := b.profile(d)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.place.Line, err)
		}
		if !o.Unordered {
			b.Table(layout.TableOrder, 0, layout.ColumnProfile).Row(uint64(p.Ref()))
		}
	}
	b.others(seen)
	if !o.ProfilesOnly {
		b.keepEnvironment()
	}
	return b.Builder, b.Err()
}

// references returns the VM's names of hidden classes by the references to the bytecodes
// that made them.
func (r *recording) references() map[string]string {
	names := map[string]string{}
	for _, k := range r.klasses {
		if k.kind == kindLoaded && k.comment != "" {
			names[k.name] = k.comment
		}
	}
	return names
}

// vmNames returns the VM's names of all classes in the profiles.
func (b *build) vmNames() map[string]bool {
	classes := map[string]bool{}
	note := func(class string) { classes[names.Element(b.vmName(class))] = true }
	for _, m := range b.recording.methods {
		note(m.class)
	}
	for i := range b.data {
		note(b.data[i].class)
		for _, class := range b.data[i].klasses {
			note(class)
		}
		for _, m := range b.data[i].methods {
			note(m.class)
		}
	}
	return classes
}

// vmName returns the VM's name of a class of the file.
func (b *build) vmName(class string) string { return cmp.Or(b.names[class], class) }

// typeRef interns a class of the file.
func (b *build) typeRef(class string) builder.TypeRef {
	name := b.vmName(class)
	t := b.Type(builder.TypeKey{Name: b.archiveName(class)})
	if b.archiveName(class) != name {
		b.DescribeType(t, builder.TypeInfo{Alias: name, Flags: layout.TypeHidden | layout.TypeNotMatchable})
	} else if strings.HasPrefix(class, "@") {
		b.DescribeType(t, builder.TypeInfo{Flags: layout.TypeHidden})
	}
	return t
}

// archiveName returns what an archive calls a class of the file.
func (b *build) archiveName(class string) string {
	name := b.vmName(class)
	element := names.Element(name)
	canonical, hidden := b.hidden[element]
	if !hidden {
		return name
	}
	return strings.Replace(name, element, canonical, 1)
}

// methodRef interns a method of the file.
func (b *build) methodRef(k methodKey) builder.MethodRef {
	class := b.archiveName(k.class)
	b.typeRef(k.class)
	m := b.Method(layout.Key{Class: class, Name: k.name, Signature: k.signature})
	if class != b.vmName(k.class) {
		b.DescribeMethod(m, builder.MethodInfo{Flags: layout.MethodNotMatchable})
	}
	return m
}

// others records the uncalled methods. Called methods without method data stay in the
// environment.
func (b *build) others(profiled map[methodKey]bool) {
	for _, m := range b.recording.methods {
		if !profiled[m.methodKey] && m.unexecuted() {
			b.Seen(b.methodRef(m.methodKey))
		}
	}
}

// unexecuted reports whether a method was not called. A VM counts one invocation by the
// interpreter for a method without counters.
func (m *method) unexecuted() bool {
	return m.invocations == 0 && m.backedges == 0 && m.interpreted <= 1
}

// Sizes of a VM's MethodData before its words: MethodData::_data is at
// that offset.
const (
	headSize17 = 304
	headSize25 = 208
)

// headSize returns the size before the words; ok is false for a VM of unknown layout.
func headSize(version int, shape disk.Shape) (n int, ok bool) {
	switch {
	case version == 0 && shape.Gap == 1:
		return headSize17, true
	case version == maxVersion && shape.Gap == 0:
		return headSize25, true
	}
	return 0, false
}

// profile adds the profile of one method.
func (b *build) profile(d *methodData) (*builder.Profile, error) {
	w, err := d.walkData(b.shape)
	if err != nil {
		return nil, err
	}
	p := b.Profile(b.methodRef(d.methodKey), 0, builder.NoContext)
	b.counters(p, d)
	b.size(p, d, w.free)
	previous := int32(-1)
	for section, entries := range w.sections {
		for _, e := range entries {
			b.entry(p, d, layout.BlockSection(section), e)
			b.report.Entries++
		}
	}
	for _, e := range w.sections[layout.SectionData] {
		if e.Point() <= previous {
			b.report.Lost.AddAt(LossOrder, d.place.Line)
			break
		}
		previous = e.Point()
	}
	b.report.Methods++
	return p, p.Done()
}

// counters sets the counters of the method as a whole.
func (b *build) counters(p *builder.Profile, d *methodData) {
	p.Invocations(uint64(uint32(d.invocations)))
	p.Compile(builder.Compile{State: uint8(d.state)})
	if m := b.methods[d.methodKey]; m != nil {
		p.Interpreted(uint64(uint32(m.interpreted)))
		p.Backedges(uint64(uint32(m.backedges) >> 1))
	}
	counters, ok := compilerCounters(d.header)
	if !ok {
		b.report.Lost.AddAt(LossHeader, d.place.Line)
		return
	}
	readHistory(p, counters)
}

// size sets the size of the VM's MethodData, from which the number of free words follows.
// The data of jhsdb has no free words, but the size in the VM.
func (b *build) size(p *builder.Profile, d *methodData, free int) {
	if len(d.header) == wholeSize {
		p.Size(builder.Size{Host: binary.LittleEndian.Uint32(d.header[16:])})
		return
	}
	if head, ok := headSize(b.version, b.shape); ok {
		p.Size(builder.Size{Host: uint32(head + len(d.words)*disk.CellSize)})
	} else if free > 0 {
		b.report.Lost.AddAt(LossFree, d.place.Line)
	}
}

// entry adds an entry with references in place of pointers. Pointers without a name
// become null.
func (b *build) entry(p *builder.Profile, d *methodData, in layout.BlockSection, e placed) {
	p.Raw(in, e.Entry, func(cell int, kind disk.CellKind) uint64 {
		at := e.at + 1 + cell
		if class, ok := d.klasses[at]; ok {
			return uint64(b.typeRef(class))
		}
		if m, ok := d.methods[at]; ok {
			return uint64(b.methodRef(m))
		}
		if pointerOf(d.words[at], kind) != 0 {
			b.report.Lost.AddAt(LossUnnamed, d.place.Line)
		}
		return 0
	})
}

// The environment of a replay file is all of it except its profiles: constant pools,
// static fields, the compilation. An archive that is made from a replay file keeps it as
// text, the file without its ciMethodData lines, in the table of foreign keys.

// environmentKey is the key of that text.
const environmentKey = "hotspot.replay"

// keepEnvironment puts the text into the archive.
func (b *build) keepEnvironment() {
	var text bytes.Buffer
	without := *b.recording
	without.data = nil
	_ = without.printFile(&text) // a buffer takes everything
	t := b.Table(layout.TableForeign, 0)
	t.Row(uint64(b.Symbol(environmentKey)), uint64(b.Symbol(text.String())))
}

// environment returns the wanted environment of an archive, or else its first one; ok is
// false if it has none.
func environment(s *reader.Store, wanted func(*recording) bool) (r *recording, ok bool, err error) {
	t, err := s.TableOrEmpty(layout.TableForeign)
	for i := 0; err == nil && i < t.Rows; i++ {
		var key, text reader.Name
		if key, err = s.SymbolAt(layout.Ref(t.Cell(0, i))); err != nil || !key.Equal(environmentKey) {
			continue
		}
		if text, err = s.SymbolAt(layout.Ref(t.Cell(1, i))); err != nil {
			break
		}
		found, err := parseFile(strings.NewReader(text.String()), s.Mapping().Name()+": "+environmentKey)
		if err != nil {
			return nil, false, err
		}
		if wanted(found) {
			return found, true, nil
		}
		if r == nil {
			r = found
		}
	}
	return r, r != nil, err
}
