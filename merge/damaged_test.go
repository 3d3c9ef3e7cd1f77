package merge_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// manyPages returns an archive with profiles on many pages. Each method has profiles of two versions, and one in the
// context of the next method. There are pointers to types and methods, and a table that refers to profiles.
func manyPages(t *testing.T) testarchive.Archive {
	t.Helper()
	const methods = 60
	b := testarchive.New(layout.DomainCustom)
	if err := b.DeclareShape(pair); err != nil {
		t.Fatal(err)
	}
	key := func(i int) builder.MethodRef {
		return b.Method(layout.Key{Class: fmt.Sprint("C", i%7), Name: fmt.Sprint("m", i)})
	}
	profiles := b.Internal().Table(disk.TableProducer, 0, disk.ColumnProfile, disk.ColumnWord)
	for i := range methods {
		m, next := key(i), key((i+1)%methods)
		contexts := []builder.ContextRef{profileset.NoContext, profileset.NoContext,
			b.Context(m, builder.Frame{Caller: next, Point: 3})}
		for n, c := range contexts {
			p := b.ProfileIn(m, uint64(n%2), c)
			p.Invocations(uint64(100*i + n))
			rows := []uint64{uint64(b.Type(builder.TypeKey{Name: fmt.Sprint("T", i)})), uint64(next), uint64(i)}
			p.Custom(builder.Custom{Point: 9, Tag: pair.Tag}, rows, make([]uint64, 3), make([]uint64, 3), make([]uint64, 3))
			profiles.Row(uint64(p.Internal().Ref()), uint64(i))
			testarchive.MustDone(t, p)
		}
	}
	return testarchive.Build(t, b)
}

// opened opens an archive, with one byte changed, for adoption.
func opened(t *testing.T, data []byte, at int64, bit int, o archive.Options) *reader.Store {
	t.Helper()
	damaged := slices.Clone(data)
	damaged[at] ^= 1 << bit
	m, err := archive.FromBytes("damaged.parc", damaged, o)
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// sound returns an archive that verify finds sound.
func sound(t *testing.T, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s := testarchive.Open(t, data)
	report, err := verify.Store(t.Context(), s, nil)
	if err != nil || !report.Sound() {
		t.Fatal(err, report.Problems)
	}
	return s
}

// describe returns a profile as text, with its method and its context.
func describe(t *testing.T, p reader.Profile) string {
	t.Helper()
	context, in, err := p.Context()
	depth := 0
	if in && err == nil {
		frames, failed := context.Frames()
		depth, err = len(frames), failed
	}
	method, profile := foundBy(t, p, depth, err)
	return method + profile
}

// TestSnapshotsOfDamagedArchives damages each page of rw. A snapshot must have every profile outside that page with its
// new counts, and must list the others.
func TestSnapshotsOfDamagedArchives(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	original := manyPages(t)
	rw := disk.RegionOf(original.Header(), disk.RegionRW)
	step := int64(disk.PageSize) / 3
	if os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		step = 5
	}
	for at := disk.AlignUp(rw.Offset, disk.PageSize); at < rw.End(); at += step {
		s := opened(t, original.Bytes, at, int(at%8), archive.Options{})
		if err := s.Adopt(reader.AdoptOptions{Anywhere: true}); errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err) // a big-endian machine
		} else if err != nil {
			t.Fatal(err)
		}
		want, lost := expectedOf(t, original.Store, s, at)
		for _, take := range []merge.Counts{merge.Totals, merge.Increments} {
			b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
			dropped, err := merge.Snapshot(t.Context(), b, s, take)
			if err != nil {
				t.Fatalf("0x%x: %v", at, err)
			}
			if take == merge.Increments { // a damaged profile cannot be claimed, so that it has no increments to lose
				if dropped.Profiles != 0 {
					t.Errorf("0x%x: %d profiles without increments are lost: %v", at, dropped.Profiles, dropped)
				}
			} else if dropped.Profiles != lost || len(dropped.Lost) == 0 ||
				!errors.Is(dropped.Lost[0].Err, layout.ErrChecksum) || dropped.Lost[0].Method.Name == "" {
				t.Errorf("0x%x: %d profiles are lost, want %d: %v", at, dropped.Profiles, lost, dropped)
			}
			checkKept(t, sound(t, b), take, want)
		}
	}
}

// expectedOf counts in all readable profiles of a damaged archive. It returns the expected profiles, and the number of
// unreadable ones.
func expectedOf(t *testing.T, original, s *reader.Store, at int64) (want []string, lost int) {
	t.Helper()
	for m, err := range original.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		broken := map[layout.Ref]bool{} // contexts with a damaged profile
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			context, _, _ := p.Context()
			page, from, to := at/disk.PageSize, p.Ref().Offset()/disk.PageSize,
				(p.Ref().Offset()+int64(len(p.Bytes()))-1)/disk.PageSize
			if from <= page && page <= to || broken[context.Ref()] {
				broken[context.Ref()] = true
				lost++
				continue
			}
			damaged, err := s.ProfileAt(p.Ref())
			if err != nil {
				t.Fatalf("0x%x: a profile at 0x%x: %v", at, p.Ref().Offset(), err)
			}
			live, err := damaged.Claim()
			if err != nil {
				t.Fatal(err)
			}
			n, _ := live.Invocations()
			text := strings.Replace(describe(t, p), fmt.Sprintf(`"invocations":%d`, n.Load()),
				fmt.Sprintf(`"invocations":%d`, n.Load()+3), 1)
			if err := n.Add(3); err != nil {
				t.Fatal(err)
			}
			want = append(want, text)
		}
	}
	return want, lost
}

// checkKept compares the profiles of a snapshot with those that it must have.
func checkKept(t *testing.T, s *reader.Store, take merge.Counts, want []string) {
	t.Helper()
	var got []string
	for p, err := range s.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := p.Invocations(); take == merge.Increments && n.Load() != 3 {
			t.Errorf("%d invocations since the dump, want 3", n.Load())
		}
		got = append(got, describe(t, p))
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(got) != len(want) || take == merge.Totals && !slices.Equal(got, want) {
		t.Errorf("take %d: %d profiles that are not the %d of the original: %s", take, len(got), len(want), got)
	}
}

// TestSnapshotsWithoutSums changes each byte of rw and of the bitmaps without verifying checksums. The snapshot can
// have other counts but must be sound.
func TestSnapshotsWithoutSums(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, original testarchive.Archive) {
		rw, bm := disk.RegionOf(original.Header(), disk.RegionRW), disk.RegionOf(original.Header(), disk.RegionBM)
		step := int64(45)
		if full.Enabled() {
			step = 5
		}
		if os.Getenv("PROFARC_EXHAUSTIVE") != "" {
			step = 1
		}
		for _, in := range []layout.Span{rw, bm} {
			for at := in.Offset; at < in.End(); at += step {
				s := opened(t, original.Bytes, at, int(at/step%8), archive.Options{Unchecked: true})
				if s.Adopt(reader.AdoptOptions{Anywhere: true}) != nil {
					continue // the VM runs without it
				}
				for _, take := range []merge.Counts{merge.Totals, merge.Increments} {
					b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
					if _, err := merge.Snapshot(t.Context(), b, s, take); err != nil {
						t.Fatalf("bit %d of 0x%x: %v", at/step%8, at, err)
					}
					sound(t, b)
				}
			}
		}
	})
}

// TestCopyBesideARecording copies a profile that the run has already recorded. The recorded one must stay, and the copy
// must report the other.
func TestCopyBesideARecording(t *testing.T) {
	t.Parallel()
	s := adoptedStore(t)
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	p := b.Profile(layout.Key{Class: "Shapes", Name: "counted", Signature: "()V"}, 0)
	p.Invocations(1)
	testarchive.MustDone(t, p)
	dropped, err := merge.Snapshot(t.Context(), b, s, merge.Totals)
	if err != nil || dropped.Profiles != 1 || !errors.Is(dropped.Lost[0].Err, builder.ErrDuplicate) ||
		dropped.Lost[0].Method.Name != "counted" {
		t.Fatalf("%v, %v", dropped, err)
	}
	got := sound(t, b)
	for name, want := range map[string]uint64{"counted": 1, "untouched": 100} {
		if n, _ := profileOf(t, got, name).Invocations(); n.Load() != want {
			t.Errorf("%s has %d invocations, want %d", name, n.Load(), want)
		}
	}
}
