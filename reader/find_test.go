package reader_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestFindReturnsEveryMethodAndNoOther(t *testing.T) {
	t.Parallel()
	const n = 3000
	s := open(t, laid(t, numbered(n)))
	for i := range n {
		k := numberedKey(i)
		m := find(t, s, k)
		got, err := m.Key()
		if err != nil || got != k {
			t.Fatalf("found %v (%v), want %v", got, err, k)
		}
		same, err := s.FindID(k.ID(layout.DomainHotSpot))
		if err != nil || same != m {
			t.Fatalf("by id: %v, %v", same, err)
		}
	}
	for i := n; i < 2*n; i++ {
		if m, err := s.Find(numberedKey(i)); !errors.Is(err, reader.ErrNotFound) || m.Valid() {
			t.Fatalf("found %v, which is not there: %v", numberedKey(i), err)
		}
	}
}

func TestFindComparesEveryPartOfTheKey(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	for _, change := range []func(*layout.Key){
		func(k *layout.Key) { k.Class = "Sun" },
		func(k *layout.Key) { k.Class = "" },
		func(k *layout.Key) { k.Name = "off" },
		func(k *layout.Key) { k.Signature = "" },
		func(k *layout.Key) { k.Loader = "" },
		func(k *layout.Key) { k.Loader = "third" },
	} {
		k := keySum
		change(&k)
		if _, err := s.Find(k); !errors.Is(err, reader.ErrNotFound) {
			t.Errorf("find %v: %v", k, err)
		}
	}
	if find(t, s, keySum) == find(t, s, keySumToo) {
		t.Error("methods of two loaders are one")
	}
}

func TestMethodAccessors(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	area := find(t, s, keyArea)
	if area.Access() != disk.AccFinal || area.Flags()&layout.MethodNotMatchable == 0 || area.Unexecuted() {
		t.Errorf("access %#x, flags %#x", area.Access(), area.Flags())
	}
	if idle := find(t, s, keyIdle); !idle.Unexecuted() {
		t.Error("an unexecuted method is executed")
	}
	name, err := area.Name()
	if err != nil {
		t.Fatal(err)
	}
	testarchive.CheckEqual(t, "the name is area", name.String() == "area", true)
	testarchive.CheckEqual(t, "the name is are", name.String() == "are", false)
	testarchive.CheckEqual(t, "length of the name", name.Len(), 4)
	testarchive.CheckEqual(t, "name that is appended", string(name.AppendTo([]byte("the "))), "the area")
	class, ok, err := area.Class()
	if !ok || err != nil {
		t.Fatalf("class: %t, %v", ok, err)
	}
	if className, err := class.Name(); err != nil || className.String() != "Shape" {
		t.Errorf("class %q, %v, want Shape", className, err)
	}
	bare := find(t, s, keyBare)
	if _, ok, err := bare.Class(); ok || err != nil {
		t.Errorf("a method without a class has one: %v", err)
	}
	if sig, err := bare.Signature(); err != nil || sig.Len() != 0 {
		t.Errorf("a method without a signature has %q, %v", sig, err)
	}
	if again, err := s.MethodAt(area.Ref()); err != nil || again != area {
		t.Errorf("by reference: %v, %v", again, err)
	}
}

func TestZeroMethodIsHarmless(t *testing.T) {
	t.Parallel()
	var m reader.Method
	if _, _, err := m.Profile(layout.CodeAny); !errors.Is(err, reader.ErrNotFound) || m.Valid() {
		t.Errorf("profile of no method: %v", err)
	}
	for range m.Profiles() {
		t.Error("no method has a profile")
	}
	if k, err := m.Key(); k != (layout.Key{}) || err != nil {
		t.Errorf("key %v, %v", k, err)
	}
}

func TestFindType(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	circle, err := s.FindType("Circle", "")
	if err != nil {
		t.Fatal(err)
	}
	alias, err := circle.Alias()
	if err != nil || alias.String() != "LCircle;" {
		t.Errorf("alias %q, %v, want LCircle;", alias, err)
	}
	if flags, err := circle.Flags(); err != nil || flags != layout.TypeHidden {
		t.Errorf("flags %#x, %v, want %#x", flags, err, layout.TypeHidden)
	}
	testarchive.CheckEqual(t, "Circle is late", circle.Late(), false)
	if id, err := circle.ID(); err != nil || id != layout.TypeID("Circle", "") {
		t.Errorf("id %016x, %v", id, err)
	}
	app, err := s.FindType("Square", "app")
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.FindType("Square", "other")
	if err != nil || app == other {
		t.Errorf("types of two loaders are one: %v", err)
	}
	if loader, err := app.Loader(); err != nil || loader.String() != "app" {
		t.Errorf("loader %q, %v", loader, err)
	}
	if _, err := s.FindType("Square", ""); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("a type of no loader: %v", err)
	}
	if again, err := s.Type(app.Ordinal()); err != nil || again != app {
		t.Errorf("by ordinal: %v, %v", again, err)
	}
	if _, err := s.Type(uint32(s.Header().Counts.Types)); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("a type after the last: %v", err)
	}
}

// A batch finds the same as single look-ups, also where there are more look-ups
// than are under way at once.
func TestBatches(t *testing.T) {
	t.Parallel()
	s := open(t, laid(t, numbered(50)))
	var ids []uint64
	var keys []layout.Key
	for i := range 100 { // every other is missing
		keys = append(keys, numberedKey(i/2+i%2*50))
		ids = append(ids, keys[i].ID(layout.DomainHotSpot))
	}
	byID, byKey := make([]reader.Profile, 100), make([]reader.Profile, 100)
	hits, err := s.ProfileIDBatch(ids, nil, byID)
	again, errAgain := s.ProfileBatch(keys, nil, byKey)
	if hits != 50 || err != nil {
		t.Fatalf("%d hits by ID, want 50, %v", hits, err)
	}
	if again != 50 || errAgain != nil {
		t.Fatalf("%d hits by key, want 50, %v", again, errAgain)
	}
	for i := range keys {
		want, _ := s.Profile(keys[i], layout.CodeAny)
		if byID[i] != want || byKey[i] != want {
			t.Errorf("%d: the wrong profile", i)
		}
	}
}

func TestWalksYieldEverythingInOrder(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	var keys []layout.Key
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	want := []layout.Key{keyBare, keyCodes, keyIdle, keyLoop, keyMain, keyArea, keyMany, keySum, keySumToo}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
	var types []string
	for ty, err := range s.Types() {
		if err != nil {
			t.Fatal(err)
		}
		name, _ := ty.Name()
		loader, _ := ty.Loader()
		types = append(types, name.String()+" "+loader.String())
	}
	wantTypes := []string{"Circle ", "Codes ", "Idle ", "Main ", "Shape ", "Square app", "Square other", "Sum app",
		"Sum other"}
	if diff := cmp.Diff(wantTypes, types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

func TestWalkOfManyMethodsCrossesBatches(t *testing.T) {
	t.Parallel()
	const n = 1000
	s := open(t, laid(t, numbered(n)))
	seen := map[layout.Ref]bool{}
	for m, err := range s.Methods() {
		if err != nil || seen[m.Ref()] {
			t.Fatalf("method at %d: %v", m.Ref(), err)
		}
		seen[m.Ref()] = true
	}
	if len(seen) != n {
		t.Errorf("%d methods, want %d", len(seen), n)
	}
	for range s.Methods() {
		break // must not go on
	}
}

func TestEmptyArchive(t *testing.T) {
	s := open(t, laid(t, numbered(0)))
	if _, err := s.Find(keyArea); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("find: %v", err)
	}
	for m, err := range s.Methods() {
		t.Errorf("a method: %v, %v", m, err)
	}
	if err := s.Adopt(reader.AdoptOptions{}); err != nil && !bigEndianRefuses(err) {
		t.Errorf("adopt: %v", err)
	}
}

// An LLVM id depends on the name alone, so that keys may share it.
func TestKeysWithOneID(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	one, two := layout.Key{Name: "f", Signature: "1"}, layout.Key{Name: "f", Signature: "2"}
	for i, k := range []layout.Key{one, two, {Name: "g"}} {
		counted(b, b.Method(k), 0, profileset.NoContext, uint64(i)+1)
	}
	s := open(t, laid(t, b))
	if _, err := s.FindID(disk.NameRef("f")); !errors.Is(err, reader.ErrAmbiguous) {
		t.Errorf("by id: %v", err)
	}
	if _, err := s.FindID(disk.NameRef("g")); err != nil {
		t.Errorf("another id: %v", err)
	}
	found := make([]reader.Profile, 2)
	ids := []uint64{disk.NameRef("f"), disk.NameRef("g")}
	if hits, err := s.ProfileIDBatch(ids, nil, found); hits != 1 || err != nil || found[0].Valid() {
		t.Errorf("batch: %d hits, %v", hits, err)
	}
	keys := []layout.Key{two, {Name: "f"}}
	if hits, err := s.ProfileBatch(keys, nil, found); hits != 1 || err != nil {
		t.Errorf("batch of keys: %d hits, want 1, %v", hits, err)
	}
	if want := [2]reader.Profile{profileOf(t, s, two)}; [2]reader.Profile(found) != want {
		t.Errorf("batch of keys: %v, want %v", found, want)
	}
	for i, k := range []layout.Key{one, two} {
		if n, _ := profileOf(t, s, k).Invocations(); n.Load() != uint64(i)+1 {
			t.Errorf("%v: profile %d", k, n.Load())
		}
	}
	if _, err := s.Find(layout.Key{Name: "f"}); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("a third key of that id: %v", err)
	}
}
