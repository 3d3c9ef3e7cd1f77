package replay

import (
	"bytes"
	"encoding/binary"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/reader"
)

// The bytes that a file calls "orig" are, in JDK 17 to 25, the 80 bytes of
// MethodData::CompilerCounters:
//
//	 0 u32 decompiles
//	 4 u32 overflow recompiles
//	 8 u32 overflow traps
//	12 u32 nothing; whatever was there before
//	16 64 x u8 traps by reason
//
// jhsdb of JDK 17 writes the whole MethodData, 312 bytes, in which they begin
// at byte 128.
const (
	countersSize   = 80
	countersReason = 16

	wholeSize     = 312
	wholeCounters = 128
)

// compilerCounters cuts the counters out of the bytes; ok is false if their
// layout is not known.
func compilerCounters(header []byte) (counters []byte, ok bool) {
	switch len(header) {
	case countersSize:
		return header, true
	case wholeSize:
		return header[wholeCounters:][:countersSize], true
	}
	return nil, false
}

// readHistory notes the counters in a profile. What is all zero is left out.
func readHistory(p *builder.Profile, counters []byte) {
	le := binary.LittleEndian
	h := builder.History{Decompiles: le.Uint32(counters), OverflowRecompiles: le.Uint32(counters[4:]), OverflowTraps: le.Uint32(counters[8:])}
	if h != (builder.History{}) {
		p.History(h)
	}
	if traps := counters[countersReason:]; len(bytes.Trim(traps, "\x00")) > 0 {
		p.TrapHistory(traps)
	}
}

// writeHistory is the inverse of readHistory. lost says whether the VM has no
// room for all that the profile has.
func writeHistory(p reader.Profile) (counters []byte, lost bool) {
	h, _ := p.History()
	le := binary.LittleEndian
	counters = le.AppendUint32(counters, h.Decompiles)
	counters = le.AppendUint32(counters, h.OverflowRecompiles)
	counters = le.AppendUint32(counters, h.OverflowTraps)
	counters = le.AppendUint32(counters, 0)
	traps := p.TrapHistory()
	room := make([]byte, countersSize-countersReason)
	n := copy(room, traps)
	return append(counters, room...), h.TenureTraps != 0 || len(bytes.Trim(traps[n:], "\x00")) > 0
}
