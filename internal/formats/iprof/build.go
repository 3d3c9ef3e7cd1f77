package iprof

import (
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A build puts a recording into a builder: its ids become references.
type build struct {
	*recording
	b      *builder.Builder
	o      ReadOptions
	report *Report

	typeRows, methodRows *idRows
	typeRefs             []builder.TypeRef // by row
	spelled              []string          // by row of types: how a signature spells it
	methodRefs           []builder.MethodRef
	ran                  []bool // by row of methods
	lostTypes            map[int64]builder.TypeRef
	lostMethods          map[int64]builder.MethodRef
	signatures           map[string]string // by the return and parameter ids
	text                 []byte

	next       []uint32 // by record: the next of its node, +1
	first      []uint32 // by node: its first record, +1
	last       []uint32
	profileRef []builder.ProfileRef // by node
	ordinals   map[int]int          // by record, where it is not the next of its profile
	entries    entryScratch
}

func (rec *recording) build(o ReadOptions, report *Report) (*builder.Builder, error) {
	b := &build{
		recording: rec, b: o.Into, o: o, report: report,
		typeRows: newIDRows(len(rec.types)), methodRows: newIDRows(len(rec.methods)),
		lostTypes: map[int64]builder.TypeRef{}, lostMethods: map[int64]builder.MethodRef{},
		signatures: map[string]string{}, ordinals: map[int]int{},
	}
	if b.b == nil {
		b.b = builder.New(layout.DomainGraal, o.Config)
	}
	b.internTypes()
	b.internMethods()
	b.profiles()
	b.monitors()
	b.samples()
	b.seen()
	b.surplus()
	report.Types, report.Methods = len(rec.types), len(rec.methods)
	report.Stacks, report.Dangling = len(rec.stacks), len(b.lostTypes)+len(b.lostMethods)
	return b.b, b.b.Err()
}

// internTypes interns the rows of types, each as one of its own.
func (b *build) internTypes() {
	b.typeRefs = make([]builder.TypeRef, len(b.types))
	b.spelled = make([]string, len(b.types))
	taken := map[builder.TypeRef]bool{}
	for i, t := range b.types {
		ref, number := b.b.Type(builder.TypeKey{Name: t.name}), ""
		for n := 2; taken[ref]; n++ {
			number = numbered(n)
			ref = b.b.Type(builder.TypeKey{Name: t.name, Loader: number})
			b.b.DescribeType(ref, builder.TypeInfo{Flags: layout.TypeNotMatchable})
		}
		taken[ref] = true
		b.typeRefs[i], b.spelled[i] = ref, signatureName(t.name, number)
		b.typeRows.put(t.id, i)
	}
}

// typeOf is the type of an id.
func (b *build) typeOf(id int64) builder.TypeRef {
	if row, ok := b.typeRows.row(id); ok {
		return b.typeRefs[row]
	}
	ref, ok := b.lostTypes[id]
	if !ok {
		ref = b.b.Type(builder.TypeKey{Name: idName(id)})
		b.b.DescribeType(ref, builder.TypeInfo{Flags: layout.TypeNotMatchable})
		b.lostTypes[id] = ref
	}
	return ref
}

// internMethods interns the rows of methods, each as one of its own.
func (b *build) internMethods() {
	b.methodRefs = make([]builder.MethodRef, len(b.methods))
	b.ran = make([]bool, len(b.methods))
	taken := make([]bool, len(b.methods)+1)
	for i, m := range b.methods {
		key := b.key(m)
		ref := b.b.Method(key)
		for n := 2; has(taken, ref); n++ {
			again := key
			again.Signature += numbered(n)
			ref = b.b.Method(again)
			b.b.DescribeMethod(ref, builder.MethodInfo{Flags: layout.MethodNotMatchable})
		}
		for len(taken) <= int(ref) {
			taken = append(taken, false)
		}
		taken[ref] = true
		b.methodRefs[i] = ref
		b.methodRows.put(m.id, i)
	}
}

func has(taken []bool, ref builder.MethodRef) bool { return int(ref) < len(taken) && taken[ref] }

// key is the key of a row of methods.
func (b *build) key(m methodRow) layout.Key {
	k := layout.Key{Name: m.name}
	ids := b.sigIDs[m.first : m.first+m.n]
	if len(ids) == 0 {
		return k
	}
	row, ok := b.typeRows.row(ids[0])
	if !ok {
		b.typeOf(ids[0])
		k.Class = idName(ids[0])
	} else {
		k.Class = b.types[row].name
		if number := b.spelled[row][len(signatureName(k.Class, "")):]; k.Class != "" {
			k.Loader = number
		}
	}
	k.Signature = b.signature(ids[1:])
	if k.Class == "" {
		k.Signature = noNameClass + k.Signature
	}
	return k
}

// signature spells the return and parameter types of a method. Many methods
// share one.
func (b *build) signature(ids []int64) string {
	if len(ids) == 0 {
		return ""
	}
	b.text = b.text[:0]
	for _, id := range ids {
		b.text = append(strconv.AppendInt(b.text, id, 36), ' ')
	}
	if s, ok := b.signatures[string(b.text)]; ok {
		return s
	}
	same := string(b.text)
	b.text = append(append(b.text[:0], b.spelledType(ids[0])...), '(')
	for i, id := range ids[1:] {
		if i > 0 {
			b.text = append(b.text, ',')
		}
		b.text = append(b.text, b.spelledType(id)...)
	}
	s := string(append(b.text, ')'))
	b.signatures[same] = s
	return s
}

func (b *build) spelledType(id int64) string {
	if row, ok := b.typeRows.row(id); ok {
		return b.spelled[row]
	}
	b.typeOf(id)
	return idName(id)
}

// methodOf is the method of an id; it ran.
func (b *build) methodOf(id int64) builder.MethodRef {
	if row, ok := b.methodRows.row(id); ok {
		b.ran[row] = true
		return b.methodRefs[row]
	}
	ref, ok := b.lostMethods[id]
	if !ok {
		ref = b.b.Method(layout.Key{Name: idName(id)})
		b.b.DescribeMethod(ref, builder.MethodInfo{Flags: layout.MethodNotMatchable})
		b.lostMethods[id] = ref
	}
	return ref
}

// seen records the methods that were instrumented and never ran.
func (b *build) seen() {
	for i, ran := range b.ran {
		if !ran {
			b.b.Seen(b.methodRefs[i])
			b.report.Seen++
		}
	}
}

func (b *build) monitors() {
	if len(b.monitor) == 0 {
		return
	}
	t := b.b.Table(layout.TableMonitors, 0, layout.ColumnType, layout.ColumnWord)
	for i := 0; i < len(b.monitor); i += 2 {
		t.Row(uint64(b.typeOf(b.monitor[i])), uint64(b.monitor[i+1]))
	}
}

func (b *build) samples() {
	if len(b.stacks) == 0 {
		return
	}
	t := b.b.Table(layout.TableSamples, 0, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord)
	for i, s := range b.stacks {
		for _, f := range b.frames[s.first : s.first+s.n] {
			t.Row(uint64(i), uint64(b.methodOf(f.id)), uint64(int64(f.point)), uint64(s.count))
		}
	}
}
