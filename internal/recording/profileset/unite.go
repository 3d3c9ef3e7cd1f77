package profileset

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

type columnRule uint8

const (
	columnKey columnRule = iota // rows are united only if their cells are equal
	columnSummed
	columnLowest // lowest nonzero cell
	columnHighest
	columnLeast // lowest cell, including 0
	columnFirst // first lines of the texts of the symbols
	columnTotal // sum modulo 2^64
)

var columnRules = map[disk.TableKind][]columnRule{
	disk.TableMonitors:        {1: columnSummed},
	disk.TableSamples:         {3: columnSummed},
	disk.TableHeapRefs:        {0: columnSummed, 1: columnSummed},
	disk.TableHeapUse:         {1: columnSummed, 4: columnSummed, 5: columnSummed},
	disk.TableInstances:       {1: columnSummed, 3: columnSummed, 4: columnSummed, 5: columnSummed},
	disk.TableThreads:         {1: columnSummed},
	disk.TableCompilations:    {4: columnLowest, 5: columnHighest, 6: columnSummed, 7: columnSummed},
	disk.TableInlining:        {2: columnSummed},
	disk.TableFunctions:       {3: columnHighest},
	disk.TableMoved:           {4: columnLowest},
	disk.TableCertain:         {3: columnSummed},
	disk.TableAllocations:     allocationRules(),
	disk.TableAllocationCalls: {disk.AllocationRecord: columnLowest},
	disk.TableObjects:         {4: columnSummed, 5: columnSummed, 6: columnLowest},
	disk.TableInputs:          {5: columnTotal, 7: columnTotal},
	disk.TableLosses:          {4: columnTotal, 5: columnTotal, 6: columnFirst},
	disk.TableVersions:        {2: columnHighest},
	disk.TableAdvice:          {1: columnLowest, 2: columnSummed, 3: columnSummed},
}

func allocationRules() []columnRule {
	of := [...]columnRule{disk.HeapSum: columnSummed, disk.HeapLeast: columnLeast, disk.HeapMost: columnHighest}
	rules := []columnRule{disk.AllocationRecord: columnLowest}
	for _, f := range disk.HeapFields {
		rules = append(rules, of[f.Merge])
	}
	return rules
}

func ruleOf(kind disk.TableKind, flags uint32, column int) columnRule {
	if disk.TableByProducer(kind) {
		if column < 32 && flags>>column&1 != 0 {
			return columnSummed
		}
		return columnKey
	}
	if rules := columnRules[kind]; column < len(rules) {
		return rules[column]
	}
	return columnKey
}

func (r columnRule) uniteCells(x, y uint64) uint64 {
	switch r {
	case columnSummed:
		return disk.SaturatingAdd(x, y)
	case columnTotal:
		return x + y
	case columnLowest:
		return cmp.Or(min(x, y), max(x, y))
	case columnHighest:
		return max(x, y)
	case columnLeast:
		return min(x, y)
	}
	return x
}

// ScaleRow multiplies the counts of a row by a weight.
func ScaleRow(kind disk.TableKind, flags uint32, row []uint64, w layout.Weight) {
	for i := range row {
		if ruleOf(kind, flags, i) == columnSummed {
			row[i] = disk.ApplyWeight(w, row[i])
		}
	}
}

// UniteGrown unites the tables if they have four times the rows of the last time. Otherwise they would grow with the
// number of runs. The error is the set's.
func (b *Set) UniteGrown() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := 0
	for _, t := range b.Tables {
		rows += t.Rows()
	}
	if rows > 4*b.united {
		b.united = b.uniteTables()
	}
	return b.err
}

// uniteTables sorts the tables of several runs and unites equal rows, so that the order of runs does not matter. With
// the merge order of llvm-profdata, traces stay in the order of runs. It returns the number of rows. The caller holds
// mu.
func (b *Set) uniteTables() (rows int) {
	b.dropSourceOrder()
	b.listDumps()
	for _, t := range b.Tables {
		if b.Ordered != mergeOrder || t.Kind != disk.TableTraces {
			t.uniteRows()
		}
		rows += t.Rows()
	}
	return rows
}

// dropSourceOrder drops the tables that are meaningful for a single source only. The caller holds mu.
func (b *Set) dropSourceOrder() {
	maps.DeleteFunc(b.Tables, func(k disk.TableKind, _ *Table) bool { return disk.IsSourceOrder(k) })
}

func (b *Set) listDumps() {
	if len(b.Dumps) == 0 {
		return
	}
	dumps := slices.SortedFunc(maps.Values(b.Dumps), func(x, y Dump) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), slices.Compare(x.ID[:], y.ID[:]))
	})
	word := disk.ColumnWord
	t := &Table{b: b, Kind: disk.TableDumps, Columns: []disk.ColumnKind{word, word, word, word}}
	for _, d := range dumps {
		t.Cells = append(t.Cells, binary.LittleEndian.Uint64(d.ID[:]), binary.LittleEndian.Uint64(d.ID[8:]), uint64(d.Time),
			uint64(d.Weight))
	}
	b.Tables[disk.TableDumps] = t
}

type rowGroup []uint64

func (t *Table) uniteRows() {
	u := uniting{t, t.columnRulesOf(), t.contextRanks()}
	groups := u.dropRepeated(t.rowGroups())
	slices.SortFunc(groups, u.compareGroups)
	t.Cells = u.sumGroups(groups)
	t.firsts = nil
}

func (t *Table) columnRulesOf() []columnRule {
	return lists.Map(lists.Below(len(t.Columns)), func(i int) columnRule { return ruleOf(t.Kind, t.Flags, i) })
}

// uniting is a table under uniteRows.
type uniting struct {
	*Table
	rules    []columnRule
	contexts ContextRanks
}

func (t *Table) rowGroups() (groups []rowGroup) {
	width := len(t.Columns)
	for at := 0; at < len(t.Cells); {
		to := at + width
		for Grouped(t.Kind) && to < len(t.Cells) && t.Cells[to] == t.Cells[at] {
			to += width
		}
		groups = append(groups, t.Cells[at:to])
		at = to
	}
	return groups
}

// dropRepeated drops repeated groups, unless their number matters. Runs of one program have most rows in common, and
// dropping them is faster than sorting them.
func (u *uniting) dropRepeated(groups []rowGroup) []rowGroup {
	if len(groups) < 2 || u.isSummed() {
		return groups
	}
	var seen refindex.Index
	seed := maphash.MakeSeed()
	kept := groups[:0]
	cells := []byte(nil)
	for _, g := range groups {
		cells = cells[:0]
		for _, c := range g {
			cells = binary.NativeEndian.AppendUint64(cells, c)
		}
		hash := uint32(maphash.Bytes(seed, cells))
		again, at := seen.Find(hash, func(ref uint32) bool { return slices.Equal(kept[ref-1], g) })
		if again == 0 {
			kept = append(kept, g)
			seen.Put(at, hash, uint32(len(kept)))
		}
	}
	return kept
}

func (u *uniting) isSummed() bool {
	return Grouped(u.Kind) || u.Kind == disk.TableProperties || slices.Contains(u.rules, columnSummed) ||
		slices.Contains(u.rules, columnTotal)
}

func (u *uniting) compareGroups(x, y rowGroup) int {
	for i := range min(len(x), len(y)) {
		if column := i % len(u.Columns); u.rules[column] == columnKey && (column > 0 || !Grouped(u.Kind)) {
			if c := u.compareCells(column, x[i], y[i]); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(x), len(y))
}

func (u *uniting) compareCells(column int, x, y uint64) int {
	if x == y {
		return 0
	}
	switch u.Columns[column] {
	case disk.ColumnSymbol:
		return cmp.Or(cmp.Compare(u.b.Text(intern.SymbolRef(x)), u.b.Text(intern.SymbolRef(y))), cmp.Compare(x, y))
	case disk.ColumnType:
		return u.b.CompareTypes(uint32(x), uint32(y))
	case disk.ColumnMethod:
		return u.b.CompareMethods(uint32(x), uint32(y))
	case disk.ColumnContext:
		return cmp.Compare(u.contexts.RankOf(ContextRef(x)), u.contexts.RankOf(ContextRef(y)))
	case disk.ColumnProfile:
		return u.b.compareProfiles(ProfileRef(x), ProfileRef(y), u.contexts)
	}
	return cmp.Compare(x, y)
}

func (b *Set) compareProfiles(x, y ProfileRef, contexts ContextRanks) int {
	if x == 0 || y == 0 {
		return cmp.Compare(x, y)
	}
	s := b.Profiles.At(uint32(x))
	t := b.Profiles.At(uint32(y))
	return cmp.Or(b.CompareMethods(uint32(s.Method), uint32(t.Method)),
		cmp.Compare(contexts.RankOf(s.Context), contexts.RankOf(t.Context)), cmp.Compare(s.Code, t.Code))
}

// ContextRanks are the ranks of contexts, indexed by ContextRef-1. They do not depend on the order of interning.
type ContextRanks []uint32

// RankOf returns the rank of a context, counted from 1, or 0 for NoContext.
func (r ContextRanks) RankOf(c ContextRef) uint32 {
	if c == NoContext {
		return 0
	}
	return r[c-1] + 1
}

// contextRanks ranks the contexts if rows refer to contexts or profiles.
func (t *Table) contextRanks() ContextRanks {
	if t.b.Contexts.Len() == 0 ||
		!slices.Contains(t.Columns, disk.ColumnContext) && !slices.Contains(t.Columns, disk.ColumnProfile) {
		return nil
	}
	var s intern.Sorter
	defer s.Close()
	_, ranks := t.b.RankContexts(&s, t.b.rankMethods())
	return ranks
}

// RankContexts sorts the contexts by depth, method, parent, caller and point. ranks has their ranks by ContextRef-1,
// and methodRank the ranks of methods by MethodRef-1. It ranks level by level, since the ranks of parents decide the
// order of their children.
func (b *Set) RankContexts(s *intern.Sorter, methodRank []uint32) (byDepth []intern.SortKey, ranks ContextRanks) {
	ranks = make(ContextRanks, b.Contexts.Len())
	byDepth = s.Room(b.Contexts.Len())
	for ref, c := range b.Contexts.All {
		byDepth = append(byDepth, intern.SortKey{Key: uint64(c.Depth), Ref: ref})
	}
	s.Sort(byDepth)
	placed := uint32(0)
	intern.EachGroup(byDepth, func(level []intern.SortKey) {
		for i, k := range level {
			c := b.Contexts.At(k.Ref)
			level[i].Key = uint64(methodRank[c.Method-1])<<32 | uint64(ranks.RankOf(c.Parent))
		}
		s.SortByTwo(level, func(ref uint32) uint64 { return CallSite(methodRank, b.Contexts.At(ref)) })
		for _, k := range level {
			ranks[k.Ref-1] = placed
			placed++
		}
	})
	return byDepth, ranks
}

// CallSite returns a number that sorts like the caller of a context and its point.
func CallSite(methodRank []uint32, c *contextData) uint64 {
	return uint64(methodRank[c.Caller-1])<<32 | uint64(uint32(c.Point)^1<<31)
}

// rankMethods returns the ranks of the methods by name, indexed by MethodRef-1. Contexts are many more than methods, so
// that they are not sorted by names.
func (b *Set) rankMethods() []uint32 {
	all := make([]uint32, b.Methods.Len())
	for i := range all {
		all[i] = uint32(i + 1)
	}
	slices.SortFunc(all, b.CompareMethods)
	ranks := make([]uint32, len(all))
	for i, m := range all {
		ranks[m-1] = uint32(i)
	}
	return ranks
}

// sumGroups unites equal groups, which are adjacent, and renumbers groups. It keeps each occurrence of a trace.
func (u *uniting) sumGroups(groups []rowGroup) (cells []uint64) {
	last := -1 // start of the last group
	number := uint64(0)
	for i, g := range groups {
		if i > 0 && (u.addProperty(cells[last:], g) || u.addEqual(cells[last:], groups[i-1], g)) {
			continue
		}
		last = len(cells)
		cells = append(cells, g...)
		if Grouped(u.Kind) {
			for j := last; j < len(cells); j += len(u.Columns) {
				cells[j] = number
			}
			number++
		}
	}
	return cells
}

// addEqual merges g into cells, the united group before it, if they are equal.
func (u *uniting) addEqual(cells, before, g rowGroup) bool {
	if u.Kind == disk.TableTraces || u.compareGroups(before, g) != 0 {
		return false
	}
	for i, v := range g {
		rule := u.rules[i%len(u.Columns)]
		if rule == columnFirst {
			lines := ledger.FirstLines(u.b.Text(intern.SymbolRef(cells[i])), u.b.Text(intern.SymbolRef(v)))
			cells[i] = u.b.accountSymbol(lines)
			continue
		}
		cells[i] = rule.uniteCells(cells[i], v)
	}
	return true
}

// addProperty merges two values of a property if its rule requires that and both are numbers.
func (t *Table) addProperty(cells, g []uint64) bool {
	b := t.b
	if t.Kind != disk.TableProperties || len(g) != 2 || cells[0] != g[0] {
		return false
	}
	rule := disk.MergedProperty(b.Text(intern.SymbolRef(g[0])))
	if rule == disk.PropertyKept {
		return false
	}
	x, errX := strconv.ParseUint(b.Text(intern.SymbolRef(cells[1])), 10, 64)
	y, errY := strconv.ParseUint(b.Text(intern.SymbolRef(g[1])), 10, 64)
	if errX != nil || errY != nil {
		return false
	}
	both := max(x, y)
	if rule == disk.PropertySummed {
		both = disk.SaturatingAdd(x, y)
	}
	cells[1] = uint64(b.internSymbol(strconv.FormatUint(both, 10), disk.MaxBlob))
	return true
}
