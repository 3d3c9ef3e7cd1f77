package verify

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// line is where the search for an id begins.
func (c *check) line(id uint64, kind disk.RecordKind) int64 {
	return c.lineOffset(disk.Mix(id, kind, c.h.Seed).Bucket(c.h.Buckets))
}

func (c *check) lineOffset(n uint64) int64 {
	return c.h.Region(layout.RegionIX).Offset + int64(n)*disk.LineSize
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
		err = c.wrong(layout.RegionIX, c.lineOffset(0), "the index has %d slots in use, there are %d records", used, records)
	}
	return err
}

func (c *check) usedSlots() (used uint64, err error) {
	for n := range c.h.Buckets {
		line, err := c.m.Bytes(layout.RegionIX, c.lineOffset(n), disk.LineSize)
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return used, err
		}
		c.report.Lines++
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
		id, err := c.id(disk.RefOf(at))
		if err == nil {
			_, err = c.search(id, disk.KindType, disk.RefOf(at))
		}
		if err != nil {
			return records, err
		}
		records++
	}
	return records, nil
}

// id is the id of a method or type: both begin with it.
func (c *check) id(n layout.Ref) (uint64, error) {
	b, err := c.m.Bytes(layout.RegionRO, n.Offset(), disk.Unit)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// searchMethod searches for a method, and holds the flag that it shares its id
// against what else the search offers.
func (c *check) searchMethod(m reader.Method) error {
	others, err := c.search(m.ID(), disk.KindMethod, m.Ref())
	if err != nil {
		return err
	}
	shared := false
	for _, n := range others {
		if !c.h.Parts[disk.PartMethods].Holds(n.Offset(), disk.MinMethodSize) {
			continue
		}
		id, err := c.id(n)
		if err != nil {
			return err
		}
		shared = shared || id == m.ID()
	}
	if flag := m.Flags()&layout.MethodSharedID != 0; flag != shared {
		return c.wrong(layout.RegionRO, m.Ref().Offset(), "the flag that the method shares its id is %v, should be %v", flag, shared)
	}
	return nil
}

// search looks for the slot of one record as docs/format.md says, and gives all
// other records that a search for its id meets.
func (c *check) search(id uint64, kind disk.RecordKind, record layout.Ref) (others []layout.Ref, err error) {
	if err := c.interrupted(); err != nil {
		return nil, err
	}
	hash := disk.Mix(id, kind, c.h.Seed)
	bucket, found := hash.Bucket(c.h.Buckets), false
	for range c.h.MaxProbe {
		b, err := c.m.Bytes(layout.RegionIX, c.lineOffset(bucket), disk.LineSize)
		if err != nil {
			return nil, err
		}
		line := disk.Line(b)
		slots := line.Match(hash.Fingerprint())
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
		err = c.wrong(layout.RegionIX, c.line(id, kind), "the index does not lead to the record at 0x%x", record.Offset())
	}
	return others, err
}
