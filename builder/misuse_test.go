package builder_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

func TestConfigsThatNoHeaderHolds(t *testing.T) {
	for want, config := range map[string]builder.Config{
		"65 bytes":      {Producer: strings.Repeat("x", 65)},
		"NUL byte":      {Producer: "a\x00"},
		"1678 to 2262":  {DumpTime: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"unknown flags": {Flags: 1 << 9},
	} {
		if err := builder.New(layout.DomainGraal, config).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func begun(b *builder.Builder) *builder.Profile {
	return b.Profile(b.Method(layout.Key{Class: "A", Name: "a"}), 0, builder.NoContext)
}

// What is given after Done would be lost, and is an error of the builder.
func TestTooLate(t *testing.T) {
	for what, add := range map[string]func(p *builder.Profile){
		"an entry": func(p *builder.Profile) { p.Counter(builder.At{}, 1) },
		"a field":  func(p *builder.Profile) { p.Invocations(1) },
		"traps":    func(p *builder.Profile) { p.TrapHistory([]byte{1}) },
		"Done":     func(p *builder.Profile) { _ = p.Done() },
	} {
		b := builder.New(layout.DomainHotSpot, builder.Config{})
		p := begun(b)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		if add(p); b.Err() == nil {
			t.Errorf("%s after Done is dropped", what)
		}
	}
}

func TestSectionsThatAreNot(t *testing.T) {
	for _, in := range []layout.BlockSection{-1, layout.SectionDirectory} {
		p := begun(builder.New(layout.DomainHotSpot, builder.Config{}))
		p.Counter(builder.At{In: in}, 1)
		if p.Done() == nil {
			t.Errorf("section %d takes entries", in)
		}
	}
}

// Nothing is changed, and nothing panics, as long as a profile is not whole.
func TestUnfinishedProfiles(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := begun(b)
	if _, err := merge.NarrowRows(b, 1); err == nil {
		t.Error("rows of a profile that is not whole are narrowed")
	}
	if methods, dropped := merge.KeepVersions(b, merge.NewestVersion); methods != 0 || dropped != 0 {
		t.Errorf("%d methods, %d dropped", methods, dropped)
	}
	if _, _, err := b.Bytes(); err == nil {
		t.Error("laid out")
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	built(t, b)
}

func TestRowsThatCannotBe(t *testing.T) {
	for _, n := range []int{-1, disk.MaxRows + 1, 1 << 40} {
		if _, err := merge.NarrowRows(builder.New(layout.DomainHotSpot, builder.Config{}), n); err == nil {
			t.Errorf("%d rows", n)
		}
	}
}

// An archive that was added is counted: merged as well it would be twice.
func TestAddedAndMerged(t *testing.T) {
	one := openBytes(t, build(t, nil, 1, 1))
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
	if err := merge.Copy(t.Context(), b, one, merge.Trained); err != nil {
		t.Fatal(err)
	}
	if err := merge.Into(t.Context(), b, one, builder.Run{}); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("merged after it was added: %v", err)
	}
	b = builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
	if err := merge.Into(t.Context(), b, one, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	if err := merge.Copy(t.Context(), b, one, merge.Trained); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("added after it was merged: %v", err)
	}
}

// A profile that was given directly has entries of the shape that the builder
// had: no archive may change it under them.
func TestShapeOfGivenProfiles(t *testing.T) {
	small := layout.Params{TypeProfileWidth: 2}
	wide := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 4, ReceiverGap: 1}})
	call(t, wide)
	plain := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	if err := begun(plain).Done(); err != nil {
		t.Fatal(err)
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	if err := merge.Into(t.Context(), b, built(t, plain).Store, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	b.NextRun(builder.Run{})
	call(t, b)
	if err := merge.Into(t.Context(), b, built(t, wide).Store, builder.Run{}); !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("%v, want ErrMismatch", err)
	}
	built(t, b)
}

func call(t *testing.T, b *builder.Builder) {
	t.Helper()
	p := begun(b)
	p.VirtualCall(builder.At{Bci: 3}, builder.Others{Count: 5},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

// A bytecode that no method has stays where it is when rows are narrowed.
func TestPointsThatAreNoBytecodesStayWide(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
	p := begun(b)
	row := builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2}
	for _, point := range []int32{-1, 7, 70000} {
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubVirtualCall}, row)
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	if _, err := merge.NarrowRows(b, 1); err != nil {
		t.Fatal(err)
	}
	m, err := built(t, b).Store.Find(layout.Key{Class: "A", Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	narrowed, _, err := m.Profile(0)
	if err != nil {
		t.Fatal(err)
	}
	for point, want := range map[int32]layout.Tag{-1: layout.TagReceivers, 7: layout.TagVirtualCall, 70000: layout.TagReceivers} {
		if e, ok := narrowed.At(point); !ok || e.Tag() != want {
			t.Errorf("point %d: %s, want %s", point, e.Tag(), want)
		}
	}
}
