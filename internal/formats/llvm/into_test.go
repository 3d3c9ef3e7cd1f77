package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// TestInto: files are summed, with weights; what they say of the process as a whole is there once.
func TestInto(t *testing.T) {
	raw := fullSpec(10, VariantIR|VariantTemporal, false, 8).encode(t)
	b, _, err := Read(bytes.NewReader(raw), ReadOptions{Run: profileset.RunRules{Weight: 3 * layout.WeightOne}})
	if err != nil {
		t.Fatal(err)
	}
	o := ReadOptions{Into: b, Run: profileset.RunRules{Weight: layout.WeightOne / 2}}
	if _, _, err := Read(bytes.NewReader(smallIndexed(13)), o); err != nil {
		t.Fatal(err)
	}
	o = ReadOptions{Into: b}
	_, third, err := Read(bytes.NewReader(raw), o)
	if err != nil {
		t.Fatal(err)
	}
	if p := third.Params; p.LLVMVersion != 12 || p.LLVMNewest != 13 {
		t.Errorf("versions %d to %d of all", p.LLVMVersion, p.LLVMNewest)
	}
	c := contentOfBuilder(t, b)
	if got := c.Functions["main 8000000000000005"].Counts; !slices.Equal(got, []uint64{4, 0, 4 << 40}) {
		t.Errorf("counts %d", got)
	}
	// Another number of counters is of other code: the longer are kept.
	if got := c.Functions["a.cpp;_ZL3addll 0000000000000009"].Counts; !slices.Equal(got, []uint64{45, 1}) ||
		b.Internal().Unmerged() == 0 {
		t.Errorf("counts %d, %d unmerged", got, b.Internal().Unmerged())
	}
	if len(c.BinaryIDs) != 3 || !slices.Equal(c.VTables, []string{"_ZTV1A", "_ZTV1B"}) {
		t.Errorf("binary ids %q, vtables %q", c.BinaryIDs, c.VTables)
	}
	var weights []uint64
	for _, trace := range c.Traces {
		weights = append(weights, trace[0])
	}
	if !slices.Equal(weights, []uint64{1, 2, 3}) { // half of 3 is 1.5, and rounded
		t.Errorf("weights of traces: %d", weights)
	}
}

// TestWeightsOfTraces: llvm-profdata weighs a trace when it is made alone.
func TestWeightsOfTraces(t *testing.T) {
	run := profileset.RunRules{Weight: 5 * layout.WeightOne, AsLLVM: true}
	for want, file := range map[uint64][]byte{3: smallIndexed(13), 5: fullSpec(10, VariantTemporal, false, 8).encode(t)} {
		b, _, err := Read(bytes.NewReader(file), ReadOptions{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if got := contentOfBuilder(t, b).Traces; len(got) != 1 || got[0][0] != want {
			t.Errorf("traces %d, want one of weight %d", got, want)
		}
	}
}

func TestIntoMismatch(t *testing.T) {
	counts, _, err := Read(strings.NewReader(":ir\nf\n1\n1\n5\n"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"f\n1\n1\n5\n": false, ":fe\nf\n1\n1\n5\n": false, ":ir\n:single_byte_coverage\nf\n1\n1\n1\n": false,
		":ir\n:entry_first\nf\n1\n1\n1\n": true, ":csir\nf\n1\n1\n1\n": true,
	} {
		o := ReadOptions{Name: "b", Into: counts}
		_, checked := readAndDrop(strings.NewReader(text), o)
		_, _, err := Read(strings.NewReader(text), o)
		if ok != (err == nil) || !ok && !errors.Is(err, builder.ErrMismatch) || fmt.Sprint(err) != fmt.Sprint(checked) {
			t.Errorf("%q: read: %v, checked: %v", text, err, checked)
		}
	}
	if err := counts.Err(); err != nil {
		t.Errorf("the builder has failed: %v", err)
	}
}

// TestVariantsAreUnited: an archive says of itself what any of its files says.
func TestVariantsAreUnited(t *testing.T) {
	b, _, err := Read(bytes.NewReader(fullSpec(10, VariantIR|VariantEntryFirst, false, 8).encode(t)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	second := fullSpec(10, VariantIR|VariantLoopEntries, false, 8).encode(t)
	if _, err := readAndDrop(bytes.NewReader(second), ReadOptions{Into: b}); err != nil ||
		b.Internal().Params().LLVMVariant != uint32(VariantIR|VariantEntryFirst) {
		t.Errorf("checked: %v, the builder has the variant %#x", err, b.Internal().Params().LLVMVariant)
	}
	_, report, err := Read(bytes.NewReader(second), ReadOptions{Into: b})
	if err != nil {
		t.Fatal(err)
	}
	const want = VariantIR | VariantEntryFirst | VariantLoopEntries
	if c := contentOfBuilder(t, b); c.Variant != want || report.Params.LLVMVariant != uint32(want) {
		t.Errorf("variant %#x, reported %#x", c.Variant, report.Params.LLVMVariant)
	}
}

// TestRollbackKeepsNothing: a file whose batch is rolled back leaves the builder unchanged.
func TestRollbackKeepsNothing(t *testing.T) {
	full := fullSpec(10, VariantIR|VariantTemporal, false, 8).encode(t)
	b, _, err := Read(strings.NewReader(":ir\nf\n1\n1\n5\n"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{full, smallIndexed(13)} {
		if _, err := readAndDrop(bytes.NewReader(file), ReadOptions{Into: b}); err != nil {
			t.Fatal(err)
		}
	}
	if after, _, err := b.Bytes(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the archive has changed: %d bytes, then %d, %v", len(before), len(after), err)
	}
}

// TestVersionOfUser: who imports may know which LLVM it was.
func TestVersionOfUser(t *testing.T) {
	var o ReadOptions
	o.Config.Params.LLVMVersion = uint32(VersionOfRelease(22))
	for name, want := range map[string]uint32{"raw 10": 13, "text": 13, "indexed 13": 13} {
		b, _, err := Read(bytes.NewReader(intact(t)[name]), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := contentOfBuilder(t, b).Version; got != want {
			t.Errorf("%s: version %d, want %d", name, got, want)
		}
	}
	for release, want := range map[int]int{3: 0, 12: 7, 14: 7, 15: 8, 16: 9, 17: 10, 18: 11, 19: 12, 21: 12,
		22: 13, 40: 13} {
		if got := VersionOfRelease(release); got != want {
			t.Errorf("LLVM %d: version %d, want %d", release, got, want)
		}
	}
}
