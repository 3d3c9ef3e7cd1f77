package reader_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestOneCallFindsWhatTwoFind compares Profile and ProfileID, and their batches,
// with Find, Lookup and Method.Profile, for every method and version of every specimen,
// before and after the lookups were noted as checked, also by an adoption of all at once.
func TestOneCallFindsWhatTwoFind(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			data, err := sp.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, data)
			var keys []layout.Key
			var codes []uint64
			for m, err := range s.Methods() {
				if err != nil {
					t.Fatal(err)
				}
				k, err := m.Key()
				if err != nil {
					t.Fatal(err)
				}
				missing := k
				missing.Name += "?"
				for _, k := range []layout.Key{k, missing} {
					for _, code := range []uint64{layout.CodeAny, layout.CodeUnknown, 12345} {
						keys, codes = append(keys, k), append(codes, code)
					}
				}
				for p, err := range m.Profiles() {
					if err != nil {
						t.Fatal(err)
					}
					keys, codes = append(keys, k), append(codes, p.Code())
				}
			}
			for range 3 {
				compareLookups(t, s, keys, codes)
			}
			s = open(t, data)
			adopt(t, s, reader.AdoptOptions{Eager: true})
			compareLookups(t, s, keys, codes)
		})
	}
}

func compareLookups(t *testing.T, s *reader.Store, keys []layout.Key, codes []uint64) {
	t.Helper()
	ids := make([]uint64, len(keys))
	var wantByID, wantByKey []reader.Profile
	for i, k := range keys {
		ids[i] = k.ID(s.Header().Domain)
		if m, err := s.Find(k); err == nil {
			if found, err := m.Key(); err != nil || found != k {
				t.Errorf("Find %v: %v, %v", k, found, err)
			}
		}
		byKey, errKey := profileByTwoCalls(s.Find(k))(codes[i])
		byID, errID := profileByTwoCalls(s.FindID(ids[i]))(codes[i])
		if p, err := s.Profile(k, codes[i]); p != byKey || !sameKind(err, errKey) {
			t.Errorf("Profile %v, code %x: %v, %v, want %v, %v", k, codes[i], p.Ref(), err, byKey.Ref(), errKey)
		}
		if p, err := s.ProfileID(ids[i], codes[i]); p != byID || !sameKind(err, errID) {
			t.Errorf("ProfileID %v, code %x: %v, %v, want %v, %v", k, codes[i], p.Ref(), err, byID.Ref(), errID)
		}
		wantByID, wantByKey = append(wantByID, byID), append(wantByKey, byKey)
	}
	found := make([]reader.Profile, len(keys))
	compareBatch(t, "ProfileIDBatch", found, wantByID, func() (int, error) { return s.ProfileIDBatch(ids, codes, found) })
	compareBatch(t, "ProfileBatch", found, wantByKey, func() (int, error) { return s.ProfileBatch(keys, codes, found) })
}

func profileByTwoCalls(m reader.Method, err error) func(code uint64) (reader.Profile, error) {
	return func(code uint64) (reader.Profile, error) {
		if err != nil {
			return reader.Profile{}, err
		}
		p, _, err := m.Profile(code)
		return p, err
	}
}

func sameKind(a, b error) bool {
	return errors.Is(a, reader.ErrNotFound) == errors.Is(b, reader.ErrNotFound) &&
		errors.Is(a, reader.ErrAmbiguous) == errors.Is(b, reader.ErrAmbiguous) && (a == nil) == (b == nil)
}

func compareBatch(t *testing.T, name string, found, want []reader.Profile, look func() (int, error)) {
	t.Helper()
	hits, err := look()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	wanted := 0
	for i := range want {
		if want[i].Valid() {
			wanted++
		}
		if found[i] != want[i] {
			t.Errorf("%s: lookup %d finds %v, want %v", name, i, found[i].Ref(), want[i].Ref())
		}
	}
	if hits != wanted {
		t.Errorf("%s: %d hits, want %d", name, hits, wanted)
	}
}

// TestHitPathOfManyMethods has lines that are spilled, full and overflowed.
func TestHitPathOfManyMethods(t *testing.T) {
	t.Parallel()
	const n = 5000
	s := open(t, laid(t, numbered(n)))
	for range 2 {
		for i := range 2 * n {
			k := numberedKey(i)
			p, err := s.Profile(k, layout.CodeAny)
			q, errID := s.ProfileID(k.ID(layout.DomainHotSpot), layout.CodeAny)
			if p != q || err != errID {
				t.Fatalf("%v: %v, %v by key, %v, %v by id", k, p.Ref(), err, q.Ref(), errID)
			}
			if i >= n {
				if err != reader.ErrNotFound {
					t.Fatalf("%v is not there: %v", k, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Method()
			if got, keyErr := m.Key(); got != k || err != nil || keyErr != nil {
				t.Fatalf("found %v, want %v: %v, %v", got, k, err, keyErr)
			}
		}
	}
}

// TestProfilesOfKeysWithOneID looks up keys that share an id: by id they are ambiguous,
// by key they are told apart.
func TestProfilesOfKeysWithOneID(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	keys := []layout.Key{{Name: "f", Signature: "1"}, {Name: "f", Signature: "2"}}
	for i, k := range keys {
		counted(b, b.Method(k), 0, profileset.NoContext, uint64(i)+1)
	}
	s := open(t, laid(t, b))
	for range 2 {
		if _, err := s.ProfileID(disk.NameRef("f"), layout.CodeAny); err != reader.ErrAmbiguous {
			t.Errorf("by id: %v", err)
		}
		for i, k := range keys {
			p, err := s.Profile(k, layout.CodeAny)
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := p.Invocations(); !ok || n.Load() != uint64(i)+1 {
				t.Errorf("%v: count %d, %t", k, n.Load(), ok)
			}
		}
	}
}

// TestHitPathOfChangingFile looks up while the file is rewritten in place: it may find
// something else, but does not panic or leave the file.
func TestHitPathOfChangingFile(t *testing.T) {
	t.Parallel()
	data := laid(t, fixture(0))
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	keys := []layout.Key{keyArea, keyMany, keyLoop, keyCodes, keySum, keyIdle, keyBare}
	for round := range 300 {
		changing := words.AlignedBytes(len(data))
		copy(changing, data)
		s := open(t, changing)
		lookupAll(s, keys)
		for range 1 + rnd.IntN(40) {
			region := []layout.Region{disk.RegionIX, disk.RegionRO, disk.RegionRW}[rnd.IntN(3)]
			at := disk.RegionOf(h, region).Offset + rnd.Int64N(min(disk.RegionOf(h, region).Size, 1500))
			changing[at] = []byte{0, 0xff, byte(rnd.Uint32())}[rnd.IntN(3)]
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("round %d: %v", round, r)
				}
			}()
			lookupAll(s, keys)
		}()
	}
}

// A block that loses its header is no block, though it was checked.
func TestHitPathOfShrunkBlock(t *testing.T) {
	t.Parallel()
	for _, units := range []uint32{0, 1, 1 << 31} {
		data := words.AlignedBytes(len(laid(t, fixture(0))))
		copy(data, laid(t, fixture(0)))
		s := open(t, data)
		lookupAll(s, []layout.Key{keyArea})
		p := profileOf(t, s, keyArea)
		binary.LittleEndian.PutUint32(data[p.Ref().Offset():], units)
		id, found := keyArea.ID(layout.DomainHotSpot), make([]reader.Profile, 2)
		byID, err1 := s.ProfileID(id, layout.CodeAny)
		byKey, err2 := s.Profile(keyArea, layout.CodeAny)
		hits, _ := s.ProfileIDBatch([]uint64{id}, nil, found[:1])
		more, _ := s.ProfileBatch([]layout.Key{keyArea}, nil, found[1:])
		if byID.Valid() || byKey.Valid() || err1 == nil || err2 == nil || hits+more != 0 {
			t.Errorf("%d units: %v, %v, %d of batches", units, err1, err2, hits+more)
		}
	}
}

// lookupAll looks keys up in every way and reads the profiles found.
func lookupAll(s *reader.Store, keys []layout.Key) {
	ids := make([]uint64, len(keys))
	for i, k := range keys {
		ids[i] = k.ID(layout.DomainHotSpot)
		p, _ := s.Profile(k, layout.CodeAny)
		q, _ := s.ProfileID(ids[i], layout.CodeAny)
		r, _ := s.ProfileID(ids[i], 0xc0de0)
		for _, p := range []reader.Profile{p, q, r} {
			profileAnswers(nil, p)
		}
	}
	found := make([]reader.Profile, len(keys))
	_, _ = s.ProfileIDBatch(ids, nil, found)
	_, _ = s.ProfileBatch(keys, nil, found)
}

func ExampleStore_Profile() {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	length := layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}
	p := b.Profile(length, layout.CodeUnknown)
	p.Invocations(1000)
	if err := p.Done(); err != nil {
		fmt.Println(err)
		return
	}
	data, _, err := b.Bytes()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := archive.FromBytes("example.parc", data, archive.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := reader.New(m)
	defer s.Close()
	found, err := s.Profile(length, layout.CodeAny)
	if err != nil {
		fmt.Println(err)
		return
	}
	if calls, ok := found.Invocations(); ok {
		fmt.Println(calls.Load(), "calls")
	}
	// Output: 1000 calls
}

// TestHitPathOfVersions looks versions up in chains of all lengths, up to some that the
// hit path leaves to the search.
func TestHitPathOfVersions(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	var keys []layout.Key
	var codes []uint64
	for _, versions := range []int{1, 2, 3, 63, 64, 65, 200} {
		k := layout.Key{Class: "Versions", Name: fmt.Sprint("of", versions)}
		m := b.Method(k)
		for v := range versions {
			p := b.ProfileIn(m, uint64(2*v+2), profileset.NoContext)
			p.Invocations(uint64(v))
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
		for v := range versions + 1 {
			keys, codes = append(keys, k, k), append(codes, uint64(2*v+1), uint64(2*v+2))
		}
		keys, codes = append(keys, k, k), append(codes, layout.CodeAny, layout.CodeUnknown)
	}
	s := open(t, laid(t, b))
	for range 3 {
		compareLookups(t, s, keys, codes)
	}
}
