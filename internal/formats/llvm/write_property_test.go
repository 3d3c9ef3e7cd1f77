package llvm

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// drawnProfile draws profiles of an LLVM domain, all that LLVM can say.
func drawnProfile(t *rapid.T) *builder.Builder {
	var params layout.Params
	variant := rapid.SampledFrom([]Variant{0, VariantIR, VariantIR | VariantEntryFirst,
		VariantIR | VariantContextSensitive}).Draw(t, "variant")
	params.LLVMVariant = uint32(variant)
	b := builder.New(variant.Domain(), builder.Config{Params: params})
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_][a-z;:. ]{0,6}[a-z]`), 0, 80,
		rapid.ID[string]).Draw(t, "names")
	for i, name := range names {
		for _, hash := range rapid.SliceOfNDistinct(drawnHash(), 1, 8, rapid.ID[uint64]).Draw(t, fmt.Sprint("hashes ", i)) {
			if variant&VariantContextSensitive == 0 && variant&VariantIR != 0 {
				hash &^= ContextSensitive
			}
			drawFunction(t, b, name, hash, names)
		}
	}
	drawTables(t, b, names)
	return b
}

// drawnHash draws hashes that meet in the buckets of LLVM's map.
func drawnHash() *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		return rapid.Uint64Range(0, 20).Draw(t, "low") | rapid.SampledFrom([]uint64{0, ContextSensitive,
			1 << 63}).Draw(t, "high")
	})
}

// drawnCount draws counts, small ones and the highest that are a number.
func drawnCount() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(0, pseudoWarm-1))
}

func drawFunction(t *rapid.T, b *builder.Builder, name string, hash uint64, names []string) {
	p := b.Profile(layout.Key{Name: name}, hash)
	p.Counters(0, rapid.SliceOfN(drawnCount(), 1, 10).Draw(t, "counts")...)
	if bitmap := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bitmap"); len(bitmap) > 0 {
		p.Bitmap(0, bitmap)
	}
	for kind := range layout.Sub(valueKindsKnown) {
		for site := range rapid.Int32Range(0, 9).Draw(t, "sites") {
			p.ValueSite(site, kind, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) builder.Value {
				return drawnValue(t, kind, names)
			}), 0, 5).Draw(t, "values")...)
		}
	}
	if err := p.Done(); err != nil {
		t.Skip(err) // the hash was drawn twice, but for the bit of context
	}
}

func drawnValue(t *rapid.T, kind layout.Sub, names []string) builder.Value {
	v := rapid.Uint64().Draw(t, "value")
	if kind == layout.SubIndirectCall {
		v = disk.NameRef(rapid.SampledFrom(names).Draw(t, "target"))
	}
	return builder.Value{Value: v, Count: drawnCount().Draw(t, "count")}
}

func drawTables(t *rapid.T, b *builder.Builder, names []string) {
	ids := b.Internal().Table(disk.TableBinaryIDs, 0)
	for _, id := range rapid.SliceOfNDistinct(rapid.StringN(1, 20, 20), 0, 3, rapid.ID[string]).Draw(t, "ids") {
		ids.Row(uint64(b.Internal().Symbol(id)))
	}
	vtables := b.Internal().Table(disk.TableVTables, 0)
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`_ZTV[a-z]{1,9}`), 0, 5, rapid.ID[string]).Draw(t,
		"vtables") {
		vtables.Row(uint64(b.Internal().Symbol(name)), 0, 0)
	}
	traces := rapid.Uint64Range(0, 3).Draw(t, "traces")
	if traces == 0 || len(names) == 0 {
		return
	}
	rows := b.Internal().Table(disk.TableTraces, 0)
	for trace := range traces {
		weight := rapid.Uint64Range(1, 9).Draw(t, "weight")
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 1, 5).Draw(t, "trace") {
			rows.Row(trace, weight, disk.NameRef(name))
		}
	}
	b.Internal().
		Table(disk.TableProperties, 0).
		Row(uint64(b.Internal().Symbol(PropertyStreamSize)), uint64(b.Internal().Symbol(fmt.Sprint(traces+7))))
}

// held returns what a version of the indexed format keeps of the content.
func (c content) held(version int) content {
	c.Functions = maps.Clone(c.Functions)
	for name, f := range c.Functions {
		if version < sinceBitmaps {
			f.Bitmap = ""
		}
		if version < sinceVTables {
			f.Sites = maps.Clone(f.Sites)
			maps.DeleteFunc(f.Sites, func(site string, _ []builder.Value) bool { return strings.HasPrefix(site, "2 ") })
		}
		c.Functions[name] = f
	}
	if version < sinceBinaryIDs {
		c.BinaryIDs = nil
	}
	if version < sinceVTables {
		c.VTables = nil
	}
	if version < sinceTraces {
		c.Traces, c.Stream = nil, nil
	}
	return c
}

// losses returns how much of the content a version does not keep.
func (c *content) losses(version int) map[codec.LossKind]int {
	bitmaps, vtables := 0, 0
	for _, f := range c.Functions {
		if f.Bitmap != "" {
			bitmaps++
		}
		for site := range f.Sites {
			if strings.HasPrefix(site, "2 ") {
				vtables++
			}
		}
	}
	before := func(since, n int) int {
		if version < since {
			return n
		}
		return 0
	}
	return map[codec.LossKind]int{
		LossBitmaps: before(sinceBitmaps, bitmaps), LossVTableSites: before(sinceVTables, vtables),
		LossBinaryIDs: before(sinceBinaryIDs, len(c.BinaryIDs)), LossTraces: before(sinceTraces, len(c.Traces)),
		LossVTableNames: before(sinceVTables, len(c.VTables)), LossEntry: 0, LossContext: 0, LossNoCounters: 0,
		LossNoRecord: 0, LossValues: 0,
	}
}

// said returns the compared part: not the variant and version, which a version of the format changes.
func (c content) said() content {
	c.Variant, c.Version = 0, 0
	return c
}

func requireContent(t *rapid.T, want, got content) {
	t.Helper()
	if diff := cmp.Diff(want.said(), got.said(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("other contents:\n%.3000s", diff)
	}
}

// The contents that every version can hold are read back unchanged; other contents is counted.
func TestIndexedFilesAreReadAgain(t *testing.T) {
	full.Only(t, "takes many inputs")
	rapid.Check(t, func(rt *rapid.T) {
		b := drawnProfile(rt)
		want := contentOfBuilder(t, b)
		store := memstore.Open(t, b)
		version := rapid.IntRange(WrittenOldest, WrittenNewest).Draw(rt, "version")
		file, r := writeIndexed(t, store, WriteOptions{Version: version, KeepVTableNames: true})
		requireContent(rt, want.held(version), *contentOf(t, file))
		for what, n := range want.losses(version) {
			if r.Lost.Count(what) != n {
				rt.Fatalf("version %d: %d lost, want %d: %s", version, r.Lost.Count(what), n, what)
			}
		}
	})
}

// Text is read again but for binary ids and vtables.
func TestTextIsReadAgain(t *testing.T) {
	full.Only(t, "takes many inputs")
	rapid.Check(t, func(rt *rapid.T) {
		b := drawnProfile(rt)
		want := contentOfBuilder(t, b).asText("22")
		file, _ := writeText(t, memstore.Open(t, b), WriteOptions{})
		if len(file) == 0 {
			return // a front end's profile of nothing has no line
		}
		requireContent(rt, want, contentOf(t, file).asText("22"))
	})
}

// Functions that never ran can be left out; the others are the same.
func TestSparseLeavesColdFunctionsOut(t *testing.T) {
	full.Only(t, "takes many inputs")
	rapid.Check(t, func(rt *rapid.T) {
		b := drawnProfile(rt)
		whole := contentOfBuilder(t, b)
		warm := map[string]bool{}
		for key, f := range whole.Functions {
			ran := slices.ContainsFunc(f.Counts, func(n uint64) bool { return n > 0 }) || strings.Trim(f.Bitmap, "0") != ""
			name := key[:strings.LastIndexByte(key, ' ')]
			warm[name] = warm[name] || ran
		}
		want := *whole
		want.Functions = maps.Clone(whole.Functions)
		maps.DeleteFunc(want.Functions, func(key string, _ counted) bool {
			return !warm[key[:strings.LastIndexByte(key, ' ')]]
		})
		file, _ := writeIndexed(t, memstore.Open(t, b),
			WriteOptions{Version: WrittenNewest, Sparse: true, KeepVTableNames: true})
		requireContent(rt, want, *contentOf(t, file))
	})
}

// A site keeps the 255 most frequent values.
func TestSitesKeepTheMostFrequentValues(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	p := b.Profile(layout.Key{Name: "f"}, 1)
	p.Counters(0, 1)
	var values []builder.Value
	for i := range uint64(300) {
		values = append(values, builder.Value{Value: i, Count: 1000 + i})
	}
	p.ValueSite(0, layout.SubMemOpSize, values...)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	store := memstore.Open(t, b)
	file, r := writeIndexed(t, store, WriteOptions{})
	kept := contentOf(t, file).Functions["f 0000000000000001"].Sites["1 0"]
	if len(kept) != maxSiteValues || kept[0].Value != 300-maxSiteValues || r.Lost.Count(LossValues) != 300-maxSiteValues {
		t.Errorf("%d values from %d on, lost %v", len(kept), kept[0].Value, r.Lost)
	}
	text, r := writeText(t, store, WriteOptions{})
	if !bytes.Contains(text, []byte("\n255\n299:1299\n")) || r.Lost.Count(LossValues) != 300-maxSiteValues {
		t.Errorf("%.200s, lost %v", text, r.Lost)
	}
}
