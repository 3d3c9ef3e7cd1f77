package iprof

import (
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A build puts a recording into a builder: its ids become references.
type build struct {
	*recording
	b      *builder.Builder
	o      ReadOptions
	report *Report
	intake intake // of methods, while the file is read

	typeRows, methodRows idRows
	typeRefs             []builder.TypeRef // by row; behind those of the file are those of ids without one
	numbers, spelled     []string          // by row of types: the number of its name, how a signature spells it
	methodRefs           []builder.MethodRef
	ran                  []bool // by row of methods
	taken                refSet // methods of rows
	doubled              []int  // rows of methods that have the key of a row before

	next       []uint32 // by record: the next of its node, +1
	first      []uint32 // by node: its first record, +1
	last       []uint32
	places     []nodePlace          // by node
	profileRef []builder.ProfileRef // by node
	ordinals   map[int]int          // by record, where it is not the next of its profile
	entries    entryScratch
}

func newBuild(rec *recording, o ReadOptions, report *Report) *build {
	return &build{
		recording: rec, b: builder.New(layout.DomainGraal, o.Config), o: o, report: report,
		ordinals: map[int]int{},
	}
}

// finish interns all that the recording has.
func (b *build) finish() (*builder.Builder, error) {
	b.arrive()
	b.link()
	b.stop()
	var sorting sync.WaitGroup
	defer sorting.Wait()
	sorting.Go(b.b.SortSymbols)
	b.tellApart()
	b.forget()
	b.profiles()
	b.monitors()
	b.samples()
	b.ranByText()
	if b.report.Salvage == nil { // what is missing may say that they ran
		b.seen()
	}
	b.surplus()
	b.report.Types, b.report.Methods = len(b.types), b.methods.len()
	b.report.Repeated = b.typeRows.repeated + b.methodRows.repeated
	b.report.Stacks, b.report.Dangling = len(b.stacks), len(b.typeRefs)+len(b.methodRefs)-len(b.types)-b.methods.len()
	return b.b, b.b.Err()
}

// internTypes interns the rows of types, each as one of its own.
func (b *build) internTypes() {
	b.typeRefs = make([]builder.TypeRef, len(b.types))
	b.spelled, b.numbers = make([]string, len(b.types)), make([]string, len(b.types))
	taken := make(refSet, len(b.types)+1)
	for i, t := range b.types {
		ref, number := b.b.Type(builder.TypeKey{Name: t.name}), ""
		for n := 2; taken.has(uint32(ref)); n++ {
			number = numbered(n)
			ref = b.b.Type(builder.TypeKey{Name: t.name, Loader: number})
			b.b.DescribeType(ref, builder.TypeInfo{Flags: layout.TypeNotMatchable})
		}
		taken.add(uint32(ref))
		b.typeRefs[i], b.numbers[i], b.spelled[i] = ref, number, signatureName(t.name, number)
		b.typeRows.put(t.id, i)
	}
}

// typeOf is the type of an id.
func (b *build) typeOf(id int64) builder.TypeRef {
	if row, ok := b.typeRows.row(id); ok {
		return b.typeRefs[row]
	}
	ref := b.b.Type(builder.TypeKey{Name: idName(id)})
	b.b.DescribeType(ref, builder.TypeInfo{Flags: layout.TypeNotMatchable})
	b.typeRows.put(id, len(b.typeRefs))
	b.typeRefs, b.spelled, b.numbers = append(b.typeRefs, ref), append(b.spelled, idName(id)), append(b.numbers, "")
	return ref
}

// A refSet is a set of references, which are dense.
type refSet []bool

func (s refSet) has(ref uint32) bool { return int(ref) < len(s) && s[ref] }

func (s *refSet) add(ref uint32) {
	for len(*s) <= int(ref) {
		*s = append(*s, false)
	}
	(*s)[ref] = true
}

// methodOf is the method of an id; it ran.
func (b *build) methodOf(id int64) builder.MethodRef {
	if row, ok := b.methodRows.row(id); ok {
		b.ran[row] = true
		return b.methodRefs[row]
	}
	ref := b.b.Method(layout.Key{Name: idName(id)})
	b.b.DescribeMethod(ref, builder.MethodInfo{Flags: layout.MethodNotMatchable})
	b.methodRows.put(id, len(b.methodRefs))
	b.methodRefs, b.ran = append(b.methodRefs, ref), append(b.ran, true)
	return ref
}

// seen records the methods that were instrumented and never ran. Where several
// rows have an id that something names, it is not known which of them ran.
func (b *build) seen() {
	row := 0
	for _, batch := range b.methods {
		var idle []builder.MethodRef
		for _, m := range batch.rows {
			if first, _ := b.methodRows.row(m.id); !b.ran[first] {
				idle = append(idle, b.methodRefs[row])
			}
			row++
		}
		b.b.Seen(idle...)
		b.report.Seen += len(idle)
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
