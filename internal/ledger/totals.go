package ledger

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Totals has the total of the counts of each unit, modulo 2^64, so that differences are exact whatever the order of
// sums. Nil totals stay nil.
type Totals map[Unit]uint64

// Add adds a count. A count of the empty unit is ignored.
func (t Totals) Add(u Unit, n uint64) {
	if t != nil && u != "" && n > 0 {
		t[u] += n
	}
}

// AddAll adds other totals.
func (t Totals) AddAll(other map[Unit]uint64) {
	for u, n := range other {
		t.Add(u, n)
	}
}

// Magnitude returns the absolute value of a total or an amount. Type counts can be below 0, since failing checks count
// down.
func Magnitude(u Unit, n uint64) (size uint64, negative bool) {
	if u == TypeCounts && n > math.MaxInt64 {
		return -n, true
	}
	return n, false
}

// SortedUnits returns the units with a total, in the order of Units and then by name.
func SortedUnits[N any](t map[Unit]N) []Unit {
	return slices.SortedFunc(maps.Keys(t), compareUnits)
}

func compareUnits(x, y Unit) int {
	rank := func(u Unit) uint { return uint(slices.Index(Units, u)) } // the highest number for other units
	return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x, y))
}

// shownLines is the number of lost things that an account names.
const shownLines = 3

// FirstLines returns the first distinct lines of two texts, in alphabetical order, so that the order of merges does not
// matter.
func FirstLines(x, y string) string {
	lines := slices.DeleteFunc(strings.Split(x+"\n"+y, "\n"), func(line string) bool { return line == "" })
	slices.Sort(lines)
	lines = slices.Compact(lines)
	return strings.Join(lines[:min(len(lines), shownLines)], "\n")
}

// A Counter adds up the counts of profiles. The zero value of Totals is nil; set it before use.
type Counter struct {
	Domain layout.Domain
	Shape  disk.Shape
	Totals Totals
	// Saturated is nil unless the counted entries are lost. It gets the units in which a count has the highest value. Each
	// unit with a count then has a total, even if its counts add up to 0 modulo 2^64.
	Saturated map[Unit]bool
}

// AddBlock adds the counts of a profile, which are two optional fields and the data entries. A malformed entry ends the
// profile.
func (c *Counter) AddBlock(b disk.Block) {
	if f := b.Field(disk.HasInvocations); f != nil {
		c.Totals.Add(Invocations, binary.LittleEndian.Uint64(f))
	}
	if f := b.Field(disk.HasBackedges); f != nil {
		c.Totals.Add(Backedges, binary.LittleEndian.Uint64(f))
	}
	for rest := b.Section(disk.SectionData); len(rest) > 0; {
		e, next, err := c.Shape.NextEntry(rest)
		if err != nil {
			return
		}
		c.AddEntry(e)
		rest = next
	}
}

// AddEntry adds the counts of an entry. A negative count is subtracted.
func (c *Counter) AddEntry(e disk.Entry) {
	unit := UnitOf(c.Domain, e.Tag(), e.Sub())
	c.Totals.Add(unit, c.totalOfEntry(e))
	if c.Saturated != nil && unit != "" {
		c.noteLost(unit, e)
	}
}

func (c *Counter) noteLost(unit Unit, e disk.Entry) {
	highest := uint64(math.MaxUint64)
	if c.Domain.LLVM() {
		highest = disk.LLVMMaxCount
	}
	for cell := range c.Shape.Counts(e) {
		if n := e.Cell(cell); n != 0 {
			c.Totals[unit] += 0
			c.Saturated[unit] = c.Saturated[unit] || n >= highest
		}
	}
}

func (c *Counter) totalOfEntry(e disk.Entry) (sum uint64) {
	if e.Tag() == layout.TagCounters && c.Domain.LLVM() {
		return TotalOfCounters(e[disk.WideHeaderSize:])
	}
	for cell := range c.Shape.Counts(e) {
		sum += e.Cell(cell)
	}
	return sum
}

// TotalOfCounters returns the total of counters of LLVM, given as little-endian words, modulo 2^64. Counters that begin
// with a mark count nothing.
func TotalOfCounters(cells []byte) (sum uint64) {
	if len(cells) >= disk.CellSize && IsMark(binary.LittleEndian.Uint64(cells)) {
		return 0
	}
	for ; len(cells) >= disk.CellSize; cells = cells[disk.CellSize:] {
		sum += binary.LittleEndian.Uint64(cells)
	}
	return sum
}
