package jamaica

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// A methodProfile collects the counts and callees of a method in one run.
type methodProfile struct {
	counts  []builder.Count
	callees []callee
}

type callee struct {
	point  int32
	n      uint64
	method nameID
}

func (t *profileText) addRunProfiles(b *builder.Builder, runs [][]record, report *Report) error {
	methods := t.internRunMethods(b, runs, report)
	for i, run := range runs {
		if i > 0 {
			b.Internal().NextRun(profileset.RunRules{})
		}
		if err := t.addMethodProfiles(b, methods, run, report); err != nil {
			return err
		}
	}
	report.Runs += len(runs)
	t.addTables(b, runs, report)
	return b.Err()
}

func (t *profileText) internRunMethods(
	b *builder.Builder,
	runs [][]record,
	report *Report,
) map[nameID]builder.MethodRef {
	methods := map[nameID]builder.MethodRef{}
	for _, run := range runs {
		for i := range run {
			r := &run[i]
			f := &lineForms[r.key]
			for j := range f.names {
				if id := r.names[j]; f.methods && methods[id] == 0 {
					methods[id] = t.addMethod(b, id, report)
				}
			}
			if r.key == keyNative {
				b.Internal().DescribeMethod(methods[r.names[0]], disk.AccNative, 0)
			}
		}
	}
	return methods
}

func (t *profileText) addMethod(b *builder.Builder, id nameID, report *Report) builder.MethodRef {
	signature := t.names.nameOf(id)
	m := b.Method(layout.Key{Name: signature})
	if !isCompleteSignature(signature) {
		report.Cut++
		b.Internal().DescribeMethod(m, 0, layout.MethodNotMatchable)
	}
	return m
}

var countSubs = map[keyword]layout.Sub{
	keyBytecodes: layout.SubBytecodes, keyCycles: layout.SubCycles,
	keyNative: layout.SubNativeCalls, keyNewArray: layout.SubNewArrays,
}

func groupByMethod(run []record) (profiles map[nameID]*methodProfile) {
	profiles = map[nameID]*methodProfile{}
	for i := range run {
		r := &run[i]
		sub, counted := countSubs[r.key]
		if !counted && r.key != keyInvoke {
			continue
		}
		p := profiles[r.names[0]]
		if p == nil {
			p = &methodProfile{}
			profiles[r.names[0]] = p
		}
		if !counted {
			p.callees = append(p.callees, callee{int32(r.numbers[1]), r.numbers[0], r.names[1]})
			continue
		}
		c := builder.Count{Sub: sub, N: r.numbers[0]}
		if r.key == keyNewArray {
			c.Point = int32(r.numbers[1])
		}
		if r.interpreted {
			c.Flags = disk.EntryInterpreted
		}
		p.counts = append(p.counts, c)
	}
	return profiles
}

func (t *profileText) addMethodProfiles(
	b *builder.Builder,
	methods map[nameID]builder.MethodRef,
	run []record,
	report *Report,
) error {
	for id, gathered := range groupByMethod(run) {
		p := b.ProfileIn(methods[id], 0, profileset.NoContext)
		report.Methods++
		report.Entries += len(gathered.counts)
		gathered.sortEntries(t)
		for _, c := range gathered.counts {
			p.Count(c)
		}
		for calls := gathered.callees; len(calls) > 0; {
			point := calls[0].point
			var here []callee
			here, calls = parse.CutWhile(calls, func(c callee) bool { return c.point == point })
			p.Callees(point, lists.Map(here, func(c callee) builder.Callee {
				return builder.Callee{Method: methods[c.method], Count: c.n}
			})...)
			report.Entries++
		}
		if err := p.Done(); err != nil {
			return err
		}
	}
	return nil
}

// sortEntries sorts the entries so that equal runs with lines in any order give equal archives.
func (p *methodProfile) sortEntries(t *profileText) {
	slices.SortFunc(p.counts, func(a, b builder.Count) int {
		return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Sub, b.Sub), cmp.Compare(a.Flags, b.Flags),
			cmp.Compare(b.N, a.N))
	})
	slices.SortFunc(p.callees, func(a, b callee) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(b.n, a.n),
			cmp.Compare(t.names.nameOf(a.method), t.names.nameOf(b.method)))
	})
}

// Properties of an archive.
const (
	// PropertyThreads holds the maximum number of threads.
	PropertyThreads = "jamaica.threads"
	// PropertyHeap holds the 100% of the heap shares if it differs from the total of the HEAP_USE lines.
	PropertyHeap = disk.PropertyJamaicaTotal + "heap"
	// PropertyColumns holds the column at which the VM truncated lines if it truncated an "(interpreted)" mark.
	PropertyColumns = "jamaica.columns"
)

// A row of an archive's table. Rows of equal identity are merged by adding their numbers.
type mergedRow struct {
	rowIdentity
	numbers [maxNumbers]uint64
}

// A rowIdentity is the key by which rows are merged.
type rowIdentity struct {
	key   keyword
	names [2]nameID
	fixed [2]uint64 // blocks per object and block size in bytes, equal for all objects of the class
}

// addTables adds heap, class and thread tables and properties, merged over runs.
func (t *profileText) addTables(b *builder.Builder, runs [][]record, report *Report) {
	rows := t.mergeTableRows(runs)
	for i := range rows {
		t.addTableRow(b, &rows[i])
	}
	if len(t.foreign) > 0 {
		table := b.Internal().Table(disk.TableForeign, 0)
		for _, f := range t.foreign {
			table.Row(uint64(b.Internal().Symbol(f.key)), uint64(b.Internal().Symbol(f.values)))
		}
	}
	t.addTotals(b, runs, report)
	if t.columns > 0 {
		addProperty(b, PropertyColumns, uint64(t.columns))
	}
}

func addProperty(b *builder.Builder, key string, value uint64) {
	b.Internal().AddProperty(key, strconv.FormatUint(value, 10))
}

// mergeTableRows returns the sorted table rows of all runs. It merges rows unless they describe single threads.
func (t *profileText) mergeTableRows(runs [][]record) (rows []mergedRow) {
	at := map[rowIdentity]int{}
	for _, run := range runs {
		for i := range run {
			r := convertRecord(&run[i])
			if _, counted := countSubs[r.key]; counted || r.key == keyInvoke {
				continue
			}
			j, ok := at[r.rowIdentity]
			if !ok || r.key == keyThread {
				at[r.rowIdentity] = len(rows)
				rows = append(rows, r)
				continue
			}
			rows[j].addNumbers(&r)
		}
	}
	slices.SortStableFunc(rows, func(a, b mergedRow) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(t.names.nameOf(a.names[1]), t.names.nameOf(b.names[1])),
			cmp.Compare(t.names.nameOf(a.names[0]), t.names.nameOf(b.names[0])), slices.Compare(a.fixed[:], b.fixed[:]),
			slices.Compare(b.numbers[:], a.numbers[:]))
	})
	return rows
}

// addNumbers merges other, which has the same identity. Thread counts keep the maximum.
func (r *mergedRow) addNumbers(other *mergedRow) {
	for i, n := range other.numbers {
		if r.key == keyThreads {
			r.numbers[i] = max(r.numbers[i], n)
		} else {
			r.numbers[i] = disk.SaturatingAdd(r.numbers[i], n)
		}
	}
}

// convertRecord converts a line. It drops shares, which the exporter computes, and moves sizes per object to fixed.
func convertRecord(r *record) mergedRow {
	n := r.numbers
	w := mergedRow{rowIdentity{key: r.key, names: r.names}, n}
	switch r.key {
	case keyInstances: // objects, blocks, bytes, tree
		w.fixed[0] = n[1]
		w.numbers = [maxNumbers]uint64{n[0], n[2], n[3], n[4]}
	case keyHeapUse: // objects, bytes, tree
		w.fixed = [2]uint64{n[1], n[2]}
		w.numbers = [maxNumbers]uint64{n[0], n[3], n[5]}
	case keyHeapRefs:
		w.numbers = [maxNumbers]uint64{n[0], n[1]}
	}
	return w
}

func (t *profileText) addTableRow(b *builder.Builder, r *mergedRow) {
	n := r.numbers
	class := func(i int) uint64 { return uint64(b.Type(builder.TypeKey{Name: t.names.nameOf(r.names[i])})) }
	switch r.key {
	case keyHeapRefs:
		b.Internal().Table(disk.TableHeapRefs, 0).Row(n[0], n[1])
	case keyHeapUse:
		b.Internal().Table(disk.TableHeapUse, 0).Row(class(0), n[0], r.fixed[0], r.fixed[1], n[1], n[2])
	case keyInstances:
		loader := uint64(0)
		if r.names[0] != 0 {
			loader = uint64(b.Internal().Symbol(t.names.nameOf(r.names[0])))
		}
		b.Internal().Table(disk.TableInstances, 0).Row(class(1), n[0], r.fixed[0], n[1], n[2], n[3], loader)
	case keyThread:
		b.Internal().Table(disk.TableThreads, 0).Row(n[:]...)
	case keyThreads:
		addProperty(b, PropertyThreads, n[0])
	case keyReflected:
		b.Internal().Table(disk.TableReflected, 0).Row(class(0))
	}
}

// shareTotals describes the keywords whose lines have a share of a total. It has the indexes of the number and of the
// share in a line, and the property that stores the total.
var shareTotals = map[keyword]struct {
	number, share int
	property      string
}{
	keyBytecodes: {0, 1, disk.PropertyJamaicaBytecodes},
	keyNative:    {0, 1, disk.PropertyJamaicaNative},
	keyHeapUse:   {3, 4, PropertyHeap},
}

// shareRatios describes the shares that are the ratio of two numbers of the same line, by index in the line.
var shareRatios = map[keyword]struct{ number, of, share int }{
	keyInstances: {4, 0, 5}, keyHeapUse: {5, 0, 6}, keyHeapRefs: {0, 1, 2},
}

// addTotals stores each total that differs from the total of the lines, and reports shares that cannot be
// recomputed from the archive.
func (t *profileText) addTotals(b *builder.Builder, runs [][]record, report *Report) {
	for _, key := range []keyword{keyBytecodes, keyNative, keyHeapUse} {
		of := shareTotals[key]
		total := uint64(0)
		sum := uint64(0)
		for _, run := range runs {
			runTotal, runSum := sumShares(run, key, report)
			total = disk.SaturatingAdd(total, runTotal)
			sum = disk.SaturatingAdd(sum, runSum)
		}
		if total != sum {
			addProperty(b, of.property, total)
		}
	}
	for _, run := range runs {
		for i := range run {
			r := &run[i]
			if of, ok := shareRatios[r.key]; ok && percentShare(r.numbers[of.number], r.numbers[of.of]) != r.numbers[of.share] {
				report.Lost.AddLoss(codec.Loss{What: LossShare, Count: 1, Line: r.line})
			}
		}
	}
}

// sumShares adds up the lines of a keyword in a run. total agrees with their shares if possible.
func sumShares(run []record, key keyword, report *Report) (total, sum uint64) {
	of := shareTotals[key]
	all := shareTally{hi: math.MaxUint64}
	for i := range run {
		if r := &run[i]; r.key == key {
			all.addShare(r.numbers[of.number], r.numbers[of.share])
		}
	}
	total, known := all.estimateTotal()
	for i := range run {
		r := &run[i]
		if !known && r.key == key && percentShare(r.numbers[of.number], total) != r.numbers[of.share] {
			report.Lost.AddLoss(codec.Loss{What: LossShare, Count: 1, Line: r.line})
		}
	}
	return total, all.sum
}

// percentShare returns 100 * n / total rounded down, or 0 if total is 0.
func percentShare(n, total uint64) uint64 {
	if total == 0 {
		return 0
	}
	return percentOrMax(n, total)
}

// percentOrMax returns 100 * n / d rounded down, or math.MaxUint64 on overflow.
func percentOrMax(n, d uint64) uint64 {
	hi, lo := bits.Mul64(n, 100)
	if hi >= d {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, d)
	return q
}

// A tally adds numbers and bounds the total from which their shares were computed.
type shareTally struct {
	sum    uint64
	lo, hi uint64 // range of totals that agree with all shares, empty if hi < lo
}

func (t *shareTally) addShare(n, share uint64) {
	t.sum = disk.SaturatingAdd(t.sum, n)
	// share = floor(100n/T) means 100n/(share+1) < T <= 100n/share. If n is 0, any total gives share 0.
	below := percentOrMax(n, disk.SaturatingAdd(share, 1))
	switch {
	case n == 0 && share > 0, below == math.MaxUint64:
		t.hi = 0
	case n > 0:
		t.lo = max(t.lo, below+1)
	}
	if n > 0 && share > 0 {
		t.hi = min(t.hi, percentOrMax(n, share))
	}
}

// estimateTotal returns the sum if it agrees with the shares, otherwise the smallest greater total that does. If there
// is no such total, known is false.
func (t *shareTally) estimateTotal() (total uint64, known bool) {
	switch {
	case t.sum >= t.lo && t.sum <= t.hi:
		return t.sum, true
	case t.lo > t.sum && t.lo <= t.hi:
		return t.lo, true
	}
	return t.sum, false
}
