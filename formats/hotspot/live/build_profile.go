package live

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/internal/jvm/sketch"
	"github.com/profarc/profarc/layout"
)

// profile adds a profile to the builder.
func (b *build) profile(f *found) error {
	if err := b.use(f); err != nil {
		return err
	}
	m := b.methodRef(f.addr, &f.methodName, f.klassName)
	if b.taken[m] {
		b.report.refuse(RefusedTwice, 1, f)
		return nil
	}
	b.taken[m] = true
	b.DescribeMethod(m, builder.MethodInfo{Access: f.access})
	p := b.Profile(m, bytecode.CodeID(f.code), builder.NoContext)
	b.header(p, f)
	refs := 0
	for section, entries := range f.sections {
		for _, e := range entries {
			p.Raw(layout.BlockSection(section), e, func(cell int, kind disk.CellKind) uint64 {
				return b.reference(untagged(e.Cell(cell), kind), kind)
			})
			refs++
		}
	}
	b.sketch(m, f)
	b.report.Methods++
	b.report.Entries += refs
	return p.Done()
}

// sketch notes what the code's profile points test, call and check. Nobody finds
// a hidden class again.
func (b *build) sketch(m builder.MethodRef, f *found) {
	if _, hidden := b.hidden[f.klassName.name]; hidden {
		return
	}
	code, ok := b.names.instructions(&f.methodName)
	if !ok {
		return
	}
	if bytes := sketch.Of(code, bytecode.CodeID(f.code)); bytes != nil {
		t := b.Table(layout.TableCode, 0, disk.TableColumns(layout.TableCode)...)
		t.Row(uint64(m), uint64(b.Symbol(string(bytes))))
	}
}

// header sets what a MethodData has in front of its entries.
func (b *build) header(p *builder.Profile, f *found) {
	h := b.vm.schema.header(f.data, f.counters)
	p.Invocations(h.invocations)
	p.Backedges(h.backedges)
	p.Interpreted(h.interpreted)
	p.Size(uint32(len(f.code)), uint32(len(f.data)))
	p.History(h.history)
	if b.headers {
		p.Compile(h.compile)
	}
	if h.escape != (builder.Escape{}) {
		p.Escape(h.escape)
	}
	if slices.ContainsFunc(h.traps, func(n byte) bool { return n != 0 }) {
		p.TrapHistory(h.traps)
	}
}

// reference is the builder's reference to what a pointer leads to. resolve has
// named it before.
func (b *build) reference(addr uint64, kind disk.CellKind) uint64 {
	switch {
	case addr == 0:
		return 0
	case kind != disk.CellMethod:
		return uint64(b.typeAt(addr))
	}
	if m, ok := b.methods[addr]; ok {
		return uint64(m)
	}
	m, k, err := b.methodAt(addr)
	if err != nil || b.use(&found{methodName: m, klassName: k}) != nil {
		return 0
	}
	return uint64(b.methodRef(addr, &m, k))
}

// methodRef interns a method.
func (b *build) methodRef(addr uint64, m *methodName, k klassName) builder.MethodRef {
	if ref, ok := b.methods[addr]; ok {
		return ref
	}
	class, made := k.name, names.IsNumbered(k.name)
	if canonical, ok := b.hidden[k.name]; ok {
		class, made = canonical, true
	}
	b.typeRef(k)
	ref := b.Method(layout.Key{Class: class, Name: m.name, Signature: m.signature, Loader: k.loader})
	if made {
		b.DescribeMethod(ref, builder.MethodInfo{Flags: layout.MethodNotMatchable})
	}
	b.methods[addr] = ref
	return ref
}

// typeAt interns a class by its address.
func (b *build) typeAt(addr uint64) builder.TypeRef {
	if ref, ok := b.types[addr]; ok {
		return ref
	}
	_ = b.meter.names.take(len(b.klasses[addr].name)) // run ends if it cannot
	ref := b.typeRef(b.klasses[addr])
	b.types[addr] = ref
	return ref
}

// typeRef interns a class. What the VM calls a hidden one is kept as its alias.
func (b *build) typeRef(k klassName) builder.TypeRef {
	class := names.Element(k.name)
	canonical, hidden := b.hidden[class]
	if !hidden {
		t := b.Type(builder.TypeKey{Name: k.name, Loader: k.loader})
		if names.IsNumbered(class) {
			b.DescribeType(t, builder.TypeInfo{Flags: layout.TypeNotMatchable})
		}
		return t
	}
	name := strings.Replace(k.name, class, canonical, 1)
	t := b.Type(builder.TypeKey{Name: name, Loader: k.loader})
	b.DescribeType(t, builder.TypeInfo{Alias: k.name, Flags: layout.TypeHidden | layout.TypeNotMatchable})
	return t
}

// properties notes the VM and the flags that shape its MethodData.
func (b *build) properties() {
	set := func(key, value string) {
		t := b.Table(layout.TableProperties, 0, layout.ColumnSymbol, layout.ColumnSymbol)
		t.Row(uint64(b.Symbol(key)), uint64(b.Symbol(value)))
	}
	set(PropertyVM, b.vm.info)
	set(hotspot.PropertyInterpreted, hotspot.OwnInterpreted)
	if _, ok := b.vm.flags["EnableJVMCI"]; !ok {
		set(hotspot.PropertyReasons, "plain")
	}
	for _, name := range shapingFlags {
		if value, ok := b.vm.flags[name].text(b.names.src); ok {
			set(PropertyFlag+name, value)
		}
	}
}
