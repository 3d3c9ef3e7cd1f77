package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// fullSpec has something of everything that its version can hold.
func fullSpec(version int, variant Variant, big bool, pointer int) rawSpec {
	s := rawSpec{version: version, variant: variant, big: big, pointer: pointer, packed: version%2 == 0,
		before: 4096 * (version % 2)}
	s.binaryIDs = []string{"0123456789", "a longer identity of a program"}
	s.functions = []rawSpecFunction{
		{name: "main", hash: 1<<63 | 5, counts: []uint64{1, 0, 1 << 40}, address: 0x4010, stamp: 7},
		{name: "a.cpp;_ZL3addll", hash: 9, counts: []uint64{77}, address: 0x4020, stamp: 3},
		{name: "_Z1fv", hash: 10, counts: []uint64{0, 0}, address: 0x4030},
	}
	if variant&VariantByteCoverage != 0 {
		for i := range s.functions {
			for j := range s.functions[i].counts {
				s.functions[i].counts[j] = uint64(j+i) % 2
			}
		}
	}
	f := &s.functions[0]
	f.sites[0] = [][]builder.Value{{{Value: 0x4020, Count: 5}, {Value: 0x4021, Count: 4}, {Value: 0, Count: 3}}, {}}
	f.sites[1] = [][]builder.Value{{}, {{Value: 8, Count: 5}}, {{Value: 1 << 33, Count: 2}}}
	s.functions[2].sites[1] = [][]builder.Value{{{Value: 3, Count: 1}}}
	if version >= 9 {
		s.functions[1].bitmap = []byte{1, 0, 0xff}
		s.functions[2].bitmap = []byte{2}
	}
	if version >= 10 {
		s.vtables = []rawSpecVTable{{"_ZTV1A", 0x8000, 24}, {"_ZTV1B", 0x8018, 32}}
		f.sites[2] = [][]builder.Value{{{Value: 0x8010, Count: 6}, {Value: 0x8020, Count: 5}, {Value: 0x8039, Count: 4}}}
	}
	return s
}

// want returns what an archive holds of it.
func (s *rawSpec) want() *content {
	c := &content{Domain: s.variant.Domain(), Variant: s.variant, Functions: map[string]counted{}}
	c.Version = map[int]uint32{7: 7, 8: 7, 9: 11, 10: 12, 11: 13}[s.version]
	if s.version == 8 && s.variant&VariantTemporal != 0 {
		c.Version = 10
	}
	remap := map[uint64]uint64{0x4020: disk.NameRef("a.cpp;_ZL3addll"), 0x8010: disk.NameRef("_ZTV1A"),
		0x8020: disk.NameRef("_ZTV1B")}
	for _, f := range s.functions[:len(s.functions)-s.unnamed] {
		to := counted{Counts: f.counts, Sites: map[string][]builder.Value{}, Bitmap: fmt.Sprintf("%x", f.bitmap)}
		for kind, sites := range f.sites {
			for i, site := range sites {
				var values []builder.Value
				for _, v := range site {
					if layout.Sub(kind) != layout.SubMemOpSize {
						v.Value = remap[v.Value]
					}
					values = append(values, v)
				}
				to.Sites[fmt.Sprint(kind, " ", i)] = summed(values)
			}
		}
		c.Functions[fmt.Sprintf("%s %016x", f.name, f.hash)] = to
	}
	for _, id := range s.binaryIDs {
		c.BinaryIDs = append(c.BinaryIDs, fmt.Sprintf("%x", id))
	}
	for _, v := range s.vtables {
		c.VTables = append(c.VTables, v.name)
	}
	if s.variant&VariantTemporal != 0 {
		c.Traces, c.Stream = [][]uint64{{1, disk.NameRef("a.cpp;_ZL3addll"), disk.NameRef("main")}}, []string{"1"}
	}
	return c
}

var rawVariants = []Variant{0, VariantIR, VariantIR | VariantByteCoverage, VariantIR | VariantTemporal,
	VariantIR | VariantByteCoverage | VariantTemporal}

// eachSpec calls the test for all versions, variants and machines.
func eachSpec(t *testing.T, yield func(t *testing.T, s rawSpec)) {
	for version := RawOldest; version <= RawNewest; version++ {
		for _, variant := range rawVariants {
			for _, big := range []bool{false, true} {
				for _, pointer := range []int{4, 8} {
					t.Run(fmt.Sprintf("version=%d,variant=%x,big=%t,pointer=%d", version, variant, big, pointer), func(t *testing.T) {
						yield(t, fullSpec(version, variant, big, pointer))
					})
				}
			}
		}
	}
}

func TestRawOfAllMachines(t *testing.T) {
	eachSpec(t, func(t *testing.T, s rawSpec) {
		if diff := cmp.Diff(s.want(), contentOf(t, s.encode(t))); diff != "" {
			t.Errorf("the archive has other contents than the file:\n%.3000s", diff)
		}
	})
}

func TestRawUnnamed(t *testing.T) {
	s := fullSpec(10, VariantIR, false, 8)
	s.unnamed = 1
	c := contentOf(t, s.encode(t))
	if diff := cmp.Diff(s.want(), c); diff != "" {
		t.Errorf("the archive has other contents than the file:\n%.3000s", diff)
	}
	_, report, err := Read(bytes.NewReader(s.encode(t)), ReadOptions{})
	if err != nil || report.Lost.Count(LossUnnamed) != 1 || report.Methods != 2 {
		t.Errorf("report %+v, %v", report, err)
	}
}

// TestRawModules: a file has all modules of a process. A function that
// two of them have, and one that a module has twice, is counted together.
func TestRawModules(t *testing.T) {
	a, b := fullSpec(10, VariantIR|VariantTemporal, false, 8),
		fullSpec(10, VariantIR|VariantTemporal|VariantEntryFirst, false, 8)
	b.functions = append(b.functions, b.functions[1],
		rawSpecFunction{name: "late", hash: 1, counts: []uint64{4}, stamp: 5})
	b.binaryIDs = append(b.binaryIDs, "another")
	file := append(a.encode(t), make([]byte, 64)...)
	file = append(file, b.encode(t)...)
	c := contentOf(t, file)
	if got := c.Functions["a.cpp;_ZL3addll 0000000000000009"]; got.Counts[0] != 3*77 {
		t.Errorf("counts of three records are %d", got.Counts)
	}
	if got := c.Functions["late 0000000000000001"]; len(c.Functions) != 4 || got.Counts[0] != 4 {
		t.Errorf("functions: %v", c.Functions)
	}
	if len(c.BinaryIDs) != 3 || len(c.VTables) != 2 {
		t.Errorf("binary ids %q, vtables %q", c.BinaryIDs, c.VTables)
	}
	add, main := disk.NameRef("a.cpp;_ZL3addll"), disk.NameRef("main")
	if want := [][]uint64{{1, add, add, add, disk.NameRef("late"), main, main}}; !cmp.Equal(c.Traces, want) {
		t.Errorf("traces %v, want %v", c.Traces, want)
	}
	if c.Variant != VariantIR|VariantTemporal|VariantEntryFirst {
		t.Errorf("variant %x", c.Variant)
	}
	_, report, err := Read(bytes.NewReader(file), ReadOptions{})
	if err != nil || report.Modules != 2 || report.Methods != 8 || report.Traces != 1 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestRawRefused(t *testing.T) {
	change := func(change func(s *rawSpec)) []byte {
		s := fullSpec(10, VariantIR, false, 8)
		change(&s)
		return s.encode(t)
	}
	whole := change(func(*rawSpec) {})
	for name, test := range map[string]struct {
		file []byte
		want error
	}{
		"old":         {change(func(s *rawSpec) { s.version = 6 }), ErrVersion},
		"new":         {change(func(s *rawSpec) { s.version = 12 }), ErrVersion},
		"correlated":  {change(func(s *rawSpec) { s.variant |= VariantCorrelated }), ErrCorrelated},
		"no counters": {change(func(s *rawSpec) { s.functions[1].counts = nil }), ErrMalformed},
		"other machine": {append(whole[:len(whole):len(whole)], change(func(s *rawSpec) { s.big = true })...),
			ErrMalformed},
		"garbage at the end": {append(whole[:len(whole):len(whole)], bytes.Repeat([]byte{7}, 16)...), ErrMalformed},
		"empty name":         {change(func(s *rawSpec) { s.functions[1].name = "a\x00b" }), ErrMalformed},
		"front end after IR": {append(whole[:len(whole):len(whole)], change(func(s *rawSpec) { s.variant = 0 })...),
			builder.ErrMismatch},
		"coverage after counts": {append(whole[:len(whole):len(whole)], change(func(s *rawSpec) {
			s.variant |= VariantByteCoverage
			s.functions[0].counts = []uint64{1}
			s.functions[1].counts = []uint64{0}
		})...), builder.ErrMismatch},
		"empty":              {nil, ErrNotProfile},
		"something else":     {[]byte("\x7fELF\x02\x01\x01\x00........"), ErrNotProfile},
		"magic alone":        {whole[:8], ErrCut},
		"in the second half": {append(whole[:len(whole):len(whole)], whole[:200]...), ErrCut},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Read(bytes.NewReader(test.file), ReadOptions{Name: "x.profraw"})
			if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if _, checked := readAndDrop(bytes.NewReader(test.file),
				ReadOptions{Name: "x.profraw"}); fmt.Sprint(checked) != fmt.Sprint(err) {
				t.Errorf("checked: %v, read: %v", checked, err)
			}
		})
	}
}
