package iprof

import (
	"cmp"
	"slices"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/rawprofile"
	"github.com/profarc/profarc/layout"
)

// A build adds a recording to a builder, with references instead of ids.
type build struct {
	*recording
	b      *builder.Builder
	o      ReadOptions
	report *Report
	intake intake // of methods, while the file is read

	typeRows, methodRows idRows
	typeRefs             []builder.TypeRef // by row; ids without a row follow the file's
	numbers, spelled     []string          // by row of types: the duplicate mark of its name, its spelling in signatures
	methodRefs           []builder.MethodRef
	ran                  []bool // by row of methods
	taken                refSet // methods of rows
	doubled              []int  // rows of methods that have the key of an earlier row

	next       []uint32 // by record: the next of its node, +1
	first      []uint32 // by node: its first record, +1
	last       []uint32
	places     []nodePlace          // by node
	profileRef []builder.ProfileRef // by node
	ordinals   map[int]int          // by record, if it is not the next one of its profile
	entries    entryScratch
}

func newBuild(rec *recording, o ReadOptions, report *Report) *build {
	return &build{
		recording: rec, b: builder.New(layout.DomainGraal, o.Config), o: o, report: report,
		ordinals: map[int]int{},
	}
}

// finish adds the whole recording.
func (b *build) finish() (*builder.Builder, error) {
	b.internArrived()
	b.linkRecords()
	b.waitForIntake()
	var sorting sync.WaitGroup
	defer sorting.Wait()
	sorting.Go(rawprofile.Set(b.b).SortSymbols)
	b.numberDuplicates()
	b.dropMethodRows()
	b.addProfiles()
	b.addMonitors()
	b.addSamples()
	b.markExecutedByText()
	if b.report.Salvage == nil { // the missing part may show that they ran
		b.markUnexecuted()
	}
	b.addRest()
	b.report.Types, b.report.Methods = len(b.types), b.methods.len()
	b.report.Repeated = b.typeRows.repeated + b.methodRows.repeated
	b.report.Stacks, b.report.Dangling = len(b.stacks), len(b.typeRefs)+len(b.methodRefs)-len(b.types)-b.methods.len()
	return b.b, b.b.Err()
}

// internTypes interns the rows of types, each as a type of its own.
func (b *build) internTypes() {
	b.typeRefs = make([]builder.TypeRef, len(b.types))
	b.spelled = make([]string, len(b.types))
	b.numbers = make([]string, len(b.types))
	taken := make(refSet, len(b.types)+1)
	for i, t := range b.types {
		ref := b.b.Type(builder.TypeKey{Name: t.name})
		number := ""
		for n := 2; taken.has(uint32(ref)); n++ {
			number = duplicateMark(n)
			ref = b.b.Type(builder.TypeKey{Name: t.name, Loader: number})
			b.b.DescribeType(ref, "", layout.TypeNotMatchable)
		}
		taken.add(uint32(ref))
		b.typeRefs[i], b.numbers[i], b.spelled[i] = ref, number, signatureName(t.name, number)
		b.typeRows.add(t.id, i)
	}
}

// typeOf returns the type of an id.
func (b *build) typeOf(id int64) builder.TypeRef {
	if row, ok := b.typeRows.row(id); ok {
		return b.typeRefs[row]
	}
	ref := b.b.Type(builder.TypeKey{Name: idName(id)})
	b.b.DescribeType(ref, "", layout.TypeNotMatchable)
	b.typeRows.add(id, len(b.typeRefs))
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

// methodOf returns the method of an id and marks it executed.
func (b *build) methodOf(id int64) builder.MethodRef {
	if row, ok := b.methodRows.row(id); ok {
		b.ran[row] = true
		return b.methodRefs[row]
	}
	ref := b.b.Method(layout.Key{Name: idName(id)})
	b.b.DescribeMethod(ref, 0, layout.MethodNotMatchable)
	b.methodRows.add(id, len(b.methodRefs))
	b.methodRefs, b.ran = append(b.methodRefs, ref), append(b.ran, true)
	return ref
}

// markUnexecuted adds the methods that were instrumented and are unexecuted. If several
// rows have an id that is used, it is not known which of them ran.
func (b *build) markUnexecuted() {
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

func (b *build) addMonitors() {
	if len(b.monitor) == 0 {
		return
	}
	t := b.b.Table(disk.TableMonitors, 0)
	for i := 0; i < len(b.monitor); i += 2 {
		t.Row(uint64(b.typeOf(b.monitor[i])), uint64(b.monitor[i+1]))
	}
}

func (b *build) addSamples() {
	if len(b.stacks) == 0 {
		return
	}
	t := b.b.Table(disk.TableSamples, 0)
	for i, s := range b.stacks {
		for _, f := range b.frames[s.first : s.first+s.n] {
			t.Row(uint64(i), uint64(b.methodOf(f.id)), uint64(int64(f.point)), uint64(s.count))
		}
	}
}

// entryScratch is reused for every profile.
type entryScratch struct {
	successors []builder.Successor
	rows       []builder.Row
	ordered    [sectionKinds][]uint32 // records of the profile by section, in the order of the file
	sorted     []uint32
}

// addProfiles makes one profile of all records of a method in a context.
func (b *build) addProfiles() {
	b.placeNodes()
	for node := range b.nodes.nodes {
		if b.first[node] != 0 {
			b.addProfile(uint32(node) + 1)
		}
	}
	b.report.Entries += len(b.records)
}

// A nodePlace is the method and the context of a node of the trie.
type nodePlace struct {
	method  builder.MethodRef
	context builder.ContextRef
}

// placeNodes interns the contexts of all nodes, parents first.
func (b *build) placeNodes() {
	b.places = make([]nodePlace, len(b.nodes.nodes))
	for i := range b.nodes.nodes { // a short loop, so that cache misses overlap
		b.places[i].method = b.methodOf(b.nodes.nodes[i].id)
	}
	for i := range b.nodes.nodes {
		n := &b.nodes.nodes[i]
		place := &b.places[i]
		if n.parent == 0 {
			continue
		}
		caller := place.method
		inner := b.places[n.parent-1]
		place.method = inner.method
		place.context = rawprofile.Set(b.b).OuterContext(inner.method, inner.context, caller, n.point)
	}
}

// linkRecords links the records of each node in the order of the file.
func (b *build) linkRecords() {
	n := len(b.nodes.nodes)
	b.first = make([]uint32, n)
	b.last = make([]uint32, n)
	b.next = make([]uint32, len(b.records))
	b.profileRef = make([]builder.ProfileRef, n)
	for i := range b.records {
		node := b.records[i].node - 1
		if b.first[node] == 0 {
			b.first[node] = uint32(i) + 1
		} else {
			b.next[b.last[node]-1] = uint32(i) + 1
		}
		b.last[node] = uint32(i) + 1
	}
}

func (b *build) addProfile(node uint32) {
	at := b.places[node-1]
	p := b.b.ProfileIn(at.method, 0, at.context)
	b.profileRef[node-1] = p.Ref()
	s := &b.entries
	for k := range s.ordered {
		s.ordered[k] = s.ordered[k][:0]
	}
	invoked := false
	for i := b.first[node-1]; i != 0; i = b.next[i-1] {
		r := &b.records[i-1]
		s.ordered[r.kind] = append(s.ordered[r.kind], i-1)
		b.addEntry(p, r, &invoked)
	}
	for _, of := range s.ordered {
		b.findOrdinals(of)
	}
	b.report.Profiles++
	_ = p.Done() // the builder keeps the error
}

// addEntry adds a record to a profile. The call count at bci 0 is how often the method
// itself was called in this context, which is the invocation counter.
func (b *build) addEntry(p *builder.Profile, r *record, invoked *bool) {
	v := b.values[r.first : r.first+int(r.n)]
	switch r.kind {
	case calls:
		if r.point == 0 && !*invoked {
			*invoked = true
			p.Invocations(uint64(v[0]))
			return
		}
		p.Count(builder.Count{Point: r.point, Sub: layout.SubCalls, N: uint64(v[0])})
	case conditionals:
		rows := b.entries.successors[:0]
		for i := 0; i < len(v); i += 3 {
			rows = append(rows, builder.Successor{Point: int32(v[i]), Index: uint32(v[i+1]), Count: uint64(v[i+2])})
		}
		b.entries.successors = rows
		p.Successors(r.point, layout.SubConditional, rows...)
	case virtuals, instanceofs:
		rows := b.entries.rows[:0]
		for i := 0; i < len(v); i += 2 {
			rows = append(rows, builder.Row{Type: b.typeOf(v[i]), Count: uint64(v[i+1])})
		}
		b.entries.rows = rows
		sub := layout.SubVirtualCall
		if r.kind == instanceofs {
			sub = layout.SubTypeCheck
		}
		p.Receivers(builder.Receivers{Point: r.point, Sub: sub}, rows...)
	}
}

// findOrdinals records the places of records of one section and profile that are not in
// the order of an archive: the invocation counter, then by point.
func (b *build) findOrdinals(of []uint32) {
	if len(of) < 2 {
		return
	}
	counter := -1
	if b.records[of[0]].kind == calls {
		counter = slices.IndexFunc(of, func(i uint32) bool { return b.records[i].point == 0 })
	}
	point := func(at uint32) int64 {
		if int(at) == counter {
			return -1 << 40
		}
		return int64(b.records[of[at]].point)
	}
	sorted := b.entries.sorted[:0]
	for at := range of {
		sorted = append(sorted, uint32(at))
	}
	byPoint := func(x, y uint32) int { return cmp.Compare(point(x), point(y)) }
	b.entries.sorted = sorted
	if slices.IsSortedFunc(sorted, byPoint) {
		return
	}
	slices.SortStableFunc(sorted, byPoint)
	ordinal := make([]int, len(of))
	for n, at := range sorted {
		ordinal[at] = n
	}
	expected := 0
	for at, i := range of {
		if ordinal[at] != expected {
			b.ordinals[int(i)] = ordinal[at]
		}
		expected = ordinal[at] + 1
	}
}
