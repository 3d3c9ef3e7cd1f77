package hotspot

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An archive that did not come from a text is printed too; what the text cannot say is counted.
func TestPrintSpecimens(t *testing.T) {
	for _, s := range specimen.All() {
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if s.Domain != layout.DomainHotSpot {
			_, err := (&Exporter{}).Export(io.Discard, open(t, data))
			if err == nil || !strings.Contains(err.Error(), s.Domain.String()) {
				t.Errorf("%s is printed as HotSpot's: %v", s.Name, err)
			}
			continue
		}
		out, report := print(t, data)
		if s.Name == "hotspot" {
			for _, l := range []codec.LossKind{LossArgInfo, LossHandlers, LossHeader, LossLoaderName, LossUnexecuted, LossCode} {
				if report.Lost.Count(l) == 0 {
					t.Errorf("%s: no %q counted: %+v", s.Name, l, report)
				}
			}
		}
		again, _, _ := read(t, out, TextOptions{})
		twice, _ := print(t, again)
		// A trap that is not printed leaves a gap before the next.
		gap := regexp.MustCompile(`(?m)^  \d+ +(bci: \d+ +BitData)`)
		if diff := cmp.Diff(gap.ReplaceAllString(out, "$1"), gap.ReplaceAllString(twice, "$1")); diff != "" {
			t.Errorf("%s: printed, read and printed again it differs:\n%s", s.Name, diff)
		}
	}
}

// A profile of one calling context is printed like one of all of them.
func TestPrintContexts(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	m := b.Method(layout.Key{Class: "a/A", Name: "m", Signature: "()V"})
	frame := builder.Frame{Caller: b.Method(layout.Key{Class: "a/A", Name: "n", Signature: "()V"}), Point: 7}
	for i, c := range []builder.ContextRef{profileset.NoContext, b.Context(m, frame)} {
		p := b.ProfileIn(m, 0, c)
		p.Invocations(uint64(10 * (i + 1)))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	out, report := print(t, data)
	if strings.Count(out, "a.A::m()V") != 2 || report.Lost.Count(LossContext) != 1 {
		t.Errorf("report %+v of\n%s", report, out)
	}
}

// Entries with more rows than the VM has are printed with all of them, and can be read again.
func TestPrintWideEntries(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	m := b.Method(layout.Key{Class: "a/A", Name: "m", Signature: "()V"})
	p := b.ProfileIn(m, 0, profileset.NoContext)
	var rows []builder.Row
	for i, name := range []string{"a/B", "a/C", "a/D"} {
		rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: name}), Count: uint64(i + 1)})
	}
	p.Receivers(builder.Receivers{Point: 3, Sub: layout.SubVirtualCall, Other: 4, Traps: 1}, rows...)
	p.Receivers(builder.Receivers{Point: 9, Sub: layout.SubTypeCheck, Flags: layout.EntryNullSeen}, rows...)
	p.Counter(builder.At{Bci: 12}, 8)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	out, report := print(t, data)
	for _, want := range []string{
		"  0    bci: 3    VirtualCallData    trap(null_check) count(4) entries(3)\n" +
			"                                    'a/B'(1 0.10)\n",
		"  64   bci: 9    ReceiverTypeData   flags(1) count(0) entries(3)\n",
		"  128  bci: 12   CounterData        count(8)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if report.Lost.Count(LossWideRows) != 2 {
		t.Errorf("report: %+v", report)
	}
	_, _, lost := read(t, out, TextOptions{})
	if params := paramsOf(lost); params.TypeProfileWidth != 3 || hasOtherLoss(lost.Lost, parse.LossCodeIDs) {
		t.Errorf("read again: %+v", lost)
	}
}

// Without an order of its own an archive is printed as the VM sorts: the most often invoked first.
func TestPrintOrder(t *testing.T) {
	data, _, _ := read(t, testdata(t, "jdk25.txt"), TextOptions{Unordered: true})
	out, _ := print(t, data)
	if strings.Index(out, "::see") > strings.Index(out, "::stay") {
		t.Error("the method invoked most does not come first")
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		count uint64
		rows  []uint64
		want  string
	}{
		{6015, []uint64{42105, 12030}, "0.70"},
		{^uint64(12029), []uint64{48120}, "1.33"},
		{^uint64(6517), []uint64{43, 44}, "-0.01"},
		{0, []uint64{0}, "-nan"},
		{^uint64(4), []uint64{5}, " inf"},
		{0, []uint64{2_000_000_000, 2_000_000_000}, "-6.78"}, // the sum has wrapped
		{0, []uint64{1 << 40, 1 << 40}, "0.50"},
	} {
		t.Run(c.want, func(t *testing.T) {
			var s share
			s.addCount(c.count)
			for _, r := range c.rows {
				s.addCount(r)
			}
			if got := string(s.appendShare(nil, c.rows[0])); got != c.want {
				t.Errorf("%d of %d and %d: %s, not %s", c.rows[0], c.rows, int64(c.count), got, c.want)
			}
		})
	}
}

func TestTrapNames(t *testing.T) {
	for text, traps := range map[string]layout.EntryTraps{
		"none recompiled": 1 << 31, "null_check": 1, "null_assert_or_unreached0": 2, "range_check recompiled": 3 | 1<<31,
		"class_check": 4,
		"array_check": 5, "intrinsic_or_type_checked_inlining": 6, "bimorphic_or_optimized_type_check": 7,
		"profile_predicate": 8,
		"many":              1<<31 - 1, "many recompiled": 1<<32 - 1, "#77": 77, "#-2147483599": 49 | 1<<31,
	} {
		t.Run(text, func(t *testing.T) {
			got, known, _, ok := parseTrap(text)
			if got != traps || !known || !ok || string(appendTrap(nil, traps, false)) != text {
				t.Errorf("%s is 0x%x, printed %s", text, got, appendTrap(nil, traps, false))
			}
		})
	}
	if _, _, plain, _ := parseTrap("intrinsic recompiled"); !plain ||
		string(appendTrap(nil, 6|1<<31, true)) != "intrinsic recompiled" {
		t.Error("the names of a VM without JVMCI are not known")
	}
}

// The names of a VM without JVMCI come back.
func TestPlainReasons(t *testing.T) {
	text := strings.ReplaceAll(testdata(t, "jdk17.txt"), "intrinsic_or_type_checked_inlining", "intrinsic")
	checkText(t, text)
}

type failingWriter struct{ after int }

var errFull = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	data, _, _ := read(t, testdata(t, "jdk17.txt"), TextOptions{})
	if _, err := (&Exporter{}).Export(&failingWriter{after: 100}, open(t, data)); !errors.Is(err, errFull) {
		t.Errorf("writing to a full disk: %v", err)
	}
	var out bytes.Buffer
	if _, err := (&Exporter{}).Export(&out, open(t, data)); err != nil {
		t.Error(err)
	}
}

// A damaged archive is an error or the same text, never a panic.
func TestPrintDamagedArchive(t *testing.T) {
	data, _, _ := read(t, testdata(t, "jdk17.txt"), TextOptions{})
	want, _ := print(t, data)
	for i := 0; i < len(data); i += 7 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x41
		for _, unchecked := range []bool{false, true} {
			m, err := archive.FromBytes("bad.parc", bad, archive.Options{Unchecked: unchecked})
			if err != nil {
				continue
			}
			var out bytes.Buffer
			_, err = (&Exporter{}).Export(&out, reader.New(m))
			if !unchecked && err == nil && out.String() != want {
				t.Fatalf("byte %d changed, and another text without an error", i)
			}
			if err != nil && !errors.Is(err, layout.ErrCorrupt) && !errors.Is(err, reader.ErrNotFound) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
		}
	}
}
