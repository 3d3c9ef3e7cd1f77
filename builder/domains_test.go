package builder_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/verify"
)

// entryKinds are the ways to record an entry of each tag, at a point and with the types
// and methods of a builder.
var entryKinds = map[layout.Tag]func(b *builder.Builder, p *builder.Profile, point int32){
	layout.TagBit: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Bit(builder.At{Bci: point, Flags: layout.EntryNullSeen, Traps: 3 | layout.EntryTrapRecompiled})
	},
	layout.TagCounter: func(_ *builder.Builder, p *builder.Profile, point int32) { p.Counter(builder.At{Bci: point}, 4) },
	layout.TagJump: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Jump(builder.At{Bci: point}, 1, -8)
	},
	layout.TagReceiverType: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.ReceiverType(builder.At{Bci: point}, builder.Others{Count: minusThree, Gap: 2}, typeRow(b))
	},
	layout.TagVirtualCall: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.VirtualCall(builder.At{Bci: point}, builder.Others{Count: 3}, typeRow(b))
	},
	layout.TagRet: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Ret(builder.At{Bci: point}, 3, builder.RetRow{Bci: 9, Count: 1, Displacement: 16})
	},
	layout.TagBranch: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Branch(builder.At{Bci: point}, builder.Branch{Taken: 1, NotTaken: 2, Displacement: 24})
	},
	layout.TagMultiBranch: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.MultiBranch(builder.At{Bci: point}, builder.SwitchCase{Count: 1},
			builder.SwitchCase{Count: 2, Displacement: 8})
	},
	layout.TagArgInfo: func(_ *builder.Builder, p *builder.Profile, _ int32) { p.Internal().AddArgInfo(1, 0) },
	layout.TagCallType: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.CallType(builder.At{Bci: point}, 3, argumentTypes(b))
	},
	layout.TagVirtualCallType: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.VirtualCallType(builder.At{Bci: point}, builder.Others{Count: 3}, []builder.Row{typeRow(b)},
			argumentTypes(b))
	},
	layout.TagParametersType: func(b *builder.Builder, p *builder.Profile, _ int32) {
		p.Internal().AddParameters(profileset.TypeSlot{Stack: 1, Type: typeRow(b).Type, NullSeen: true})
	},
	layout.TagSpeculativeTrap: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: point, Traps: 2}, b.Method(layout.Key{Name: "callee"}))
	},
	layout.TagCounters: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Counters(point, 1, 0, math.MaxUint64)
	},
	layout.TagValueSite: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.ValueSite(point, layout.SubMemOpSize, builder.Value{Value: 8, Count: 3})
	},
	layout.TagBitmap: func(_ *builder.Builder, p *builder.Profile, point int32) { p.Bitmap(point, []byte{1, 0, 9}) },
	layout.TagSuccessors: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Successors(point, layout.SubConditional, builder.Successor{Point: -5, Index: 1, Count: 3})
	},
	layout.TagReceivers: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubTypeCheck, Flags: layout.EntryNullSeen, Other: minusThree,
			Traps: 5}, typeRow(b), builder.Row{})
	},
	layout.TagCallees: func(b *builder.Builder, p *builder.Profile, point int32) {
		p.Callees(point, builder.Callee{Method: b.Method(layout.Key{Name: "callee"}), Count: 3})
	},
	layout.TagCount: func(_ *builder.Builder, p *builder.Profile, point int32) {
		p.Count(builder.Count{Point: point, Sub: disk.SubUnprofiled, Flags: disk.EntryInterpreted, N: 4})
	},
	disk.TagUndecoded: func(_ *builder.Builder, p *builder.Profile, point int32) {
		const newerTag = 14
		p.Internal().AddUndecoded(point, 0, newerTag|uint64(point)<<16, 7)
	},
}

const minusThree = math.MaxUint64 - 2

func typeRow(b *builder.Builder) builder.Row {
	return builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 7}
}

func argumentTypes(b *builder.Builder) builder.CallTypes {
	word := builder.TypeWord{Type: b.Type(builder.TypeKey{Name: "T"}), NullSeen: true}
	return builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: word}}, Return: &word}
}

// hasNoPoint reports whether entries of a tag are of the whole method.
func hasNoPoint(tag layout.Tag) bool {
	return tag == layout.TagArgInfo || tag == layout.TagParametersType
}

// TestEveryEntryInEveryDomain records each kind of entry in each domain. If Done accepts it, the archive must be sound
// and its text and JSON must contain the entry.
func TestEveryEntryInEveryDomain(t *testing.T) {
	t.Parallel()
	for tag := layout.Tag(1); tag != 0; tag++ {
		if _, ok := disk.SchemaOf(tag); ok != (entryKinds[tag] != nil) {
			t.Fatalf("the test does not know %s", tag)
		}
	}
	for _, domain := range testarchive.Domains {
		taken := 0
		for tag, record := range entryKinds {
			b := testarchive.New(domain)
			p := begun(b)
			record(b, p, 4)
			if err := p.Done(); disk.HoldsTag(domain, tag) {
				if err != nil {
					t.Errorf("%s in %s: %v", tag, domain, err)
					continue
				}
				taken++
				checkComesBack(t, tag, testarchive.Build(t, b))
			} else if !errors.Is(err, profileset.ErrDomain) || !strings.Contains(err.Error(), domain.String()) {
				t.Errorf("%s in %s: %v, want ErrDomain", tag, domain, err)
			}
		}
		if taken == 0 {
			t.Errorf("%s takes nothing", domain)
		}
	}
}

// checkComesBack checks an archive with one entry, and writes and reads it as text.
func checkComesBack(t *testing.T, tag layout.Tag, a testarchive.Archive) {
	t.Helper()
	domain := a.Header().Domain
	if a.Header().Counts.Entries != 1 {
		t.Errorf("%s in %s: %d entries", tag, domain, a.Header().Counts.Entries)
	}
	if _, err := verify.Store(t.Context(), a.Store, nil); err != nil {
		t.Errorf("%s in %s: %v", tag, domain, err)
	}
	var written, was, is bytes.Buffer
	report, err := (&text.Exporter{}).Export(&written, a.Store)
	if err != nil || len(report.Lost) > 0 {
		t.Fatalf("%s in %s: %v, lost %v", tag, domain, err, report)
	}
	read, err := (&text.Importer{}).Import(&codec.Input{Reader: &written})
	if err != nil {
		t.Errorf("%s in %s: %v", tag, domain, err)
		return
	}
	again := testarchive.Build(t, read.Dumps[0])
	if !bytes.Equal(again.Bytes, a.Bytes) {
		t.Errorf("%s in %s: its text makes another archive", tag, domain)
	}
	if err := errors.Join(jsondump.WriteArchive(&was, a.Store), jsondump.WriteArchive(&is, again.Store)); err != nil ||
		was.String() != is.String() || !strings.Contains(was.String(), `"`+tag.String()+`"`) {
		t.Errorf("%s in %s: %v, JSON %s and %s", tag, domain, err, was.String(), is.String())
	}
}

// TestPointsAreNotCut checks that a point beyond the range of its entry is refused.
func TestPointsAreNotCut(t *testing.T) {
	t.Parallel()
	for tag, record := range entryKinds {
		for _, domain := range testarchive.Domains {
			if !disk.HoldsTag(domain, tag) || hasNoPoint(tag) {
				continue
			}
			for _, point := range []int32{math.MinInt32, -1, 0, math.MaxUint16, math.MaxUint16 + 1, math.MaxInt32} {
				b := testarchive.New(domain)
				p := begun(b)
				record(b, p, point)
				if err := p.Done(); disk.IsWide(tag) || point >= 0 && point <= math.MaxUint16 {
					if err != nil {
						t.Errorf("%s at %d: %v", tag, point, err)
						continue
					}
					a := testarchive.Build(t, b)
					if got := pointOf(t, a); got != point {
						t.Errorf("%s at %d is at %d", tag, point, got)
					}
				} else if !errors.Is(err, layout.ErrTooLarge) {
					t.Errorf("%s at %d: %v, want ErrTooLarge", tag, point, err)
				}
			}
		}
	}
}

// pointOf returns the point of the only entry of an archive, in any section.
func pointOf(t *testing.T, a testarchive.Archive) (point int32) {
	t.Helper()
	m, err := a.Find(layout.Key{Class: "A", Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for e := range p.Section(section) {
			point = e.Point()
		}
	}
	return point
}

// TestEntriesInEverySection: HotSpot's entries come back from each section.
func TestEntriesInEverySection(t *testing.T) {
	t.Parallel()
	for in := disk.SectionData; in < disk.SectionDirectory; in++ {
		for tag, record := range map[layout.Tag]func(b *builder.Builder, p *builder.Profile, at builder.At){
			layout.TagBit: func(_ *builder.Builder, p *builder.Profile, at builder.At) { p.Bit(at) },
			layout.TagBranch: func(_ *builder.Builder, p *builder.Profile, at builder.At) {
				p.Branch(at, builder.Branch{Taken: 1})
			},
			layout.TagVirtualCallType: func(b *builder.Builder, p *builder.Profile, at builder.At) {
				p.VirtualCallType(at, builder.Others{}, []builder.Row{typeRow(b)}, argumentTypes(b))
			},
			layout.TagMultiBranch: func(_ *builder.Builder, p *builder.Profile, at builder.At) {
				p.MultiBranch(at, builder.SwitchCase{Count: 1})
			},
		} {
			b := testarchive.New(layout.DomainHotSpot)
			p := begun(b)
			record(b, p, builder.At{Bci: 4, In: in})
			testarchive.MustDone(t, p)
			checkComesBack(t, tag, testarchive.Build(t, b))
		}
	}
}
