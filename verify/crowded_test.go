package verify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A crowd is testdata/v1/crowded.parc, with the offsets of the columns of its table.
type crowd struct {
	data              []byte
	h                 *layout.Header
	ids, methods, ofs int64
	method, of, rows  int64 // an even row of a method, one of a type, and the number of rows
}

func readCrowd(t *testing.T) (c crowd) {
	t.Helper()
	var err error
	if c.data, err = os.ReadFile("../testdata/v1/crowded.parc"); err != nil {
		t.Fatal(err)
	}
	if c.h, err = disk.ParseHeader(c.data, int64(len(c.data))); err != nil {
		t.Fatal(err)
	}
	table, at, err := disk.ReadTable(c.h, disk.TableCrowded, func(_ layout.Region, offset, size int64) ([]byte, error) {
		return c.data[offset : offset+size], nil
	})
	if err != nil || table.Rows < 500 {
		t.Fatalf("%d rows: %v", table.Rows, err)
	}
	for row := 0; row < table.Rows-1; row += 2 {
		if table.Cell(1, row) != 0 {
			c.method = int64(row)
		} else {
			c.of = int64(row)
		}
	}
	c.rows = int64(table.Rows)
	c.ids = at + 16 + 8
	c.methods = c.ids + 8*c.rows
	c.ofs = c.methods + disk.AlignUp(4*c.rows, 8)
	return c
}

func (c *crowd) put32(at int64, v layout.Ref) { binary.LittleEndian.PutUint32(c.data[at:], uint32(v)) }
func (c *crowd) swap(at int64) {
	v := binary.LittleEndian.Uint64(c.data[at:])
	binary.LittleEndian.PutUint64(c.data[at:], bits.RotateLeft64(v, 32))
}

func (c *crowd) putID(row int64, id uint64) { binary.LittleEndian.PutUint64(c.data[c.ids+8*row:], id) }

// TestForgedCrowdIsFound breaks each rule of the table crowded. Verify must find it, and a reader must give the right
// answer, an error, or miss a record, but never another record.
func TestForgedCrowdIsFound(t *testing.T) {
	c := readCrowd(t)
	method := c.methods + 4*c.method
	of := c.ofs + 4*c.of
	firstMethod := disk.RefOf(c.h.Parts[disk.PartMethods].Offset)
	firstType := disk.RefOf(c.h.Parts[disk.PartTypes].Offset)
	for name, forge := range map[string]func(c *crowd){
		"no feature":                    func(c *crowd) { c.h.Required = 0 },
		"methods in another order":      func(c *crowd) { c.swap(method) },
		"types in another order":        func(c *crowd) { c.swap(of) },
		"a row of a method with a slot": func(c *crowd) { c.put32(method, firstMethod) },
		"a row of a type with a slot":   func(c *crowd) { c.put32(of, firstType) },
		"a row twice":                   func(c *crowd) { copy(c.data[method:], c.data[method+4:method+8]) },
		"a row of nothing":              func(c *crowd) { c.put32(method, 0) },
		"a row of both":                 func(c *crowd) { c.put32(c.ofs+4*c.method, firstType) },
		"a row inside a record":         func(c *crowd) { c.data[method]++ },
		"a row outside":                 func(c *crowd) { c.put32(method, 1<<31) },
		"a row of a type as method":     func(c *crowd) { c.put32(method, firstType) },
		"a row of a method as type":     func(c *crowd) { c.put32(of, firstMethod) },
		"a method with another id":      func(c *crowd) { c.putID(c.method, 5) },
		"a type with another id":        func(c *crowd) { c.putID(c.of, 5) },
		"all rows with another id": func(c *crowd) {
			for row := range c.rows {
				c.putID(row, 5)
			}
		},
		"searches of fewer lines": func(c *crowd) { c.h.MaxProbe = 7 },
		"searches of more lines":  func(c *crowd) { c.h.MaxProbe = 9 },
		"another seed":            func(c *crowd) { c.h.Seed = 9 },
	} {
		c := readCrowd(t)
		forge(&c)
		reseal(c.data, c.h)
		m, err := archive.FromBytes("app.parc", c.data, archive.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r := check(t, c.data); r.Sound() {
			t.Errorf("%s: sound", name)
		}
		askCrowd(t, name, reader.New(m))
	}
	if r := check(t, c.data); !r.Sound() {
		t.Errorf("%v", r.Problems)
	}
}

// TestFeatureWithoutRowsIsFound has the feature in archives that are not crowded.
func TestFeatureWithoutRowsIsFound(t *testing.T) {
	for _, s := range specimen.All() {
		data, h := sound(t, s.Name)
		h.Required = disk.FeatureCrowded
		reseal(data, h)
		if r := check(t, data); r.Sound() {
			t.Errorf("%s: sound", s.Name)
		}
	}
}

// askCrowd looks up each record in every way, and fails if the answer is another record.
func askCrowd(t *testing.T, name string, s *reader.Store) {
	t.Helper()
	for i := range 340 {
		k := layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i), Signature: "()V"}
		if m, err := s.Find(k); err == nil {
			if is, err := m.Key(); err != nil || is != k {
				t.Errorf("%s: %+v instead of %+v: %v", name, is, k, err)
			}
		}
		id := k.ID(layout.DomainHotSpot)
		if m, err := s.FindID(id); err == nil {
			t.Errorf("%s: one method of the id is %v", name, m.Ref())
		}
		if p, err := s.Profile(k, layout.CodeAny); err == nil {
			for e := range p.Entries() {
				r, _ := e.Receivers()
				if row, ok := r.Row(0); !ok || row.Count.Trained() != uint64(i) {
					t.Errorf("%s: another profile of %s", name, k.Name)
				}
			}
		}
		of := fmt.Sprintf(specimen.CrowdedType, i)
		if is, err := s.FindType(of, ""); err == nil {
			if text, err := is.Name(); err != nil || text.String() != of {
				t.Errorf("%s: %s instead of %s: %v", name, text, of, err)
			}
		}
	}
}

// TestCrowdIsFound looks up each record of a sound archive, and records that it lacks.
func TestCrowdIsFound(t *testing.T) {
	c := readCrowd(t)
	m, err := archive.FromBytes("app.parc", c.data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	askCrowd(t, "sound", s)
	for i := range 340 {
		k := layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i), Signature: "()V"}
		_, err1 := s.Find(k)
		_, err2 := s.Profile(k, layout.CodeAny)
		_, err3 := s.FindType(fmt.Sprintf(specimen.CrowdedType, i), "")
		for _, err := range []error{err1, err2, err3} {
			if want := error(nil); i < 330 && err != want || i >= 330 && !errors.Is(err, reader.ErrNotFound) {
				t.Errorf("%d: %v", i, err)
			}
		}
		if _, err := s.FindID(k.ID(layout.DomainHotSpot)); !errors.Is(err, reader.ErrAmbiguous) {
			t.Errorf("by id: %v", err)
		}
	}
}
