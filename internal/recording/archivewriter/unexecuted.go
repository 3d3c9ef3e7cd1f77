package archivewriter

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// neverRanRows are the methods that have a row instead of a record. They never ran, and only their keys are known; see
// disk.UnexecutedRow.
type neverRanRows struct {
	classes []disk.ClassRow // Holder is a TypeRef
	methods []uint32        // ranks of the methods
}

// meet marks a method that ran. A table or the profile of another method refers to it as a callee, a caller in a
// context, or a frame of a sampled stack.
func (p *plan) meet(m profileset.MethodRef) {
	if m == 0 {
		return
	}
	if p.met == nil {
		p.met = make([]bool, p.b.Methods.Len())
	}
	p.met[m-1] = true
}

// meetCallers calls meet for the methods of contexts and sampled stacks. measureProfiles does so for the methods that
// entries refer to.
func (p *plan) meetCallers() {
	for _, c := range p.b.Contexts.All {
		p.meet(c.Caller)
	}
	samples := p.b.Tables[disk.TableSamples]
	if samples == nil {
		return
	}
	method := slices.Index(samples.Columns, disk.ColumnMethod)
	for row := range samples.Rows() {
		p.meet(profileset.MethodRef(samples.Cells[row*len(samples.Columns)+method]))
	}
}

func (p *plan) ran(method int) bool {
	return p.records[method].first != 0 || len(p.contextsOf(method)) > 0 || p.met != nil && p.met[p.o.methods[method]-1]
}

func (p *plan) planNeverRan() {
	if p.neverRan == 0 {
		return
	}
	alone := p.typesOfOneName()
	last := profileset.TypeRef(0)
	rows := make([]bool, len(p.records)) // small enough to stay in a cache
	for i, ref := range p.o.methods {
		r := &p.records[i]
		holder := p.b.Methods.At(uint32(ref)).Holder
		if r.flags != disk.MethodHasID|disk.MethodDeclared|disk.MethodUnexecuted || holder == 0 || !alone[holder-1] {
			continue
		}
		rows[i] = true
		r.units = 0
		if holder != last {
			last = holder
			p.rows.classes = append(p.rows.classes, disk.ClassRow{Holder: layout.Ref(holder)})
		}
		p.rows.methods = append(p.rows.methods, uint32(i))
		p.rows.classes[len(p.rows.classes)-1].End = uint32(len(p.rows.methods))
	}
	p.hashed = slices.DeleteFunc(p.hashed, func(k intern.SortKey) bool {
		i := int(k.Ref) - len(p.o.types)
		return i >= 0 && i < len(rows) && rows[i]
	})
}

func (p *plan) hasRow(method int) bool { return p.records[method].units == 0 }

// typesOfOneName reports for each type, by TypeRef-1, whether it has no loader and a nonempty name that no other type
// has. Such types sort like the classes in keys.
func (p *plan) typesOfOneName() []bool {
	alone := make([]bool, len(p.o.types))
	types := &p.b.Types
	for i, ref := range p.o.types {
		t := types.At(uint32(ref))
		alone[ref-1] = t.Loader == 0 && t.Name != 0 && p.b.Text(t.Name) != ""
		if i > 0 && types.At(uint32(p.o.types[i-1])).Name == t.Name {
			alone[ref-1], alone[p.o.types[i-1]-1] = false, false
		}
	}
	return alone
}

func (p *plan) locateNeverRan() {
	at := p.sectionStart(disk.PartUnexecuted) + disk.UnexecutedHeaderSize + int64(len(p.rows.classes))*disk.ClassRowSize
	for _, i := range p.rows.methods {
		p.methods[i] = disk.RefOf(at)
		at += disk.UnexecutedRowSize
	}
}

func (p *plan) appendNeverRan(b []byte) []byte {
	if len(p.rows.methods) == 0 {
		return b
	}
	b = disk.AppendUnexecutedHeader(b, len(p.rows.classes))
	for _, c := range p.rows.classes {
		b = disk.ClassRow{Holder: p.typeAt(profileset.TypeRef(c.Holder)), End: c.End}.Append(b)
	}
	for _, i := range p.rows.methods {
		m := p.b.Methods.At(uint32(p.o.methods[i]))
		b = disk.UnexecutedRow{Name: p.symbolAt(m.Name), Signature: p.symbolAt(m.Signature)}.Append(b)
	}
	return b
}
