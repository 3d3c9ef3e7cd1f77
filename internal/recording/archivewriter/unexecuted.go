package archivewriter

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// neverRanRows are the methods that have rows and no records, since they never
// ran and nothing is known of them but their keys; see disk.UnexecutedRow.
type neverRanRows struct {
	classes []disk.ClassRow // holders are TypeRefs
	methods []uint32        // places in the order
}

// meet notes that another method's profile, or a table, shows that a method ran:
// it is a callee, a caller in a context, or on a sampled stack.
func (p *plan) meet(m profileset.MethodRef) {
	if m == 0 {
		return
	}
	if p.met == nil {
		p.met = make([]bool, p.b.Methods.Len())
	}
	p.met[m-1] = true
}

// meetCallers meets the methods of contexts and of sampled stacks. Those that
// entries lead to are met where profiles are measured.
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

// ran reports whether the method at a place in the order ran, as far as the archive knows.
func (p *plan) ran(method int) bool {
	return p.records[method].first != 0 || len(p.contextsOf(method)) > 0 || p.met != nil && p.met[p.o.methods[method]-1]
}

// planNeverRan takes the records of methods for which a row is enough.
func (p *plan) planNeverRan() {
	if p.neverRan == 0 {
		return
	}
	alone := p.typesOfOneName()
	last := profileset.TypeRef(0)
	rows := make([]bool, len(p.records)) // so few bytes that they stay in a cache
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

// hasRow reports whether the method at a place in the order has a row.
func (p *plan) hasRow(method int) bool { return p.records[method].units == 0 }

// typesOfOneName reports of each type, by TypeRef-1, whether it has a name that no
// other has, and no loader: then types are in the order of the classes in keys.
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

// locateNeverRan places the rows.
func (p *plan) locateNeverRan() {
	at := p.sectionStart(disk.PartUnexecuted) + disk.UnexecutedHeaderSize + int64(len(p.rows.classes))*disk.ClassRowSize
	for _, i := range p.rows.methods {
		p.methods[i] = disk.RefOf(at)
		at += disk.UnexecutedRowSize
	}
}

// appendNeverRan appends the section of methods that never ran.
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
