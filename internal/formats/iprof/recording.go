package iprof

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/ledger"
)

type sectionKind uint8

const (
	foreign      sectionKind = 0 // an unknown key, or a known one with an invalid value
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

func (k sectionKind) inProfiles() bool { return k >= calls && k <= instanceofs }

// unit returns the unit of the counts of a section's records.
func (k sectionKind) unit() ledger.Unit {
	switch k {
	case calls:
		return ledger.Calls
	case conditionals:
		return ledger.BranchCounts
	case virtuals, instanceofs:
		return ledger.TypeCounts
	case monitors:
		return ledger.Monitors
	case samples:
		return ledger.Samples
	}
	return ""
}

// sumCounts returns the total of the counts among the integers of a record. Negative counts are left out.
func (k sectionKind) sumCounts(integers []int64) (sum uint64) {
	width := k.recordWidth()
	for i := width - 1; i < len(integers); i += width {
		sum += uint64(max(integers[i], 0))
	}
	return sum
}

// recordWidth returns the number of integers per row of a record.
func (k sectionKind) recordWidth() int {
	switch k {
	case conditionals:
		return 3
	case virtuals, instanceofs, monitors:
		return 2
	}
	return 1
}

// Key orders of GraalVM's versions.
var (
	order04 = []sectionKind{version, types, methods, monitors, virtuals, calls, conditionals, samples}
	order10 = []sectionKind{version, types, methods, calls, conditionals, virtuals, monitors, samples}
	order11 = []sectionKind{version, types, methods, calls, conditionals, virtuals, instanceofs, monitors, samples}
)

// oldVersion reports whether a version has the keys of 0.2.0.
func oldVersion(v string) bool {
	minor, ok := strings.CutPrefix(v, "0.")
	return ok && minor[0] < '4' && minor[1] == '.'
}

// Versions lists the versions that Write supports.
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

// A recording is the content of a file with its ids. Keys can have any order, so ids are resolved after reading the
// whole file.
type recording struct {
	version  string
	old      bool // the file can have the keys of 0.2.0
	sections []section

	types   []typeRow
	methods methodRows
	nodes   contextTrie
	records []record // records that become profile entries, from all sections
	values  []int64  // concatenated integers of all records
	monitor []int64  // pairs of type id and count
	stacks  []stack
	frames  []frame // concatenated frames of all stacks, leaf first

	odd int // number of items omitted completely or partly
	// lost has the counts of omitted items, and firstOdd names the first few.
	lost     ledger.Totals
	firstOdd []string
	named    []int64 // ids of methods in omitted items
}

// A section is a key with its value.
type section struct {
	kind  sectionKind
	key   string // spelling in the file
	items int
	text  string // whole value of a foreign section
	// first and count are the range of its records if these become profile entries.
	first, count int
}

type typeRow struct {
	id   int64
	name string // spelling in type keys
}

// A frame is a point in a method.
type frame struct {
	id    int64
	point int32
}

// A record is an item for a method in a context. Its integers are values[first:first+n].
type record struct {
	node  uint32
	point int32
	first int
	n     uint32
	kind  sectionKind
}

// A stack is a sampled stack with frames[first:first+n].
type stack struct {
	first, n int
	count    int64
}

// growDoubling reserves capacity for n more elements by doubling the slice. append grows long slices in smaller steps,
// and imports would spend most of their time copying.
func growDoubling[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}

// A methodRows has the method rows in batches that are never copied. A full batch is interned while the next one is
// read. All but the last are full.
type methodRows []methodBatch

// A methodBatch is a batch of method rows. Its elements have no pointers for the garbage collector to follow.
type methodBatch struct {
	rows  []methodRow
	names []byte  // concatenated spellings in keys
	ids   []int64 // concatenated signatures
}

// A methodRow is a method with the end indices of its name and signature in the batch.
type methodRow struct {
	id              int64
	nameEnd, idsEnd int
}

const (
	batchShift = 12
	batchSize  = 1 << batchShift
)

func (m methodRows) rowCount() int {
	if len(m) == 0 {
		return 0
	}
	return (len(m)-1)<<batchShift + len(m[len(m)-1].rows)
}

func (m methodRows) batchOfRow(row int) (batch *methodBatch, place int) {
	return &m[row>>batchShift], row & (batchSize - 1)
}

func (m *methodRows) addMethod(id int64, name []byte, signature []int64) (full bool) {
	if len(*m) == 0 || len((*m)[len(*m)-1].rows) == batchSize {
		*m = append(*m, m.newBatch())
	}
	batch := &(*m)[len(*m)-1]
	batch.names = append(batch.names, name...)
	batch.ids = append(batch.ids, signature...)
	batch.rows = append(batch.rows, methodRow{id, len(batch.names), len(batch.ids)})
	return len(batch.rows) == batchSize
}

// newBatch returns an empty batch with a little more capacity than the last one uses.
func (m *methodRows) newBatch() methodBatch {
	if len(*m) == 0 {
		return methodBatch{}
	}
	last := &(*m)[len(*m)-1]
	more := func(n int) int { return n + n/8 }
	return methodBatch{make([]methodRow, 0, batchSize), make([]byte, 0, more(len(last.names))),
		make([]int64, 0, more(len(last.ids)))}
}

func (b *methodBatch) nameSpan(place int) (from, to int) {
	if place > 0 {
		from = b.rows[place-1].nameEnd
	}
	return from, b.rows[place].nameEnd
}

// signature returns the ids of a row: declaring type, return type and parameters.
func (b *methodBatch) signature(place int) []int64 {
	from := 0
	if place > 0 {
		from = b.rows[place-1].idsEnd
	}
	return b.ids[from:b.rows[place].idsEnd]
}
