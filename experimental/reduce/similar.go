package reduce

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func versionsOf(m reader.Method) (map[string]reader.Profile, error) {
	versions := map[string]reader.Profile{}
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		of := binary.LittleEndian.AppendUint64(nil, p.Code())
		c, inContext, err := p.Context()
		if err != nil {
			return nil, err
		}
		if inContext {
			of, err = appendContext(of, c)
			if err != nil {
				return nil, err
			}
		}
		versions[string(of)] = p
	}
	return versions, nil
}

func appendContext(b []byte, c reader.Context) ([]byte, error) {
	frames, err := c.Frames()
	for _, f := range frames {
		b, err = appendMethod(b, f.Caller)
		if err != nil {
			return nil, err
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Point))
	}
	return b, err
}

func sameVersions(x, y map[string]reader.Profile) bool {
	if len(x) != len(y) {
		return false
	}
	for of := range x {
		if _, ok := y[of]; !ok {
			return false
		}
	}
	return true
}

func (c *comparison) countsAreSimilar(own, its map[string]reader.Profile) (bool, error) {
	if c.mayDiffer >= layout.WeightOne {
		return true, nil
	}
	for of, p := range own {
		x, err := countsOf(p)
		if err != nil {
			return false, err
		}
		y, err := countsOf(its[of])
		if err != nil {
			return false, err
		}
		if 1-countOverlap(x, y) > float64(c.mayDiffer)/float64(layout.WeightOne) {
			return false, nil
		}
	}
	return true, nil
}

// countOverlap returns the common part of two profiles' counts, 1 for equal proportions or if neither has counts.
func countOverlap(x, y map[string]uint64) (common float64) {
	sumX := sumOfCounts(x)
	sumY := sumOfCounts(y)
	if sumX == 0 || sumY == 0 {
		if sumX == sumY {
			return 1
		}
		return 0
	}
	for of, n := range x {
		common += min(float64(n)/sumX, float64(y[of])/sumY)
	}
	return common
}

func sumOfCounts(counts map[string]uint64) (sum float64) {
	for _, n := range counts {
		sum += float64(n)
	}
	return sum
}

// countsOf returns the counts of a profile by entry and row. Keys contain the types, methods and values of the row. A
// row without them has its number.
func countsOf(p reader.Profile) (map[string]uint64, error) {
	counts := map[string]uint64{}
	shape := (*mapped.Mapping)(p.Store().Mapping()).Shape()
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		of := binary.LittleEndian.AppendUint32([]byte{byte(raw.Tag())}, uint32(e.Point()))
		of = append(of, byte(raw.Sub()), byte(raw.Sub()>>8))
		var err error
		for cell, kind := range shape.Identity(raw) {
			of, err = appendKey(of, e, cell, kind)
			if err != nil {
				return nil, err
			}
		}
		group := byte(0)
		signed := shape.SignedCell(raw)
		for rows := range shape.Groups(raw) {
			for row := range rows.N {
				if err := addRowCounts(counts, append(of, group), e, rows, row, signed); err != nil {
					return nil, err
				}
			}
			group++
		}
	}
	return counts, nil
}

func addRowCounts(counts map[string]uint64, of []byte, e reader.Entry, rows disk.Rows, row, signed int) (err error) {
	keyed := false
	for i, c := range rows.Cells {
		if disk.IsKey(c.Kind) {
			keyed = true
			of, err = appendKey(of, e, rows.Cell(row, i), c.Kind)
			if err != nil {
				return err
			}
		}
	}
	if !keyed {
		of = binary.LittleEndian.AppendUint32(of, uint32(row))
	}
	for i, c := range rows.Cells {
		if c.Kind != disk.CellCount {
			continue
		}
		n := e.Cell(rows.Cell(row, i)).Trained()
		if rows.Cell(row, i) == signed {
			n = uint64(max(int64(n), 0))
		}
		key := string(append(of, byte(i)))
		counts[key] = disk.SaturatingAdd(counts[key], n)
	}
	return nil
}

func appendKey(b []byte, e reader.Entry, cell int, kind disk.CellKind) ([]byte, error) {
	v := e.Cell(cell).Trained()
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		w := e.TypeCell(cell)
		if kind == disk.CellTypeWord {
			b = append(b, byte(v&disk.TypeTags))
		}
		if !w.Type.Valid() {
			return append(b, 0), nil
		}
		return appendType(b, w.Type)
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		if err != nil || !m.Valid() {
			return append(b, 0), err
		}
		return appendMethod(b, m)
	}
	return binary.LittleEndian.AppendUint64(b, v), nil
}

func appendType(b []byte, t reader.Type) ([]byte, error) {
	name, err := t.Name()
	if err != nil {
		return nil, err
	}
	loader, err := t.Loader()
	return append(loader.AppendTo(append(name.AppendTo(append(b, 1)), 0)), 0), err
}

func appendMethod(b []byte, m reader.Method) ([]byte, error) {
	k, err := m.Key()
	for _, text := range []string{k.Class, k.Name, k.Signature, k.Loader} {
		b = append(append(b, text...), 0)
	}
	return b, err
}
