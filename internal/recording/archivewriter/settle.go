package archivewriter

import (
	"encoding/binary"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

type unitTotal struct {
	sum       uint64
	saturated bool // a count has the highest value, or the highest or lowest of a signed one
}

func (t *unitTotal) addCount(n uint64) {
	t.sum += n
	t.saturated = t.saturated || n == math.MaxUint64 || n == math.MaxInt64 || n == 1<<63
}

// addCounters adds counters of LLVM, which saturate below the marks. Releases without marks saturate at the higher one,
// so a mark counts as saturated.
func (t *unitTotal) addCounters(cells []byte) {
	if len(cells) > 0 && ledger.IsMark(binary.LittleEndian.Uint64(cells)) {
		t.saturated = true
		return
	}
	for ; len(cells) > 0; cells = cells[disk.CellSize:] {
		n := binary.LittleEndian.Uint64(cells)
		t.sum += n
		t.saturated = t.saturated || n >= disk.LLVMMaxCount
	}
}

type tally map[ledger.Unit]*unitTotal

func (t tally) of(u ledger.Unit) *unitTotal {
	total := t[u]
	if total == nil {
		total = &unitTotal{}
		t[u] = total
	}
	return total
}

func (p *plan) settle(m *measurer) {
	out := ledger.Totals{}
	saturated := map[ledger.Unit]bool{}
	note := func(u ledger.Unit, t *unitTotal) {
		out.Add(u, t.sum)
		saturated[u] = saturated[u] || t.saturated
	}
	note(ledger.Invocations, &m.invocations)
	note(ledger.Backedges, &m.backedges)
	note(ledger.BlockCounts, &m.blockCounts)
	for tag := range m.byTag {
		note(ledger.UnitOf(p.b.Domain, layout.Tag(tag), 0), &m.byTag[tag])
	}
	p.b.EachTableCount(func(u ledger.Unit, n uint64) { m.others.of(u).addCount(n) })
	for u, t := range m.others {
		note(u, t)
	}
	p.unaccounted = p.b.SettleAccount(out, saturated)
}
