package damage

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// A user reads whole archives.
type user struct {
	name string
	use  func(t *testing.T, s *reader.Store) error
}

// users returns all users: both readers, and the work of the commands.
// other is a sound archive of the same program.
func users(domain layout.Domain, other func() *reader.Store) []user {
	into := func() *builder.Builder { return builder.New(domain, builder.Config{Params: other().Header().Params}) }
	laid := func(b *builder.Builder, err error) error {
		if err == nil {
			_, _, err = b.Bytes()
		}
		return err
	}
	reduced := func(r reduce.Options) func(*testing.T, *reader.Store) error {
		return func(t *testing.T, s *reader.Store) error {
			b, _, err := reduce.Archive(t.Context(), s, r)
			return laid(b, err)
		}
	}
	names, err := reduce.NewAnonymizer([]byte("the key of this test"), nil)
	if err != nil {
		panic(err)
	}
	return []user{
		{"answers", func(t *testing.T, s *reader.Store) error { return answersAll(s, false) }},
		{"adopted answers", func(t *testing.T, s *reader.Store) error {
			return errors.Join(s.Adopt(reader.AdoptOptions{Anywhere: true}), answersAll(s, true))
		}},
		{"eager adoption", func(t *testing.T, s *reader.Store) error {
			return s.Adopt(reader.AdoptOptions{Anywhere: true, Eager: true})
		}},
		{"eagerly adopted answers", func(t *testing.T, s *reader.Store) error {
			return errors.Join(s.Adopt(reader.AdoptOptions{Eager: true}), answersAll(s, true))
		}},
		{"json", func(_ *testing.T, s *reader.Store) error { return jsondump.WriteArchive(io.Discard, s) }},
		{"text", func(_ *testing.T, s *reader.Store) error {
			_, err := (&text.Exporter{}).Export(io.Discard, s)
			return err
		}},
		{"copy", func(t *testing.T, s *reader.Store) error {
			b := builder.New(domain, builder.ConfigOf(s.Header()))
			_, err := merge.Snapshot(t.Context(), b, s, merge.Trained)
			return laid(b, err)
		}},
		{"merge", func(t *testing.T, s *reader.Store) error {
			b := into()
			return laid(b, errors.Join(merge.Into(t.Context(), b, other(), merge.Run{}),
				merge.Into(t.Context(), b, s, merge.Run{})))
		}},
		{"reduce", reduced(reduce.Options{Hot: layout.WeightOne})},
		{"anonymize", reduced(reduce.Options{DropCold: true, Names: names})},
		{"diff", func(t *testing.T, s *reader.Store) error {
			_, err := compare.Stores(t.Context(), s, other(), compare.Options{Top: 9})
			return err
		}},
		{"diff, as the second", func(t *testing.T, s *reader.Store) error {
			_, err := compare.Stores(t.Context(), other(), s, compare.Options{Top: 9})
			return err
		}},
		{"check", func(t *testing.T, s *reader.Store) error {
			b := into()
			_, err := fit.Check(t.Context(), s, fit.Archived(other()), fit.Options{Into: b, Top: 9})
			return laid(b, err)
		}},
		{"check, as the code", func(t *testing.T, s *reader.Store) error {
			b := into()
			_, err := fit.Check(t.Context(), other(), fit.Archived(s), fit.Options{Into: b, Top: 9})
			return laid(b, err)
		}},
	}
}

// answersAll asks all questions to which an archive should have an answer.
func answersAll(s *reader.Store, adopted bool) error {
	q, err := questionsOf(s)
	if err != nil {
		return err
	}
	for _, a := range ask(s, q, adopted) {
		if a.err != nil {
			return fmt.Errorf("%s: %w", a.question, a.err)
		}
	}
	for _, k := range q.keys {
		if _, err := s.Find(k); err != nil {
			return fmt.Errorf("find %+v: %w", k, err)
		}
	}
	return nil
}

// TestVerifyRefusesWhatAnyUserRefuses makes every reference of every specimen lead to every place of its
// file, and every word hold other numbers, with correct sums. What verify accepts, every other user must
// accept too. With PROFARC_EXHAUSTIVE it takes some two minutes; without, it takes a sample.
func TestVerifyRefusesWhatAnyUserRefuses(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			data := bytesOf(t, sp)
			other := twin(t, sp.Domain, data)
			all := users(sp.Domain, func() *reader.Store { return open(t, other) })
			all = slices.DeleteFunc(all, func(u user) bool { // not of this domain
				err := u.use(t, open(t, data))
				if err != nil {
					t.Logf("%s: %v", u.name, err)
				}
				return err != nil
			})
			var n, taken int
			failures := map[string]int{}
			err := eachForgery(data, oneIn(50, t.Name()), func(f *forger, r reference, value uint64) {
				n++
				forged := f.Bytes()
				if _, err := archive.FromBytes("damaged.parc", forged, archive.Options{}); errors.Is(err, layout.ErrCorrupt) {
					return // all users open it
				}
				if report, err := verify.Store(t.Context(), open(t, forged), nil); err != nil {
					t.Fatal(err)
				} else if !report.Sound() {
					return
				}
				taken++
				for _, u := range all {
					// Archives that do not go together can be sound, each of them.
					if err := u.use(t, open(t, forged)); err != nil && !errors.Is(err, builder.ErrMismatch) {
						if key := r.What + ", " + u.name; failures[key] == 0 {
							t.Errorf("%s at 0x%x set to 0x%x: verify accepts it, %s: %v", r.What, r.At, value, u.name, err)
						}
						failures[r.What+", "+u.name]++
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range slices.Sorted(maps.Keys(failures)) {
				t.Logf("%s: %d", key, failures[key])
			}
			t.Logf("%d forgeries, %d of them sound", n, taken)
		})
	}
}

// twin returns an archive with the same content and another ID.
func twin(t *testing.T, domain layout.Domain, data []byte) []byte {
	s := open(t, data)
	config := builder.ConfigOf(s.Header())
	config.DumpID = [16]byte{1}
	b := builder.New(domain, config)
	if _, err := merge.Snapshot(t.Context(), b, s, merge.Trained); err != nil {
		t.Fatal(err)
	}
	out, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
