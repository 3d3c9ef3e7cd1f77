package reader_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestAdoptBatchIsAdopt: a batch adopts as Profile.Claim does, each profile once however often
// it is in the batch, and skips places without a profile.
func TestAdoptBatchIsAdopt(t *testing.T) {
	for _, o := range []reader.AdoptOptions{{}, {Eager: true}, {Anywhere: true},
		{Anywhere: true, Eager: true}} {
		for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(0))} {
			one, many := openFixture(t), make([]reader.Profile, 200)
			adopt(t, one, o)
			adopt(t, s, o)
			keys := []layout.Key{keySum, keyArea}
			for i := range many {
				if i%3 < 2 {
					many[i] = profileOf(t, s, keys[i%3])
				}
			}
			if err := s.ClaimBatch(many); err != nil {
				t.Fatal(err)
			}
			for i, p := range many {
				if i%3 == 2 {
					if p.Valid() {
						t.Errorf("%+v: profile %d came from nowhere", o, i)
					}
					continue
				}
				if want := adoptProfile(t, one, keys[i%3]); p.Address() == 0 || !cmp.Equal(describe(t, p), describe(t, want)) {
					t.Errorf("%+v: profile %d is %v", o, i, p)
				}
			}
			if a, _ := s.Adoption(); a.Claimed != 2 {
				t.Errorf("%+v: %d profiles claimed", o, a.Claimed)
			}
		}
	}
}

func TestAdoptBatchEndsAtAnError(t *testing.T) {
	s, other := openFixture(t), openFixture(t)
	batch := []reader.Profile{profileOf(t, s, keySum), profileOf(t, other, keySum), profileOf(t, s, keyArea)}
	if err := s.ClaimBatch(batch); !errors.Is(err, reader.ErrNotAdopted) || batch[0].Address() != 0 {
		t.Errorf("in a store that is not adopted: %v", err)
	}
	adopt(t, s, reader.AdoptOptions{})
	adopt(t, other, reader.AdoptOptions{})
	if err := s.ClaimBatch(batch); !errors.Is(err, reader.ErrNotFound) || batch[0].Address() == 0 ||
		batch[1].Address() != 0 ||
		batch[2].Address() != 0 {
		t.Errorf("with a profile of another store: %v", err)
	}
}
