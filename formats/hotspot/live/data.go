package live

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A header is what a MethodData has before its entries, and what the
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

// countLimit returns what a counter that was full is taken for.
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

// The parts of a MethodData, after its header:
//
//	data size:  entries in the order of their bytecodes
//	            extra: Bit, SpeculativeTrap, free words, then ArgInfo
//	di:         one ParametersType entry, if there is any
//	di:         Bit entries of exception handlers (from JDK 22 on)
//	size:       the end
//
// Every part must end exactly where the next begins.

// sections are the entries of a MethodData, by section of an archive's block.
type sections [layout.SectionDirectory][]disk.Entry

const (
	noParameters = -2 // di of a method without a ParametersType entry
	freeTag      = 0  // of a word that has no extra entry yet
)

// sections cuts a MethodData into entries.
func (d *dataSchema) sections(b []byte, shape disk.Shape) (out sections, err error) {
	parts, err := d.parts(b)
	if err != nil {
		return out, err
	}
	if out[layout.SectionData], err = dataEntries(parts[0], shape); err != nil {
		return out, err
	}
	if out[layout.SectionExtra], err = extraEntries(parts[1], shape); err != nil {
		return out, err
	}
	if out[layout.SectionParameters], err = entriesOf(parts[2], shape, RefusedParameters, layout.TagParametersType); err != nil {
		return out, err
	}
	out[layout.SectionHandlers], err = entriesOf(parts[3], shape, RefusedHandlers, layout.TagBit)
	return out, err
}

// parts returns the bytes of data, extra, parameters and handlers.
func (d *dataSchema) parts(b []byte) (parts [4][]byte, err error) {
	b, header := b[d.data:], b
	end := len(b)
	if d.handlers != 0 {
		at := int(int32(le.Uint32(header[d.handlers:])))
		if at < 0 || at > end {
			return parts, RefusedHandlers
		}
		parts[3], end = b[at:end], at
	}
	if at := int(int32(le.Uint32(header[d.parameters:]))); at != noParameters {
		if at < 0 || at >= end {
			return parts, RefusedParameters
		}
		parts[2], end = b[at:end], at
	}
	size := int(int32(le.Uint32(header[d.dataSize:])))
	if size < 0 || size > end {
		return parts, RefusedData
	}
	parts[0], parts[1] = b[:size], b[size:end]
	return parts, nil
}

// dataEntries cuts the entries of profile points, whose bcis must ascend.
func dataEntries(b []byte, shape disk.Shape) (all []disk.Entry, err error) {
	last := int32(-1)
	for len(b) > 0 {
		e, rest, err := shape.Next(b)
		if err != nil || !ofData(e.Tag()) || e.Point() <= last {
			return nil, RefusedData
		}
		all, b, last = append(all, e), rest, e.Point()
	}
	return all, nil
}

// ofData reports whether entries of a tag are data entries.
func ofData(t layout.Tag) bool {
	switch t {
	case layout.TagArgInfo, layout.TagParametersType, layout.TagSpeculativeTrap:
		return false
	}
	return !t.Wide()
}

// extraEntries cuts the extra entries. ArgInfo is the last of them. Free words
// are left out: they are zeros.
func extraEntries(b []byte, shape disk.Shape) (all []disk.Entry, err error) {
	for len(b) > 0 {
		if len(b) >= disk.CellSize && le.Uint64(b) == freeTag {
			b = b[disk.CellSize:]
			continue
		}
		e, rest, err := shape.Next(b)
		if err != nil {
			return nil, RefusedExtra
		}
		switch tag := e.Tag(); {
		case tag == layout.TagArgInfo && len(rest) > 0, tag != layout.TagArgInfo && len(rest) == 0,
			tag != layout.TagArgInfo && tag != layout.TagBit && tag != layout.TagSpeculativeTrap:
			return nil, RefusedExtra
		}
		all, b = append(all, e), rest
	}
	return all, nil
}

// entriesOf cuts entries that must all have one tag; there is one
// ParametersType entry at most.
func entriesOf(b []byte, shape disk.Shape, why Refusal, tag layout.Tag) (all []disk.Entry, err error) {
	for len(b) > 0 {
		e, rest, err := shape.Next(b)
		if err != nil || e.Tag() != tag || tag == layout.TagParametersType && len(rest) > 0 {
			return nil, why
		}
		all, b = append(all, e), rest
	}
	return all, nil
}

// receiverGap finds out how many cells the VM keeps between a receiver entry's
// count and its rows, which it does not export: with that many all MethodData
// end where they must.
func (d *dataSchema) receiverGap(methods []methodData, shape disk.Shape) disk.Shape {
	best, most := shape, -1
	for _, shape.Gap = range []int{0, 1} {
		n := 0
		for i := range methods {
			if methods[i].refused == nil {
				if _, err := d.sections(methods[i].data, shape); err == nil {
					n++
				}
			}
		}
		if n > most {
			best, most = shape, n
		}
	}
	return best
}

// everCompiled reports whether a method was compiled at any time of the run. Its
// compiled code may be gone by now: code that a newly loaded class invalidates is
// discarded, and a program that ends right then has not compiled the method
// again. What remains of a compilation is
//
//   - in MethodCounters the highest level of any compiled code that was
//     installed, and of the code of loops (OSR);
//   - in MethodData the number of C2's compilations that were discarded;
//   - in MethodData what C1 notes of the method when it compiles it with
//     profiling: its blocks, and whether profiling is worth while.
//
// The trap history is no evidence: C2 counts a trap in the method that the
// bytecode belongs to, which may have been inlined and never compiled itself.
// headers is whether the fields that the VM does not export are where they are
// expected; without them there are the code and the discarded compilations.
func (s *schema) everCompiled(f *found, headers bool) bool {
	h := s.header(f.data, f.counters)
	if f.compiled || h.history.Decompiles > 0 {
		return true
	}
	return headers && (h.compile.Level > 0 || h.osrLevel > 0 || h.compile.Blocks > 0 || h.compile.WouldProfile > 0)
}
