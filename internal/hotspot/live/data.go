package live

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

type header struct {
	invocations, backedges uint64 // total of all levels
	interpreted            uint64 // invocations not counted in a MethodData
	history                profileset.History
	compile                profileset.Compilation
	osrLevel               uint8 // highest level of the compiled code of its loops
	escape                 profileset.Escape
	traps                  []byte
}

func (s *schema) decodeHeader(b, counters []byte) header {
	d := &s.data
	u32 := func(at uint64) uint32 { return le.Uint32(b[at:]) }
	u64 := func(at uint64) uint64 { return le.Uint64(b[at:]) }
	h := header{
		history: profileset.History{Decompiles: u32(d.decompiles), OverflowRecompiles: u32(d.recompiles),
			OverflowTraps: u32(d.overflowTraps), TenureTraps: u32(d.tenureTraps)},
		escape: profileset.Escape{Flags: u64(d.eflags), Local: u64(d.local), Stack: u64(d.stack), Returned: u64(d.returned)},
		compile: profileset.Compilation{Loops: le.Uint16(b[d.loops:]), Blocks: le.Uint16(b[d.blocks:]),
			WouldProfile: uint8(u32(d.would))},
		traps: b[d.trapCount:][:d.traps],
	}
	var early, earlyBackedges uint32
	if counters != nil {
		early = le.Uint32(counters[s.counters.invocations:])
		earlyBackedges = le.Uint32(counters[s.counters.backedges:])
		h.compile.Level = counters[s.counters.highest]
		h.osrLevel = counters[s.counters.highestOSR]
	}
	h.interpreted = s.counterValue(early)
	h.invocations = s.addCounters(early, u32(d.invocations))
	h.backedges = s.addCounters(earlyBackedges, u32(d.backedges))
	return h
}

// The lowest bit of an InvocationCounter is set once it has overflowed. The count is above it.
const carryBit = 1

func (s *schema) counterValue(counter uint32) uint64 { return uint64(counter) / s.increment }

func (s *schema) addCounters(a, b uint32) uint64 {
	if (a|b)&carryBit != 0 {
		return 1 << 31 / s.increment // the value of an overflowed counter
	}
	return s.counterValue(a) + s.counterValue(b)
}

func (s *schema) isPlausible(h *header) bool {
	const wouldProfile = 2 // the largest of unknown, no, yes
	c := h.compile
	return c.Level <= s.levels && h.osrLevel <= s.levels && c.WouldProfile <= wouldProfile && int16(c.Loops) >= 0 &&
		int16(c.Blocks) >= 0
}

// The parts of a MethodData after its header:
//
//	data size:  entries in the order of their bytecodes
//	            extra: Bit, SpeculativeTrap, free words, then ArgInfo
//	di:         one ParametersType entry, if there is any
//	di:         Bit entries of exception handlers (from JDK 22 on)
//	size:       the end
//
// Every part must end exactly where the next begins.

type sections [disk.SectionDirectory][]disk.Entry

const (
	noParameters = -2 // di of a method without a ParametersType entry
	freeTag      = 0  // tag of a free word among the extra entries
)

func (d *dataSchema) parseSections(b []byte, shape disk.Shape) (out sections, err error) {
	parts, err := d.splitSections(b)
	if err != nil {
		return out, err
	}
	for section, part := range parts {
		last := int32(-1)
		for len(part) > 0 {
			if section == int(disk.SectionExtra) && len(part) >= disk.CellSize && le.Uint64(part) == freeTag {
				part = part[disk.CellSize:]
				continue
			}
			e, rest, err := nextEntry(disk.BlockSection(section), part, shape)
			if err == RefusedTag {
				return out, err
			}
			if err != nil || !sectionRules[section].holds(e, last, len(rest) == 0) {
				return out, sectionRules[section].refusal
			}
			out[section], part, last = append(out[section], e), rest, e.Point()
		}
	}
	return out, nil
}

// nextEntry splits the first entry off a section. In the data section, an entry of an unknown later JDK and
// everything after it become one TagUndecoded entry. Elsewhere such an entry is RefusedTag, since its size determines
// the parts that follow.
func nextEntry(section disk.BlockSection, part []byte, shape disk.Shape) (e disk.Entry, rest []byte, err error) {
	switch {
	case !isUnknownTag(layout.Tag(part[0])):
		return shape.NextEntry(part)
	case section != disk.SectionData:
		return nil, nil, RefusedTag
	case len(part)%disk.CellSize != 0:
		return nil, nil, RefusedData
	}
	n := len(part) / disk.CellSize
	_, e = disk.NewWide(nil, disk.TagUndecoded, 0, 0, int32(le.Uint16(part[2:])), n, n)
	for i := range n {
		e.SetCell(i, le.Uint64(part[i*disk.CellSize:]))
	}
	return e, nil, nil
}

func (s *sections) undecodedTag() layout.Tag {
	if data := s[disk.SectionData]; len(data) > 0 {
		return disk.UndecodedTag(data[len(data)-1])
	}
	return 0
}

// isUnknownTag reports whether a later JDK may have added a tag, with unknown meaning and size. HotSpot's begin at 1.
func isUnknownTag(tag layout.Tag) bool { return tag > layout.TagSpeculativeTrap && tag < 32 }

// sectionRules has the rules for the entries of each section. holds checks an entry that follows one at bci previous.
var sectionRules = [disk.SectionDirectory]struct {
	refusal Refusal
	holds   func(e disk.Entry, previous int32, isLast bool) bool
}{
	disk.SectionData: {RefusedData, func(e disk.Entry, previous int32, _ bool) bool {
		switch e.Tag() {
		case layout.TagArgInfo, layout.TagParametersType, layout.TagSpeculativeTrap:
			return false
		}
		return (!disk.IsWide(e.Tag()) || e.Tag() == disk.TagUndecoded) && e.Point() > previous
	}},
	disk.SectionExtra: {RefusedExtra, func(e disk.Entry, _ int32, isLast bool) bool { // ArgInfo is the last
		return e.Tag() == layout.TagArgInfo && isLast ||
			(e.Tag() == layout.TagBit || e.Tag() == layout.TagSpeculativeTrap) && !isLast
	}},
	disk.SectionParameters: {RefusedParameters, func(e disk.Entry, _ int32, isLast bool) bool { // there is at most one
		return e.Tag() == layout.TagParametersType && isLast
	}},
	disk.SectionHandlers: {RefusedHandlers, func(e disk.Entry, _ int32, _ bool) bool {
		return e.Tag() == layout.TagBit
	}},
}

func (d *dataSchema) splitSections(b []byte) (parts [disk.SectionDirectory][]byte, err error) {
	b, header := b[d.data:], b
	end := len(b)
	if d.handlers != 0 {
		at := int(int32(le.Uint32(header[d.handlers:])))
		if at < 0 || at > end {
			return parts, RefusedHandlers
		}
		parts[disk.SectionHandlers] = b[at:end]
		end = at
	}
	if at := int(int32(le.Uint32(header[d.parameters:]))); at != noParameters {
		if at < 0 || at >= end {
			return parts, RefusedParameters
		}
		parts[disk.SectionParameters] = b[at:end]
		end = at
	}
	size := int(int32(le.Uint32(header[d.dataSize:])))
	if size < 0 || size > end {
		return parts, RefusedData
	}
	parts[disk.SectionData] = b[:size]
	parts[disk.SectionExtra] = b[size:end]
	return parts, nil
}

// guessReceiverGap determines the number of cells between the count and the rows of a receiver entry, which the VM
// does not export. With the correct number, most MethodData end where they must. MethodData with undecodable ends are
// ignored, since they fit any number.
func (d *dataSchema) guessReceiverGap(methods []methodData, shape disk.Shape) disk.Shape {
	best, most := shape, -1
	for _, shape.Gap = range []int{0, 1} {
		n := 0
		for i := range methods {
			if methods[i].refused != nil {
				continue
			}
			if s, err := d.parseSections(methods[i].data, shape); err == nil && s.undecodedTag() == 0 {
				n++
			}
		}
		if n > most {
			best, most = shape, n
		}
	}
	return best
}

// everCompiled reports whether a method was compiled at any time of the run. The compiled code may have been
// discarded since, for instance when a newly loaded class invalidated it. A compilation leaves these traces:
//
//   - its code in the code cache, until that is freed;
//   - in MethodCounters the highest level of any installed code,
//     and of the code of loops (OSR);
//   - in MethodData the number of C2's discarded compilations;
//   - in MethodData the facts that C1 records when it compiles the method with
//     profiling: its blocks, and whether profiling is worthwhile.
//
// The trap history is no evidence, since C2 counts a trap in the method of the bytecode, which may have been inlined
// and never compiled itself. headers is whether the fields that the VM does not export are plausible. Without them
// only the code and the discarded compilations count.
func (s *schema) everCompiled(f *profiledMethod, headers bool) bool {
	h := s.decodeHeader(f.data, f.counters)
	if f.compiled || h.history.Decompiles > 0 {
		return true
	}
	return headers && (h.compile.Level > 0 || h.osrLevel > 0 || h.compile.Blocks > 0 || h.compile.WouldProfile > 0)
}
