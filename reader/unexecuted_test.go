package reader_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func compareKeys(a, b layout.Key) int {
	return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Signature, b.Signature),
		cmp.Compare(a.Loader, b.Loader))
}

// seenKeys draws keys of few classes, most of them with signatures made of the classes' names.
func seenKeys() *rapid.Generator[layout.Key] {
	return rapid.Custom(func(t *rapid.T) (k layout.Key) {
		classes := rapid.SampledFrom([]string{"A", "a.B", "a.longer.name.C", "D", "int", ""})
		k.Class = classes.Draw(t, "class")
		if k.Class == "D" {
			k.Loader = rapid.SampledFrom([]string{"", "app"}).Draw(t, "loader")
		}
		k.Name = rapid.SampledFrom([]string{"", "f", "g", "ff"}).Draw(t, "name")
		k.Signature = rapid.SampledFrom([]string{"", "()V", "int()", "A(a.longer.name.C)",
			"a.longer.name.C(a.longer.name.C,int)", "unknown.type.of.result(int)"}).Draw(t, "signature")
		return k
	})
}

// A look-up by key gives the same for a method with a record and one with a row.
func TestUnexecutedMethodsAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ran := rapid.MapOf(seenKeys(), rapid.Bool()).Draw(t, "ran")
		b := builder.New(layout.DomainGraal, builder.Config{})
		for k, ran := range ran {
			m := b.Method(k)
			if b.Seen(m); ran {
				counted(b, m, 0, profileset.NoContext, 7)
			}
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := archive.FromBytes("seen.parc", data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := reader.New(m)
		keys := slices.SortedFunc(maps.Keys(ran), compareKeys)
		i := 0
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			if i == len(keys) {
				t.Fatal("more methods than there are")
			}
			checkMethod(t, s, m, keys[i], ran[keys[i]])
			i++
		}
		if i != len(keys) {
			t.Fatalf("%d methods of %d", i, len(keys))
		}
		other := seenKeys().Draw(t, "other")
		if _, known := ran[other]; known {
			return
		}
		if m, err := s.Find(other); !errors.Is(err, reader.ErrNotFound) || m.Valid() {
			t.Fatalf("found %v, which is not there: %v", other, err)
		}
	})
}

// checkMethod checks a method that Methods returned, and that it is found.
func checkMethod(t *rapid.T, s *reader.Store, m reader.Method, k layout.Key, ran bool) {
	got, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	testarchive.CheckEqual(t, "key", got, k)
	testarchive.CheckEqual(t, "ID", m.ID(), k.ID(layout.DomainGraal))
	testarchive.CheckEqual(t, "unexecuted", m.Unexecuted(), !ran)
	testarchive.CheckEqual(t, "profiled", m.Profiled(), ran)
	found, err := s.Find(k)
	if err != nil || found != m {
		t.Fatalf("found %v, want %v: %v", found, m, err)
	}
	var batch [1]reader.Profile
	hits, err := s.ProfileBatch([]layout.Key{k}, nil, batch[:])
	if err != nil || (hits == 1) != ran || batch[0].Valid() != ran {
		t.Fatalf("%d hits in a batch, %v, %v", hits, batch, err)
	}
	if of, err := batch[0].Method(); ran && (err != nil || of != m) {
		t.Fatalf("the batch found a profile of %v, want %v: %v", of, m, err)
	}
	at, err := s.MethodAt(m.Ref())
	if err != nil || at != m {
		t.Fatalf("method %v at the place of %v: %v", at, m, err)
	}
	signature, err := m.Signature()
	if err != nil || signature.String() != k.Signature {
		t.Fatalf("signature %q, %v, want %q", signature, err, k.Signature)
	}
	found, err = s.FindID(m.ID())
	if found.Valid() && found != m {
		t.Fatalf("by ID: %v, want %v", found, m)
	}
	if err != nil && (ran || !errors.Is(err, reader.ErrNotFound)) {
		t.Fatalf("by ID: %v", err)
	}
}

// A lookup of an unexecuted method allocates nothing, and neither does one of
// a method whose signature is a list.
func TestFindInRowsDoesNotAllocate(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	var keys []layout.Key
	for i := range 300 {
		k := layout.Key{Class: fmt.Sprintf("com.example.Class%d", i%7), Name: fmt.Sprint("m", i),
			Signature: "com.example.Class0(com.example.Class1,com.example.Class2)"}
		keys = append(keys, k)
		b.Seen(b.Method(k))
		if i%3 == 0 {
			counted(b, b.Method(k), 0, profileset.NoContext, 1)
		}
	}
	s := open(t, laid(t, b))
	for _, k := range keys {
		find(t, s, k)
	}
	i := 0
	if n := testing.AllocsPerRun(len(keys), func() { find(t, s, keys[i%len(keys)]); i++ }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Invalid rows and lists are errors with a place.
func TestDamagedRowsAreErrors(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	k := layout.Key{Class: "com.example.Point", Name: "equals", Signature: "com.example.Point(com.example.Point)"}
	b.Seen(b.Method(k))
	sound := laid(t, b)
	never := open(t, sound).Header().Parts[disk.PartUnexecuted]
	row := never.Offset + disk.UnexecutedHeaderSize + disk.ClassRowSize
	list := disk.ParseUnexecutedRow(sound[row:]).Signature.Offset()
	for name, change := range map[string]func(data []byte){
		"more classes than fit":    func(data []byte) { data[never.Offset] = 200 },
		"a class without rows":     func(data []byte) { data[never.Offset+disk.UnexecutedHeaderSize+4] = 0 },
		"a class with more rows":   func(data []byte) { data[never.Offset+disk.UnexecutedHeaderSize+4] = 9 },
		"a list without parts":     func(data []byte) { data[list] = 0 },
		"a list longer than ro":    func(data []byte) { data[list+2] = 0xff },
		"a part that is a list":    func(data []byte) { copy(data[list+4:], data[row+4:row+8]) },
		"a name that is a list":    func(data []byte) { copy(data[row:], data[row+4:row+8]) },
		"a name that is nowhere":   func(data []byte) { data[row+3] = 0xff },
		"a holder that is no type": func(data []byte) { data[never.Offset+disk.UnexecutedHeaderSize] ^= 1 },
	} {
		data := slices.Clone(sound)
		change(data)
		m, err := archive.FromBytes("damaged.parc", data, archive.Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		s := reader.New(m)
		_, err = s.Find(k)
		if err == nil || errors.Is(err, reader.ErrNotFound) {
			for m, walked := range s.Methods() {
				if err = walked; err == nil {
					_, err = m.Key()
				}
			}
		}
		if !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
