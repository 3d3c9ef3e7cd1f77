package iprof

import (
	"cmp"
	"slices"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

type build struct {
	*recording
	b       *builder.Builder
	options *codec.Input
	report  *Report
	intake  intake // interns methods while the file is read

	typeRows, methodRows idRows
	typeRefs             []builder.TypeRef // types by row, then ids without a row
	numbers, spelled     []string          // duplicate marks and spellings in signatures, by type row
	methodRefs           []builder.MethodRef
	ran                  []bool // executed methods, by row
	taken                refSet // methods that have a row
	doubled              []int  // rows of methods with the key of an earlier row

	next         []uint32 // index + 1 of the node's next record, by record
	first        []uint32 // index + 1 of the first record, by node
	last         []uint32
	nodeProfiles []methodInContext       // methods in contexts, by node
	profileRef   []profileset.ProfileRef // profiles, by node
	invocations  uint64                  // total of the call counts that became invocation counters
	ordinals     map[int]int             // ordinals by record, unless it is the next one in its profile
	entries      entryScratch
}

func (b *build) addRecording() (*builder.Builder, error) {
	b.internArrived()
	b.linkRecords()
	b.waitForIntake()
	b.numberDuplicates()
	b.dropMethodRows()
	b.addProfiles()
	b.addMonitors()
	b.addSamples()
	b.markExecutedByText()
	if b.report.Salvage == nil { // the missing part can contain their counts
		b.markUnexecuted()
	}
	b.addTotals()
	b.addMetadata()
	b.report.Types, b.report.Methods = len(b.types), b.methods.rowCount()
	b.report.Repeated = b.typeRows.repeated + b.methodRows.repeated
	b.report.Stacks, b.report.Dangling = len(b.stacks), len(b.typeRefs)+len(b.methodRefs)-len(b.types)-b.methods.rowCount()
	return b.b, b.b.Err()
}

// addTotals adds the counts of the records to the totals.
func (b *build) addTotals() {
	totals := ledger.Totals(b.report.Totals)
	totals.Add(ledger.Invocations, b.invocations)
	var sums [sectionKinds]uint64
	for i := range b.records {
		r := &b.records[i]
		sums[r.kind] += r.kind.sumCounts(b.values[r.first : r.first+int(r.n)])
	}
	sums[calls] -= b.invocations
	sums[monitors] = monitors.sumCounts(b.monitor)
	for i := range b.stacks {
		sums[samples] += uint64(b.stacks[i].count)
	}
	for kind, sum := range sums {
		totals.Add(sectionKind(kind).unit(), sum)
	}
}

// internTypes interns the rows of types. Each row becomes a distinct type.
func (b *build) internTypes() {
	b.typeRefs = make([]builder.TypeRef, len(b.types))
	b.spelled = make([]string, len(b.types))
	b.numbers = make([]string, len(b.types))
	taken := make(refSet, len(b.types)+1)
	free := make(map[builder.TypeRef]int) // first free number by type
	for i, t := range b.types {
		ref := b.b.Type(builder.TypeKey{Name: t.name})
		number := ""
		first := ref
		n := max(2, free[first])
		for ; taken.containsRef(uint32(ref)) && b.b.Err() == nil; n++ {
			number = duplicateMark(n)
			ref = b.b.Type(builder.TypeKey{Name: t.name, Loader: number})
			b.b.Internal().DescribeType(ref, "", layout.TypeNotMatchable)
		}
		free[first] = n
		taken.insertRef(uint32(ref))
		b.typeRefs[i], b.numbers[i], b.spelled[i] = ref, number, signatureName(t.name, number)
		b.typeRows.setRow(t.id, i)
	}
}

func (b *build) typeForID(id int64) builder.TypeRef {
	if row, ok := b.typeRows.rowOfID(id); ok {
		return b.typeRefs[row]
	}
	ref := b.b.Type(builder.TypeKey{Name: formatIDName(id)})
	b.b.Internal().DescribeType(ref, "", layout.TypeNotMatchable)
	b.typeRows.setRow(id, len(b.typeRefs))
	b.typeRefs, b.spelled, b.numbers = append(b.typeRefs, ref), append(b.spelled, formatIDName(id)), append(b.numbers, "")
	return ref
}

// A refSet is a set of references, which are dense.
type refSet []bool

func (s refSet) containsRef(ref uint32) bool { return int(ref) < len(s) && s[ref] }

func (s *refSet) insertRef(ref uint32) {
	for len(*s) <= int(ref) {
		*s = append(*s, false)
	}
	(*s)[ref] = true
}

func (b *build) methodForID(id int64) builder.MethodRef {
	if row, ok := b.methodRows.rowOfID(id); ok {
		b.ran[row] = true
		return b.methodRefs[row]
	}
	ref := b.b.Method(layout.Key{Name: formatIDName(id)})
	b.b.Internal().DescribeMethod(ref, 0, layout.MethodNotMatchable)
	b.methodRows.setRow(id, len(b.methodRefs))
	b.methodRefs, b.ran = append(b.methodRefs, ref), append(b.ran, true)
	return ref
}

// markUnexecuted adds the instrumented methods without counts. A used id marks all of its rows as executed, since the
// row that ran is unknown.
func (b *build) markUnexecuted() {
	row := 0
	for _, batch := range b.methods {
		var idle []builder.MethodRef
		for _, m := range batch.rows {
			if first, _ := b.methodRows.rowOfID(m.id); !b.ran[first] {
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
	t := b.b.Internal().Table(disk.TableMonitors, 0)
	for i := 0; i < len(b.monitor); i += 2 {
		t.Row(uint64(b.typeForID(b.monitor[i])), uint64(b.monitor[i+1]))
	}
}

func (b *build) addSamples() {
	if len(b.stacks) == 0 {
		return
	}
	t := b.b.Internal().Table(disk.TableSamples, 0)
	for i, s := range b.stacks {
		for _, f := range b.frames[s.first : s.first+s.n] {
			t.Row(uint64(i), uint64(b.methodForID(f.id)), uint64(int64(f.point)), uint64(s.count))
		}
	}
}

type entryScratch struct {
	successors []builder.Successor
	rows       []builder.Row
	ordered    [sectionKinds][]uint32 // records of the profile by section, in file order
	sorted     []uint32
}

func (b *build) addProfiles() {
	b.internContexts()
	for node := range b.nodes.nodes {
		if b.first[node] != 0 {
			b.addProfile(uint32(node) + 1)
		}
	}
	b.report.Entries += len(b.records)
}

type methodInContext struct {
	method  builder.MethodRef
	context builder.ContextRef
}

func (b *build) internContexts() {
	b.nodeProfiles = make([]methodInContext, len(b.nodes.nodes))
	for i := range b.nodes.nodes { // short, so that cache misses overlap
		b.nodeProfiles[i].method = b.methodForID(b.nodes.nodes[i].id)
	}
	for i := range b.nodes.nodes {
		n := &b.nodes.nodes[i]
		place := &b.nodeProfiles[i]
		if n.parent == 0 {
			continue
		}
		caller := place.method
		inner := b.nodeProfiles[n.parent-1]
		place.method = inner.method
		place.context = b.b.Internal().OuterContext(inner.method, inner.context, caller, n.point)
	}
}

func (b *build) linkRecords() {
	n := len(b.nodes.nodes)
	b.first = make([]uint32, n)
	b.last = make([]uint32, n)
	b.next = make([]uint32, len(b.records))
	b.profileRef = make([]profileset.ProfileRef, n)
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
	at := b.nodeProfiles[node-1]
	p := b.b.ProfileIn(at.method, 0, at.context)
	b.profileRef[node-1] = p.Internal().Ref()
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

// addEntry adds a record to a profile. The call count at bci 0 counts calls of the method in this context, so it
// becomes the invocation counter.
func (b *build) addEntry(p *builder.Profile, r *record, invoked *bool) {
	v := b.values[r.first : r.first+int(r.n)]
	switch r.kind {
	case calls:
		if r.point == 0 && !*invoked {
			*invoked = true
			p.Invocations(uint64(v[0]))
			b.invocations += uint64(v[0])
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
			rows = append(rows, builder.Row{Type: b.typeForID(v[i]), Count: uint64(v[i+1])})
		}
		b.entries.rows = rows
		sub := layout.SubVirtualCall
		if r.kind == instanceofs {
			sub = layout.SubTypeCheck
		}
		p.Receivers(builder.Receivers{Point: r.point, Sub: sub}, rows...)
	}
}

// findOrdinals stores the ordinals of one section's records in a profile if the file has them in another order than
// the archive. An archive has the invocation counter first and then the points in ascending order.
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

// An intake interns types and methods while the rest of the file is read.
type intake struct {
	arrived chan methodRows // rows that were read
	wait    sync.WaitGroup
}

// internArrived interns all types and the methods read by now, concurrently with the parser, which it never blocks.
// Later calls include the rows that are not yet interned.
func (b *build) internArrived() {
	in := &b.intake
	if in.arrived == nil {
		in.arrived = make(chan methodRows, 1)
		in.wait.Go(func() {
			b.internTypes()
			done := 0
			for all := range in.arrived {
				for ; done < len(all); done++ {
					b.internMethods(&all[done])
				}
			}
		})
	}
	select {
	case <-in.arrived:
	default:
	}
	in.arrived <- b.methods
}

func (b *build) waitForIntake() {
	if b.intake.arrived != nil {
		close(b.intake.arrived)
		b.intake.wait.Wait()
	}
}

func (b *build) internMethods(batch *methodBatch) {
	first := len(b.methodRefs)
	b.methodRefs = append(growDoubling(b.methodRefs, len(batch.rows)), make([]builder.MethodRef, len(batch.rows))...)
	b.ran = append(growDoubling(b.ran, len(batch.rows)), make([]bool, len(batch.rows))...)
	for i := range batch.rows {
		from, end := batch.nameSpan(i)
		b.methodRefs[first+i] = b.b.Method(b.methodKey(string(batch.names[from:end]), batch.signature(i)))
		b.methodRows.setRow(batch.rows[i].id, first+i)
		if ref := uint32(b.methodRefs[first+i]); b.taken.containsRef(ref) {
			b.doubled = append(b.doubled, first+i)
		} else {
			b.taken.insertRef(ref)
		}
	}
}

func (b *build) methodKey(name string, signature []int64) layout.Key {
	k := layout.Key{Name: name}
	if len(signature) == 0 {
		return k
	}
	b.typeForID(signature[0])
	row, _ := b.typeRows.rowOfID(signature[0])
	k.Signature = string(b.appendSignature(nil, signature[1:]))
	switch {
	case row >= len(b.types):
		k.Class = formatIDName(signature[0])
	case b.types[row].name == "":
		k.Signature = b.spelled[row] + noNameEnd + k.Signature
	default:
		k.Class = b.types[row].name
		k.Loader = b.numbers[row]
	}
	return k
}

// numberDuplicates gives methods with equal keys distinct signatures. The number is the first free one of the key.
func (b *build) numberDuplicates() {
	free := make(map[builder.MethodRef]int)
	for _, row := range b.doubled {
		batch, place := b.methods.batchOfRow(row)
		from, to := batch.nameSpan(place)
		key := b.methodKey(string(batch.names[from:to]), batch.signature(place))
		signature := key.Signature
		first := b.methodRefs[row]
		n := max(2, free[first])
		for ; b.taken.containsRef(uint32(b.methodRefs[row])) && b.b.Err() == nil; n++ {
			key.Signature = signature + duplicateMark(n)
			b.methodRefs[row] = b.b.Method(key)
			b.b.Internal().DescribeMethod(b.methodRefs[row], 0, layout.MethodNotMatchable)
		}
		free[first] = n
		b.taken.insertRef(uint32(b.methodRefs[row]))
	}
}

func (b *build) dropMethodRows() {
	for i := range b.methods {
		b.methods[i].names, b.methods[i].ids = nil, nil
	}
	b.intake = intake{}
	b.taken = nil
	b.doubled = nil
}

func (b *build) appendSignature(text []byte, ids []int64) []byte {
	if len(ids) == 0 {
		return text
	}
	text = append(append(text, b.spelledType(ids[0])...), '(')
	for i := 1; i < len(ids) && len(text) <= disk.MaxName; i++ { // the builder refuses a longer key
		if i > 1 {
			text = append(text, ',')
		}
		text = append(text, b.spelledType(ids[i])...)
	}
	return append(text, ')')
}

func (b *build) spelledType(id int64) string {
	row, ok := b.typeRows.rowOfID(id)
	if !ok {
		b.typeForID(id)
		row, _ = b.typeRows.rowOfID(id)
	}
	return b.spelled[row]
}
