package verify

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// line returns where the search for an id begins.
func (c *check) line(id uint64, kind disk.RecordKind) int64 {
	bucket, _ := disk.Mix(id, kind, c.h.Seed).Split(c.h.Buckets)
	return c.lineOffset(bucket)
}

func (c *check) lineOffset(n uint64) int64 {
	return c.h.Region(disk.RegionIX).Offset + int64(n)*disk.LineSize
}

// index checks that a search finds every record, and that the index holds
// nothing else: it has as many slots in use as there are records.
func (c *check) index() error {
	used, err := c.usedSlots()
	if err != nil {
		return err
	}
	records, err := c.searchAll()
	if err == nil && used != records {
		err = c.wrong(disk.RegionIX, c.lineOffset(0), "the index has %d slots in use, there are %d records", used, records)
	}
	return err
}

func (c *check) usedSlots() (used uint64, err error) {
	for n := range c.h.Buckets {
		line, err := c.m.Bytes(disk.RegionIX, c.lineOffset(n), disk.LineSize)
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return used, err
		}
		c.report.Lines++
		if !disk.Line(line).Valid() {
			return used, c.wrong(disk.RegionIX, c.lineOffset(n), "a line with an impossible multiplier or mark")
		}
		for i := range disk.LineSlots {
			if binary.LittleEndian.Uint16(line[2*i:]) != 0 {
				used++
			}
		}
	}
	return used, nil
}

// searchAll searches for all methods and types.
func (c *check) searchAll() (records uint64, err error) {
	for m, err := range c.s.Methods() {
		if err != nil {
			return records, err
		}
		if !m.Indexed() {
			continue
		}
		if err := c.searchMethod(m); err != nil {
			return records, err
		}
		records++
	}
	types := c.h.Parts[disk.PartTypes]
	for at := types.Offset; at < types.End(); at += disk.TypeSize {
		b, err := c.m.Bytes(disk.RegionRO, at, disk.Unit)
		if err == nil {
			_, err = c.search(binary.LittleEndian.Uint64(b), disk.KindType, disk.RefOf(at))
		}
		if err != nil {
			return records, err
		}
		records++
	}
	return records, nil
}

// searchMethod searches for a method, and compares the flag that it shares its id
// with what else the search offers.
func (c *check) searchMethod(m reader.Method) error {
	rec, err := c.record(m)
	if err != nil {
		return err
	}
	to, id := m.Ref(), m.ID()
	if rec.Profiles != 0 && m.Flags()&disk.MethodSharedID == 0 {
		to = rec.Profiles
	}
	others, err := c.search(id, disk.KindMethod, to)
	if err != nil {
		return err
	}
	shared := false
	for _, n := range others {
		other, err := c.methodID(n)
		if err != nil {
			return err
		}
		shared = shared || other == id
	}
	if flag := m.Flags()&disk.MethodSharedID != 0; flag != shared {
		return c.wrong(disk.RegionRO, m.Ref().Offset(), "the flag that the method shares its id is %v, should be %v",
			flag, shared)
	}
	return nil
}

// methodID returns the id of the method to which a slot leads, 0 if it leads to a type.
func (c *check) methodID(n layout.Ref) (uint64, error) {
	if c.h.Parts[disk.PartTypes].Holds(n.Offset(), disk.TypeSize) {
		return 0, nil
	}
	if c.h.Parts[disk.PartMethods].Holds(n.Offset(), disk.MinMethodSize) {
		m, err := c.s.MethodAt(n)
		return m.ID(), err
	}
	if n == 0 {
		return 0, c.wrong(disk.RegionIX, c.lineOffset(0), "a slot in use that leads nowhere")
	}
	p, err := c.s.ProfileAt(n)
	if err != nil {
		return 0, err
	}
	id, _ := disk.Block(p.Bytes()).ID()
	return id, nil
}

// search looks for the slot of one record as docs/format.md says, and gives all
// other records that a search for its id meets.
func (c *check) search(id uint64, kind disk.RecordKind, record layout.Ref) (others []layout.Ref, err error) {
	if err := c.interrupted(); err != nil {
		return nil, err
	}
	hash := disk.Mix(id, kind, c.h.Seed)
	bucket, rest := hash.Split(c.h.Buckets)
	found := false
	for range c.h.MaxProbe {
		b, err := c.m.Bytes(disk.RegionIX, c.lineOffset(bucket), disk.LineSize)
		if err != nil {
			return nil, err
		}
		line := disk.Line(b)
		slots := line.Candidates(hash, rest)
		for i := range disk.LineSlots {
			switch {
			case slots>>i&1 == 0:
			case line.Record(i) == record:
				found = true
			default:
				others = append(others, line.Record(i))
			}
		}
		if !line.Overflowed(hash) {
			break
		}
		bucket = (bucket + 1) % c.h.Buckets
	}
	if !found {
		err = c.wrong(disk.RegionIX, c.line(id, kind), "the index does not lead to the record at 0x%x", record.Offset())
	}
	return others, err
}
