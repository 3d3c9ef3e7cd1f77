package perfdata

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// minAttribute is the size of the oldest attribute, and of the part that is read.
const minAttribute = 64

// Bits of the sample type, in the order of the fields: PERF_SAMPLE_*.
const (
	hasIP = 1 << iota
	hasTID
	hasTime
	hasAddress
	hasRead
	hasCallchain
	hasID
	hasCPU
	hasPeriod
	hasStreamID
	hasRaw
	hasBranches
	hasUserStack  = 1 << 13
	hasIdentifier = 1 << 16

	idFields = hasTID | hasTime | hasID | hasStreamID | hasCPU | hasIdentifier // fields at the end of other records
)

const (
	idOnAllRecords = 1 << 18 // flag of an attribute
	hardwareIndex  = 1 << 17 // bit of the branch sample type
)

// An attribute describes an event. The file has more fields.
type attribute struct {
	Kind, _                          uint32
	Config, _                        uint64
	SampleType, ReadFormat, Flags, _ uint64
	_, _                             uint64
	BranchType                       uint64
}

// An event is an event that perf recorded.
type event struct {
	name string
	attribute
}

// addEvent adds an event with its ids. An old attribute lacks the last field.
func (f *file) addEvent(b []byte, ids cursor) {
	e := &event{}
	if len(b) < minAttribute {
		return
	}
	b = append(slices.Clip(b), make([]byte, binary.Size(e.attribute))...)
	_, _ = binary.Decode(b, binary.LittleEndian, &e.attribute) // it has the size
	e.name = fmt.Sprintf("type-%d-config-%#x", e.Kind, e.Config)
	f.events = append(f.events, e)
	for len(ids.rest) >= 8 {
		f.byID[ids.u64()] = e
	}
}

// nameEvents reads the names of events: their number, the size of an attribute, and for each one the attribute, the
// number of ids, the size of the name, the name, and the ids.
func (f *file) nameEvents(c cursor) {
	n := int(c.u32())
	size := uint64(c.u32())
	for _, e := range f.events[:min(n, len(f.events))] {
		c.bytes(size)
		ids := uint64(c.u32())
		name := text(c.bytes(uint64(c.u32())))
		c.bytes(ids * 8)
		if c.rest == nil {
			return
		}
		e.name = name
	}
}

// A cursor reads numbers. After the end it reads zeros, and rest is nil.
type cursor struct{ rest []byte }

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.rest = nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) u32() (n uint32) {
	if b := c.bytes(4); b != nil {
		n = binary.LittleEndian.Uint32(b)
	}
	return n
}

func (c *cursor) u64() (n uint64) {
	if b := c.bytes(8); b != nil {
		n = binary.LittleEndian.Uint64(b)
	}
	return n
}

// list reads a number of items and their bytes.
func (c *cursor) list(n, size uint64) []byte {
	if n > uint64(len(c.rest)) {
		n = uint64(len(c.rest)) // which is too many
	}
	return c.bytes(n * size)
}

// has reports whether the fields of a sample include the one of a bit.
func (e *event) has(bit uint64) bool { return e.SampleType&bit != 0 }

// fieldsBefore returns the number of the set bits of a mask: fields of 8 bytes.
func (e *event) fieldsBefore(mask uint64) int { return 8 * bits.OnesCount64(e.SampleType&mask) }

// timeOf returns the time of a record, or 0.
func (e *event) timeOf(r record) uint64 {
	at := e.fieldsBefore(hasIdentifier | hasIP | hasTID)
	if r.kind != recordSample {
		if e.Flags&idOnAllRecords == 0 {
			return 0
		}
		at = len(r.body) - e.fieldsBefore(idFields) + e.fieldsBefore(hasTID)
	}
	if !e.has(hasTime) || at < 0 || at+8 > len(r.body) {
		return 0
	}
	return binary.LittleEndian.Uint64(r.body[at:])
}

// eventOf returns the event of a sample.
func (f *file) eventOf(body []byte) *event {
	e := f.events[0]
	at := 0
	if !e.has(hasIdentifier) {
		at = e.fieldsBefore(hasIP | hasTID | hasTime | hasAddress)
	}
	if len(f.events) > 1 && e.has(hasIdentifier|hasID) && at+8 <= len(body) {
		if of := f.byID[binary.LittleEndian.Uint64(body[at:])]; of != nil {
			return of
		}
	}
	return e
}

// readSample reads the fields of a sample. It returns false if the sample is cut off.
func (e *event) readSample(body []byte) (s Sample, ok bool) {
	c := cursor{body}
	read := func(bit uint64) (n uint64) {
		if e.has(bit) {
			n = c.u64()
		}
		return n
	}
	s.Event = e.name
	s.HasMemory = e.has(hasUserStack)
	read(hasIdentifier)
	s.IP = read(hasIP)
	s.Process = int(int32(uint32(read(hasTID))))
	read(hasTime)
	read(hasAddress)
	read(hasID)
	read(hasStreamID)
	read(hasCPU)
	s.Period = read(hasPeriod)
	if e.has(hasRead) {
		e.skipRead(&c)
	}
	if e.has(hasCallchain) {
		s.Chain = words(c.list(c.u64(), 8))
	}
	if e.has(hasRaw) {
		c.bytes(uint64(c.u32()))
	}
	if e.has(hasBranches) {
		n := c.u64()
		if e.BranchType&hardwareIndex != 0 {
			c.u64()
		}
		all := words(c.list(n, 24))
		for ; len(all) > 0; all = all[3:] {
			s.Branches = append(s.Branches, [2]uint64{all[0], all[1]})
		}
	}
	return s, c.rest != nil
}

func words(b []byte) (list []uint64) {
	for ; len(b) >= 8; b = b[8:] {
		list = append(list, binary.LittleEndian.Uint64(b))
	}
	return list
}

// skipRead skips the values of counters.
func (e *event) skipRead(c *cursor) {
	const enabled, running, id, group, lost = 1, 2, 4, 8, 16
	times := uint64(bits.OnesCount64(e.ReadFormat & (enabled | running)))
	each := 1 + uint64(bits.OnesCount64(e.ReadFormat&(id|lost)))
	if e.ReadFormat&group == 0 {
		c.list(times+each, 8)
		return
	}
	n := c.u64()
	c.list(times, 8)
	c.list(n, 8*each)
}
