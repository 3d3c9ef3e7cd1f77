package llvm

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

func TestOtherDomainsAreRefused(t *testing.T) {
	s := memstore.Open(t, builder.New(layout.DomainHotSpot, builder.Config{}))
	_, indexed := WriteIndexed(io.Discard, s, WriteOptions{})
	_, text := WriteText(io.Discard, s, WriteOptions{})
	_, _, summary := Summarize(s)
	for _, err := range []error{indexed, text, summary} {
		if err == nil || !strings.Contains(err.Error(), "domain hotspot") {
			t.Errorf("%v, want the domain to be named", err)
		}
	}
}

// Without a version, profiles get their producer's. If that is not known, IR profiles get
// the one that every LLVM reads.
func TestVersionFollowsFromTheProducer(t *testing.T) {
	for _, c := range []struct {
		domain         layout.Domain
		producer, want int
	}{
		{layout.DomainLLVMIR, 0, 7}, {layout.DomainLLVMIR, 13, 13}, {layout.DomainLLVMIR, 9, 9}, {layout.DomainLLVMIR, 99, 7},
		{layout.DomainLLVMFrontend, 0, 12}, {layout.DomainLLVMFrontend, 7, 7}, {layout.DomainLLVMFrontend, 13, 13},
		{layout.DomainLLVMFrontend, 5, 5}, {layout.DomainLLVMFrontend, 99, 12},
	} {
		var params layout.Params
		params.LLVMVersion = uint32(c.producer)
		file, _ := writeIndexed(t, memstore.Open(t, builder.New(c.domain, builder.Config{Params: params})), WriteOptions{})
		if got := indexedVersion(file); got != c.want {
			t.Errorf("%s of version %d: written as %d; want %d", c.domain, c.producer, got, c.want)
		}
	}
	s := memstore.Open(t, builder.New(layout.DomainLLVMIR, builder.Config{}))
	for _, version := range []int{-1, 3, 14} {
		if _, err := WriteIndexed(io.Discard, s, WriteOptions{Version: version}); !errors.Is(err, ErrVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// The variant of a file names its content, and nothing that the version has no word for.
func TestVariantSaysWhatIsWritten(t *testing.T) {
	for _, c := range []struct {
		have    Variant
		version int
		want    Variant
	}{
		{VariantIR | VariantTemporal, 12, VariantIR | VariantTemporal},
		{VariantIR | VariantTemporal, 9, VariantIR},
		{VariantIR | VariantMemProf | VariantCorrelated, 12, VariantIR},
		{VariantIR | VariantLoopEntries | VariantEntryFirst, 7, VariantIR | VariantLoopEntries | VariantEntryFirst},
		{VariantByteCoverage, 12, VariantByteCoverage},
	} {
		var params layout.Params
		params.LLVMVariant = uint32(c.have)
		file, _ := writeIndexed(t, memstore.Open(t, builder.New(c.have.Domain(), builder.Config{Params: params})),
			WriteOptions{Version: c.version})
		if got := Variant(le.Uint64(file[8:]) >> VariantShift); got != c.want {
			t.Errorf("variant %#x as version %d: %#x, want %#x", c.have, c.version, got, c.want)
		}
	}
}

// oddProfiles has what LLVM's formats have no place for.
func oddProfiles(t testing.TB) *builder.Builder {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	f, caller := b.Method(layout.Key{Name: "f"}), b.Method(layout.Key{Name: "caller"})
	b.Seen(caller)
	p := b.ProfileIn(f, 1, profileset.NoContext)
	p.Counters(0, 7)
	p.Counters(3, 8)                                     // a second array
	p.ValueSite(1, layout.SubMemOpSize, builder.Value{}) // without a site 0
	p.ValueSite(0, 9, builder.Value{})                   // of an unknown kind
	p.ValueSite(-1, layout.SubIndirectCall)              // in front of the first
	testarchive.RecordAs(b, layout.DomainGraal, func() { p.Count(builder.Count{Sub: layout.SubCalls, N: 5}) })
	inContext := b.ProfileIn(f, 1, b.Context(f, builder.Frame{Caller: caller, Point: 2}))
	inContext.Counters(0, 1)
	empty := b.ProfileIn(f, 2, profileset.NoContext)
	empty.Bitmap(0, []byte{1})
	for _, p := range []*builder.Profile{p, inContext, empty} {
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestWhatLLVMLacksIsCounted(t *testing.T) {
	s := memstore.Open(t, oddProfiles(t))
	want := map[codec.LossKind]int{LossEntry: 5, LossContext: 1, LossNoCounters: 1, LossNoRecord: 1}
	file, r := writeIndexed(t, s, WriteOptions{Version: WrittenNewest})
	_, fromText := writeText(t, s, WriteOptions{})
	for _, list := range []codec.Losses{r.Lost, fromText.Lost} {
		got := map[codec.LossKind]int{}
		for _, l := range list {
			got[l.What] += l.Count // each unit has an item
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	functions := map[string]counted{"f 0000000000000001": {Counts: []uint64{7}, Sites: map[string][]builder.Value{}}}
	if diff := cmp.Diff(functions, contentOf(t, file).Functions); diff != "" {
		t.Error(diff)
	}
}

// Names that are no line, or would be taken for something else, are left out of text and counted.
func TestTextLeavesOutNamesThatItCannotHold(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for _, name := range []string{"plain", ":mark", "#comment", "two\nlines", " ", "a:b;c d$e", "$3", "$s4main3fooyyF"} {
		p := b.Profile(layout.Key{Name: name}, 1)
		p.Counters(0, 1)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	text, r := writeText(t, memstore.Open(t, b), WriteOptions{})
	if r.Lost.Count(LossTextName) != 5 {
		t.Errorf("%+v", r)
	}
	if got := contentOf(t, text).Functions; len(got) != 3 || got["plain 0000000000000001"].Counts == nil ||
		got["$s4main3fooyyF 0000000000000001"].Counts == nil || got["a:b;c d$e 0000000000000001"].Counts == nil {
		t.Errorf("%v in\n%s", got, text)
	}
}

// A failing writer is in errFull's way after some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("disk full")

func (f *failingWriter) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// What goes wrong with the output is the error, wherever it is, and no goroutine is left running.
func TestErrorsOfTheOutputAreTold(t *testing.T) {
	full.Only(t, "takes many inputs")
	s := memstore.Open(t, manyFunctions(t, 300))
	whole, _ := writeText(t, s, WriteOptions{}) // the shorter one
	before := runtime.NumGoroutine()
	for left := 0; left < len(whole); left += len(whole)/7 + 1 {
		if _, err := WriteIndexed(&failingWriter{left}, s, WriteOptions{}); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: %v", left, err)
		}
		if _, err := WriteText(&failingWriter{left}, s, WriteOptions{}); !errors.Is(err, errFull) {
			t.Errorf("text after %d bytes: %v", left, err)
		}
	}
	for tries := 0; runtime.NumGoroutine() > before; tries++ {
		if tries == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

// Functions that are only said to be hot or warm are no part of the sums.
func TestSummaryLeavesOutPseudoCounts(t *testing.T) {
	var b summaryBuilder
	for _, counts := range [][]uint64{{pseudoHot, 1}, {pseudoWarm, 1}, {10, 30}, {5}} {
		var encoded []byte
		for _, n := range counts {
			encoded = le.AppendUint64(encoded, n)
		}
		b.addCounters(encoded)
	}
	got := b.buildSummary()
	if got.Functions != 2 || got.Blocks != 3 || got.TotalCount != 45 || got.MaxFunctionCount != 10 ||
		got.MaxInternalCount != 30 || got.MaxBlockCount != 30 {
		t.Errorf("%+v", got)
	}
	// Of 45 counts 10% are 4, which the 30 of one block cover; 99.9999% are 44.
	if first, last := got.Cutoffs[1], got.Cutoffs[len(cutoffs)-1]; first != (Cutoff{100000, 30, 1}) ||
		last != (Cutoff{999999, 5, 3}) {
		t.Errorf("cutoffs %+v, %+v", first, last)
	}
}

func BenchmarkWriteIndexed(b *testing.B) {
	s := memstore.Open(b, manyFunctions(b, 2000))
	file, _ := writeIndexed(b, s, WriteOptions{})
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := WriteIndexed(io.Discard, s, WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
