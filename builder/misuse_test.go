package builder_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

func TestInvalidConfigs(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]builder.Config{
		"65 bytes":      {Producer: strings.Repeat("x", 65)},
		"NUL byte":      {Producer: "a\x00"},
		"1678 to 2262":  {DumpTime: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"unknown flags": {Flags: 1 << 9},
	} {
		t.Run(want, func(t *testing.T) {
			if err := builder.New(layout.DomainGraal, config).Err(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// begun returns the profile of A.a.
func begun(b *builder.Builder) *builder.Profile {
	return b.Profile(layout.Key{Class: "A", Name: "a"}, 0)
}

// TestUseAfterDone: an entry added after Done would be lost, so the builder reports an error.
func TestUseAfterDone(t *testing.T) {
	t.Parallel()
	for what, add := range map[string]func(p *builder.Profile){
		"an entry": func(p *builder.Profile) { p.Counter(builder.At{}, 1) },
		"a field":  func(p *builder.Profile) { p.Invocations(1) },
		"traps":    func(p *builder.Profile) { p.Internal().PutTraps([]byte{1}) },
		"Done":     func(p *builder.Profile) { _ = p.Done() },
	} {
		t.Run(what, func(t *testing.T) {
			b := builder.New(layout.DomainHotSpot, builder.Config{})
			p := begun(b)
			testarchive.MustDone(t, p)
			if add(p); b.Err() == nil {
				t.Errorf("%s after Done is no error", what)
			}
		})
	}
}

func TestInvalidSections(t *testing.T) {
	t.Parallel()
	for _, in := range []disk.BlockSection{-1, disk.SectionDirectory} {
		p := begun(builder.New(layout.DomainHotSpot, builder.Config{}))
		p.Counter(builder.At{In: in}, 1)
		if p.Done() == nil {
			t.Errorf("section %d accepts entries", in)
		}
	}
}

func TestMisuseIsRefused(t *testing.T) {
	t.Parallel()
	key := layout.Key{Class: "A", Name: "a"}
	for name, misuse := range map[string]func(b *builder.Builder) error{
		"other domain": func(b *builder.Builder) error {
			data, _, err := builder.New(layout.DomainGraal, builder.Config{}).Bytes()
			if err != nil {
				t.Fatal(err)
			}
			_, err = merge.Snapshot(t.Context(), b, testarchive.Open(t, data), merge.Trained)
			return err
		},
		"same profile twice": func(b *builder.Builder) error {
			return errors.Join(b.Profile(key, 1).Done(), b.Profile(key, 1).Done())
		},
		"too many rows": func(b *builder.Builder) error {
			p := b.Profile(key, 0)
			p.VirtualCall(builder.At{}, builder.Others{}, make([]builder.Row, 3)...)
			return p.Done()
		},
		"foreign reference": func(b *builder.Builder) error {
			p := b.Profile(key, 0)
			p.VirtualCall(builder.At{}, builder.Others{}, builder.Row{Type: 99})
			return p.Done()
		},
		"begun and not done": func(b *builder.Builder) error {
			b.Profile(key, 0)
			_, _, err := b.Bytes()
			return err
		},
		"NUL in a name": func(b *builder.Builder) error { b.Method(layout.Key{Name: "a\x00b"}); return b.Err() },
	} {
		if err := misuse(testarchive.New(layout.DomainHotSpot)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRecordingNeedsAProducer: a builder without a producer id says so at the first call that records, not when it
// is committed; only a merge may begin without one.
func TestRecordingNeedsAProducer(t *testing.T) {
	t.Parallel()
	key := layout.Key{Name: "f"}
	for what, record := range map[string]func(b *builder.Builder) error{
		"Method":  func(b *builder.Builder) error { b.Method(key); return b.Err() },
		"Profile": func(b *builder.Builder) error { b.Profile(key, 1).Discard(); return b.Err() },
		"DeclareShape": func(b *builder.Builder) error {
			_ = b.DeclareShape(layout.EntryShape{Tag: layout.TagProducer, Name: "Mine"})
			return b.Err()
		},
	} {
		t.Run(what, func(t *testing.T) {
			b := builder.New(layout.DomainCustom, builder.Config{})
			if err := b.Err(); err != nil {
				t.Errorf("a builder for a merge: %v", err)
			}
			if err := record(b); err == nil || !strings.Contains(err.Error(), "ProducerID") {
				t.Errorf("%s without a producer id: %v", what, err)
			}
		})
	}
	data, _, err := testarchive.New(layout.DomainCustom).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b := builder.New(layout.DomainCustom, builder.Config{})
	if err := merge.Into(t.Context(), b, testarchive.Open(t, data), merge.Run{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Profile(key, 1).Done(); err != nil {
		t.Errorf("a profile after a merge: %v", err)
	}
}

// What has no meaning in a domain could not be read back from its text.
func TestEntriesOfHotSpotNeedItsDomain(t *testing.T) {
	t.Parallel()
	for _, domain := range []layout.Domain{layout.DomainGraal, layout.DomainJamaica, layout.DomainLLVMIR,
		layout.DomainLLVMFrontend} {
		b := builder.New(domain, builder.Config{})
		p := b.Profile(layout.Key{Name: "area"}, 0)
		p.Branch(builder.At{Bci: 4}, builder.Branch{Taken: 1})
		if err := p.Done(); err == nil || !strings.Contains(err.Error(), domain.String()) {
			t.Errorf("a branch in domain %s: %v", domain, err)
		}
		entry, _ := disk.NewEntry(nil, layout.TagBit, 0, 4, 0, 0)
		p = b.Profile(layout.Key{Name: "perimeter"}, 0)
		p.Internal().Copy(disk.SectionData, entry, nil)
		if err := p.Done(); err == nil || !strings.Contains(err.Error(), domain.String()) {
			t.Errorf("a raw entry in domain %s: %v", domain, err)
		}
	}
}

// TestTwinIsLeftOut: of two profiles with one key the first stays, and the builder goes on.
func TestTwinIsLeftOut(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	var errs []error
	for n, code := range []uint64{7, 7, 8} {
		p := b.Profile(layout.Key{Name: "m"}, code)
		p.Invocations(uint64(n) + 1)
		errs = append(errs, p.Done())
	}
	if errs[0] != nil || !errors.Is(errs[1], builder.ErrDuplicate) || errs[2] != nil || b.Err() != nil {
		t.Fatalf("%v, the builder %v", errs, b.Err())
	}
	data, report, err := b.Bytes()
	if err != nil || report.Duplicates != 1 {
		t.Fatalf("%d duplicates, %v", report.Duplicates, err)
	}
	if h := testarchive.Open(t, data).Header(); h.Counts.Profiles != 2 || h.Summary.TotalInvocations != 1+3 {
		t.Errorf("%d profiles with %d invocations, want 2 with 4", h.Counts.Profiles, h.Summary.TotalInvocations)
	}
}
