package replay

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
)

// A build is the way of a recording into a builder.
type build struct {
	*builder.Builder
	*recording
	shape   disk.Shape
	report  *Report
	names   map[string]string // the VM's names of hidden classes, by reference
	hidden  map[string]string // what archives call them, by the VM's names
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

// references gives the VM's names of the hidden classes that the file refers to
// by the bytecodes that made them.
func (r *recording) references() map[string]string {
	names := map[string]string{}
	for _, k := range r.klasses {
		if k.kind == kindLoaded && k.comment != "" {
			names[k.name] = k.comment
		}
	}
	return names
}

// vmNames are the names of all classes that the profiles name.
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

// vmName is the VM's name of a class of the file.
func (b *build) vmName(class string) string {
	if name, ok := b.names[class]; ok {
		return name
	}
	return class
}

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

// archiveName is what an archive calls a class of the file.
func (b *build) archiveName(class string) string {
	name := b.vmName(class)
	element := names.Element(name)
	canonical, hidden := b.hidden[element]
	if !hidden {
		return name
	}
	at := strings.Index(name, element) // behind the front of an array's descriptor
	return name[:at] + canonical + name[at+len(element):]
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

// others records the methods that were never called. Those that were, and have
// no method data, stay in the environment.
func (b *build) others(profiled map[methodKey]bool) {
	for _, m := range b.recording.methods {
		if !profiled[m.methodKey] && m.neverRan() {
			b.Seen(b.methodRef(m.methodKey))
		}
	}
}

// neverRan reports whether a method was never called. A VM counts one
// invocation by the interpreter for a method that has no counters.
func (m *method) neverRan() bool {
	return m.invocations == 0 && m.backedges == 0 && m.interpreted <= 1
}
