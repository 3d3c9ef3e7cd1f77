package llvm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// wantSmall returns what an archive holds of smallIndexed.
func wantSmall(version int) *content {
	c := &content{Domain: layout.DomainLLVMIR, Variant: VariantIR | VariantTemporal, Version: uint32(version),
		Functions: map[string]counted{}}
	add := func(name string, hash uint64) {
		f := counted{Counts: []uint64{hash * 10, 1}, Sites: map[string][]builder.Value{}}
		if version >= 3 {
			f.Sites = map[string][]builder.Value{"0 0": nil, "0 1": {{Value: disk.NameRef("f"), Count: hash}}}
		}
		if version >= 11 {
			f.Bitmap = "81"
		}
		if version >= 2 && name == "main" && hash == 6 {
			f.Counts = []uint64{120, 2} // it is there twice
			f.Sites = map[string][]builder.Value{"0 0": nil, "0 1": {{Value: disk.NameRef("f"), Count: 12}}}
			if version < 3 {
				f.Sites = map[string][]builder.Value{}
			}
		}
		c.Functions[fmt.Sprintf("%s %016x", name, hash)] = f
	}
	add("f", 7)
	add("a.cpp;_ZL3addll", 9)
	add("main", 6)
	if version >= 2 {
		add("main", 5)
	}
	if version >= 9 {
		c.BinaryIDs = []string{"616263"}
	}
	if version >= 10 {
		c.Traces, c.Stream = [][]uint64{{3, disk.NameRef("main"), disk.NameRef("f")}}, []string{"5"}
	}
	if version >= 12 {
		c.VTables = []string{"_ZTV1A"}
	}
	return c
}

func TestIndexedOfAllVersions(t *testing.T) {
	for version := IndexedOldest; version <= IndexedNewest; version++ {
		if diff := cmp.Diff(wantSmall(version), contentOf(t, smallIndexed(version))); diff != "" {
			t.Errorf("version %d: other contents:\n%s", version, diff)
		}
	}
}

func TestIndexedRefused(t *testing.T) {
	for name, test := range map[string]struct {
		at   int
		word uint64
		want error
	}{
		"version 0":      {8, 0, ErrVersion},
		"version 14":     {8, 14, ErrVersion},
		"a kind of hash": {24, 1, ErrMalformed},
		"no summary":     {72, 1 << 50, ErrMalformed},
	} {
		file := smallIndexed(13)
		binary.LittleEndian.PutUint64(file[test.at:], test.word)
		if err := readOnce(t, file); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range []int{40, 48, 56, 64} { // offsets of sections, as if they lay within the functions
		file := smallIndexed(13)
		binary.LittleEndian.PutUint64(file[at:], 144)
		if err := readOnce(t, file); (at == 40) != (err == nil) || err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("an offset at %d: %v", at, err)
		}
	}
}
