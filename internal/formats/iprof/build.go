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

	arrivals chan arrival // of methods, while the file is read
	interned sync.WaitGroup
	arrival  // the last: the methods of the file, and their signatures

	typeRows, methodRows idRows
	typeRefs             []builder.TypeRef // by row; behind those of the file are those of ids without one
	numbers, spelled     []string          // by row of types: the number of its name, how a signature spells it
	methodRefs           []builder.MethodRef
	ran                  []bool // by row of methods
	taken                refSet // methods of rows
	signatures           signatureTable
	group                methodScratch
	text                 []byte

	next       []uint32 // by record: the next of its node, +1
	first      []uint32 // by node: its first record, +1
	last       []uint32
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

// An arrival is what was read so far of methods: slices of a recording that
// grow behind their ends only.
type arrival struct {
	methods []methodRow
	sigIDs  []int64 // signatures of all methods
}

// arrive interns the methods that the recording has so far, and before them the
// types, of which it has all, while the rest of the file is read.
func (b *build) arrive() {
	if b.arrivals == nil {
		b.arrivals = make(chan arrival, 1)
		b.interned.Go(func() {
			b.internTypes()
			for b.arrival = range b.arrivals {
				b.internMethods()
			}
		})
	}
	b.arrivals <- b.recording.arrival
}

// stop waits until what arrived is interned.
func (b *build) stop() {
	if b.arrivals != nil {
		close(b.arrivals)
		b.interned.Wait()
	}
}

// finish interns all that the recording has.
func (b *build) finish() (*builder.Builder, error) {
	b.arrive()
	b.stop()
	b.profiles()
	b.monitors()
	b.samples()
	b.ranByText()
	b.seen()
	b.surplus()
	b.report.Types, b.report.Methods = len(b.types), len(b.methods)
	b.report.Repeated = b.typeRows.repeated + b.methodRows.repeated
	b.report.Stacks, b.report.Dangling = len(b.stacks), len(b.typeRefs)+len(b.methodRefs)-len(b.types)-len(b.methods)
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

// key is the key of a row of methods.
func (b *build) key(m methodRow) layout.Key {
	k := layout.Key{Name: m.name}
	ids := b.sigIDs[m.first : m.first+m.n]
	if len(ids) == 0 {
		return k
	}
	b.typeOf(ids[0])
	row, _ := b.typeRows.row(ids[0])
	k.Signature = string(b.spell(ids[1:]))
	switch {
	case row >= len(b.types):
		k.Class = idName(ids[0])
	case b.types[row].name == "":
		k.Signature = b.spelled[row] + noNameEnd + k.Signature
	default:
		k.Class, k.Loader = b.types[row].name, b.numbers[row]
	}
	return k
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
	for i, m := range b.methods {
		if row, _ := b.methodRows.row(m.id); !b.ran[row] {
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
