package specimen_test

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// coverage is the part of the format that the specimens have.
type coverage struct {
	tags     map[layout.Tag]bool
	presence disk.Presence
	sections map[disk.BlockSection]bool
	methods  layout.MethodFlags
	types    layout.TypeFlags
	tables   map[disk.TableKind]bool
	columns  map[disk.ColumnKind]bool
	domains  map[layout.Domain]bool
}

// open returns the archive of a specimen.
func open(t *testing.T, s specimen.Specimen) *reader.Store {
	t.Helper()
	data, err := s.Bytes()
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	m, err := archive.FromBytes(s.Name, data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func (c *coverage) add(t *testing.T, s *reader.Store) {
	t.Helper()
	c.domains[s.Header().Domain] = true
	for typ, err := range s.Types() {
		if err != nil {
			t.Fatal(err)
		}
		flags, err := typ.Flags()
		if err != nil {
			t.Fatal(err)
		}
		c.types |= flags
	}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		c.methods |= m.Flags()
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			c.addProfile(p)
		}
	}
	for table, err := range s.Tables() {
		if err != nil {
			t.Fatal(err)
		}
		c.tables[table.Kind] = true
		for i := range table.Columns() {
			c.columns[table.Column(i)] = true
		}
	}
}

func (c *coverage) addProfile(p reader.Profile) {
	c.presence |= disk.Block(p.Bytes()).Presence()
	for section := disk.SectionData; section <= disk.SectionHandlers; section++ {
		for e := range p.Section(section) {
			c.tags[e.Tag()] = true
			c.sections[section] = true
		}
	}
}

func TestSpecimensCoverTheFormat(t *testing.T) {
	t.Parallel()
	c := coverage{tags: map[layout.Tag]bool{}, sections: map[disk.BlockSection]bool{},
		tables: map[disk.TableKind]bool{}, columns: map[disk.ColumnKind]bool{}, domains: map[layout.Domain]bool{}}
	for _, s := range append(specimen.All(), specimen.Later()...) {
		store := open(t, s)
		if store.Header().Domain != s.Domain {
			t.Errorf("%s has the domain %v, want %v", s.Name, store.Header().Domain, s.Domain)
		}
		c.add(t, store)
	}
	for tag := layout.TagBit; tag <= disk.TagUndecoded; tag++ {
		if (tag <= layout.TagSpeculativeTrap || disk.IsWide(tag)) && !c.tags[tag] {
			t.Errorf("no entry of tag %v", tag)
		}
	}
	for _, k := range disk.TableKinds() {
		if !c.tables[k] {
			t.Errorf("no table of kind %d", k)
		}
	}
	for k := disk.ColumnWord; k <= disk.ColumnContext; k++ {
		if !c.columns[k] {
			t.Errorf("no column of kind %d", k)
		}
	}
	if all := disk.HasDirectory<<1 - 1; c.presence != all {
		t.Errorf("optional fields 0x%x, want 0x%x", c.presence, all)
	}
	if all := disk.MethodHasID<<1 - 1; c.methods != all {
		t.Errorf("method flags 0x%x, want 0x%x", c.methods, all)
	}
	if all := disk.TypeInitialized<<1 - 1; c.types != all {
		t.Errorf("type flags 0x%x, want 0x%x", c.types, all)
	}
	if len(c.sections) != 4 || len(c.domains) != 7 {
		t.Errorf("%d sections, %d domains", len(c.sections), len(c.domains))
	}
}

func TestTwoKeysHaveOneID(t *testing.T) {
	t.Parallel()
	keys := specimen.SharedIDs()
	if keys[0] == keys[1] || keys[0].ID(layout.DomainHotSpot) != keys[1].ID(layout.DomainHotSpot) {
		t.Fatalf("IDs %016x and %016x differ", keys[0].ID(layout.DomainHotSpot), keys[1].ID(layout.DomainHotSpot))
	}
	store := open(t, specimen.All()[0])
	for i, k := range keys {
		m, err := store.Find(k)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := m.Profile(layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := p.Invocations(); !ok || n.Load() != uint64(1000+i) {
			t.Errorf("the profile of %s has %d invocations, want %d", k.Class, n.Load(), 1000+i)
		}
	}
}

func TestSpecimensAreSmallAndReproducible(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range specimen.All() {
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, again) || names[s.Name] {
			t.Errorf("%s: built twice with different bytes, or named twice", s.Name)
		}
		names[s.Name] = true
		h, err := disk.ParseHeader(data, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if content := disk.RegionOf(h, disk.RegionEX).End() + disk.RegionOf(h, disk.RegionRW).Size; content > 8<<10 {
			t.Errorf("%s has %d bytes of content", s.Name, content)
		}
	}
}
