package iprof

import (
	"slices"
	"strings"
)

// A sectionKind is the meaning of a key of the file.
type sectionKind uint8

const (
	foreign      sectionKind = 0 // an unknown key, or one with another value than it should have
	version      sectionKind = 1
	types        sectionKind = 2
	methods      sectionKind = 3
	calls        sectionKind = 4
	conditionals sectionKind = 5
	virtuals     sectionKind = 6
	instanceofs  sectionKind = 7
	monitors     sectionKind = 8
	samples      sectionKind = 9
	sectionKinds             = 10
)

var sectionKeys = [sectionKinds]string{
	version: "version", types: "types", methods: "methods", calls: "callCountProfiles",
	conditionals: "conditionalProfiles",
	virtuals:     "virtualInvokeProfiles", instanceofs: "instanceofProfiles", monitors: "monitorProfiles",
	samples: "samplingProfiles",
}

// oldKeys are the keys of version 0.2.0 that differ.
var oldKeys = map[string]sectionKind{
	"hotnessPoints": calls, "conditionalPoints": conditionals, "invokePoints": virtuals, oldMonitors: monitors,
}

// oldMonitors holds one record instead of a list.
const oldMonitors = "monitorsProfile"

var kindOf = func() map[string]sectionKind {
	kinds := map[string]sectionKind{}
	for k, key := range sectionKeys {
		if key != "" {
			kinds[key] = sectionKind(k)
		}
	}
	return kinds
}()

// inProfiles reports whether the records of a section are entries of profiles.
func (k sectionKind) inProfiles() bool { return k >= calls && k <= instanceofs }

// width returns the number of integers in a row of a record.
func (k sectionKind) width() int {
	switch k {
	case conditionals:
		return 3
	case virtuals, instanceofs, monitors:
		return 2
	}
	return 1
}

// The orders in which versions of GraalVM write the keys.
var (
	order04 = []sectionKind{version, types, methods, monitors, virtuals, calls, conditionals, samples}
	order10 = []sectionKind{version, types, methods, calls, conditionals, virtuals, monitors, samples}
	order11 = []sectionKind{version, types, methods, calls, conditionals, virtuals, instanceofs, monitors, samples}
)

// oldVersion reports whether a version is spelled like 0.2.0.
func oldVersion(v string) bool {
	minor, ok := strings.CutPrefix(v, "0.")
	return ok && minor[0] < '4' && minor[1] == '.'
}

// Versions lists the versions that Write writes.
var Versions = []string{"0.4.0", "1.0.0", "1.1.0"}

func keyOrder(v string) []sectionKind {
	switch v {
	case "0.4.0":
		return order04
	case "1.1.0":
		return order11
	}
	return order10
}

// A recording is the content of a file, with its ids: they are resolved after the whole
// file was read, since keys may have any order.
type recording struct {
	version  string
	old      bool // it may be spelled like 0.2.0
	sections []section

	types   []typeRow
	methods methodRows
	nodes   contextTrie
	records []record // of all sections whose records are entries of profiles
	values  []int64  // of all records
	monitor []int64  // type id, count; ...
	stacks  []stack
	frames  []frame // of all stacks, leaf first

	odd   int     // items that are left out, or have members that are
	named []int64 // ids of methods in items that are left out
}

// A section is the value of a key.
type section struct {
	kind  sectionKind
	key   string // as it is spelled
	items int
	text  string // the whole value, if the kind is foreign
	// first and count are its records, if these are entries of profiles.
	first, count int
}

type typeRow struct {
	id   int64
	name string // as spelled in type keys
}

// A frame is a place in a method.
type frame struct {
	id    int64
	point int32
}

// A record is an item of a section for a method in a context. Its integers are values[first:first+n].
type record struct {
	node  uint32
	point int32
	first int
	n     uint32
	kind  sectionKind
}

// A stack is a sampled stack; its frames are frames[first:first+n].
type stack struct {
	first, n int
	count    int64
}

// room makes room for n more elements. It doubles the slice. append doubles only short
// slices, so that most of the time of an import would go into copying.
func room[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}

// methodRows are the rows of methods in batches, which are never copied. A full batch is
// interned while the next is read. All but the last are full.
type methodRows []methodBatch

// A methodBatch is a batch of rows of methods, with their names and signatures. Its
// elements have no pointers that the garbage collector would follow.
type methodBatch struct {
	rows  []methodRow
	names []byte  // as spelled in keys, one after the other
	ids   []int64 // of signatures, likewise
}

// A methodRow is a method whose name and signature end at those places in its batch.
type methodRow struct {
	id              int64
	nameEnd, idsEnd int
}

const (
	batchShift = 12
	batchSize  = 1 << batchShift
)

func (m methodRows) len() int {
	if len(m) == 0 {
		return 0
	}
	return (len(m)-1)<<batchShift + len(m[len(m)-1].rows)
}

// at returns the batch of a row and the row's place in it.
func (m methodRows) at(row int) (batch *methodBatch, place int) {
	return &m[row>>batchShift], row & (batchSize - 1)
}

// add adds a row and reports whether its batch is full.
func (m *methodRows) add(id int64, name []byte, signature []int64) (full bool) {
	if len(*m) == 0 || len((*m)[len(*m)-1].rows) == batchSize {
		*m = append(*m, m.newBatch())
	}
	batch := &(*m)[len(*m)-1]
	batch.names = append(batch.names, name...)
	batch.ids = append(batch.ids, signature...)
	batch.rows = append(batch.rows, methodRow{id, len(batch.names), len(batch.ids)})
	return len(batch.rows) == batchSize
}

// newBatch returns an empty batch with room for as much as the last one has.
func (m *methodRows) newBatch() methodBatch {
	if len(*m) == 0 {
		return methodBatch{}
	}
	last := &(*m)[len(*m)-1]
	more := func(n int) int { return n + n/8 }
	return methodBatch{make([]methodRow, 0, batchSize), make([]byte, 0, more(len(last.names))),
		make([]int64, 0, more(len(last.ids)))}
}

// nameSpan returns the place of the name of a row.
func (b *methodBatch) nameSpan(place int) (from, to int) {
	if place > 0 {
		from = b.rows[place-1].nameEnd
	}
	return from, b.rows[place].nameEnd
}

// signature returns the ids of a row: the declaring type, the return type and the parameters.
func (b *methodBatch) signature(place int) []int64 {
	from := 0
	if place > 0 {
		from = b.rows[place-1].idsEnd
	}
	return b.ids[from:b.rows[place].idsEnd]
}
