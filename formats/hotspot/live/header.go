package live

import "github.com/profarc/profarc/builder"

// A header is what a MethodData has in front of its entries, and what the
// method's MethodCounters add to it.
type header struct {
	invocations, backedges uint64 // of all levels together
	interpreted            uint64 // of these invocations those that no MethodData counted
	history                builder.History
	compile                builder.Compile
	osrLevel               uint8 // highest level of the compiled code of its loops
	escape                 builder.Escape
	traps                  []byte
}

// header decodes the header of a MethodData. counters is nil for a method
// without MethodCounters.
func (s *schema) header(b, counters []byte) header {
	d := &s.data
	u32 := func(at uint64) uint32 { return le.Uint32(b[at:]) }
	u64 := func(at uint64) uint64 { return le.Uint64(b[at:]) }
	h := header{
		history: builder.History{
			Decompiles: u32(d.decompiles), OverflowRecompiles: u32(d.recompiles),
			OverflowTraps: u32(d.overflowTraps), TenureTraps: u32(d.tenureTraps),
		},
		escape:  builder.Escape{Flags: u64(d.eflags), Local: u64(d.local), Stack: u64(d.stack), Returned: u64(d.returned)},
		compile: builder.Compile{Loops: le.Uint16(b[d.loops:]), Blocks: le.Uint16(b[d.blocks:]), WouldProfile: uint8(u32(d.would))},
		traps:   b[d.trapCount:][:d.traps],
	}
	var early, earlyBackedges uint32
	if counters != nil {
		early, earlyBackedges = le.Uint32(counters[s.counters.invocations:]), le.Uint32(counters[s.counters.backedges:])
		h.compile.Level, h.osrLevel = counters[s.counters.highest], counters[s.counters.highestOSR]
	}
	h.interpreted = s.count(early)
	h.invocations = s.sum(early, u32(d.invocations))
	h.backedges = s.sum(earlyBackedges, u32(d.backedges))
	return h
}

// An InvocationCounter has its count above a bit that says that it was full
// once.
const carryBit = 1

func (s *schema) count(counter uint32) uint64 { return uint64(counter) / s.increment }

// countLimit is what a counter that was full is taken for.
func (s *schema) countLimit() uint64 { return 1 << 31 / s.increment }

// sum adds the counters of MethodCounters and MethodData as the VM does.
func (s *schema) sum(a, b uint32) uint64 {
	if (a|b)&carryBit != 0 {
		return s.countLimit()
	}
	return s.count(a) + s.count(b)
}

// plausible reports whether what lies at places that the VM does not export
// can be what it is taken for.
func (s *schema) plausible(h *header) bool {
	const wouldProfile = 2 // the largest of unknown, no, yes
	c := h.compile
	return c.Level <= s.levels && h.osrLevel <= s.levels && c.WouldProfile <= wouldProfile && int16(c.Loops) >= 0 && int16(c.Blocks) >= 0
}
