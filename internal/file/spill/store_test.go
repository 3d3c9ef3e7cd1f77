package spill

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/testkit/full"
)

// A kept string is what the store should have at a place.
type kept struct {
	at    Place
	bytes []byte
}

// TestStore: whatever is kept, changed, freed and dropped, a store has what was kept last,
// in memory, in its file, and in a view.
func TestStore(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Store{Config: Config{Budget: rapid.SampledFrom([]int64{-1, 0, 1, 64, 9000}).Draw(t, "budget")}}
		defer s.Close()
		var all []kept
		var state State
		before := 0 // strings at the time of the state
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				state, before = s.State(), len(all)
			case 1:
				s.Restore(state)
				all = all[:before]
			case 2:
				if len(all) > 0 {
					k := &all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
					if b := s.Memory(k.at); len(b) > 0 {
						b[0]++
						k.bytes[0]++
					}
				}
			default:
				text := bytes.Repeat([]byte{byte(len(all))}, rapid.SampledFrom([]int{1, 8, 100, 3000, 70000}).Draw(t, "size"))
				all = append(all, kept{s.Keep(text), text})
				if state.Holds(all[len(all)-1].at) {
					t.Fatal("a state holds what was kept after it")
				}
			}
			check(t, &s, all)
		}
	})
}

func check(t *rapid.T, s *Store, all []kept) {
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	for i, k := range all {
		if got, err := s.Read(k.at); err != nil || !bytes.Equal(got, k.bytes) {
			t.Fatalf("string %d: %.10x, %v, want %.10x", i, got, err, k.bytes)
		}
	}
	v, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.Guard(func() error {
		for i, k := range all {
			if got := v.At(k.at); !bytes.Equal(got, k.bytes) {
				t.Fatalf("string %d in the view: %.10x, want %.10x", i, got, k.bytes)
			}
			v.Forget()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// spilled returns a store whose first of three strings is in the file.
func spilled(t *testing.T, folder string) (*Store, []Place) {
	t.Helper()
	s := &Store{Config: Config{Budget: 1, Folder: folder}}
	var places []Place
	for _, text := range []string{"first", "second", "third"} {
		places = append(places, s.Keep([]byte(text)))
	}
	return s, places
}

func TestFileHasNoName(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, places := spilled(t, folder)
	if s.Err() != nil || s.Memory(places[0]) != nil {
		t.Fatalf("%v; the first string is in memory: %q", s.Err(), s.Memory(places[0]))
	}
	if names, err := os.ReadDir(folder); runtime.GOOS != "windows" && (err != nil || len(names) > 0) {
		t.Errorf("%v, %v in the folder", names, err)
	}
	s.Close()
	if names, err := os.ReadDir(folder); err != nil || len(names) > 0 {
		t.Errorf("%v, %v in the folder after Close", names, err)
	}
}

// TestFileCannotBeMade: nothing is lost, and the error says which folder it is.
func TestFileCannotBeMade(t *testing.T) {
	t.Parallel()
	s, places := spilled(t, filepath.Join(t.TempDir(), "missing"))
	var err *Error
	if !errors.As(s.Err(), &err) || !errors.Is(err, fs.ErrNotExist) || err.Folder != s.Folder {
		t.Errorf("%v", s.Err())
	}
	if got, err := s.Read(places[0]); string(got) != "first" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFileCannotBeWritten: what was written before can be read, and the rest stays in memory.
func TestFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	s, places := spilled(t, t.TempDir())
	writable := s.file
	var err error
	if s.file, err = os.Open(os.DevNull); err != nil {
		t.Fatal(err)
	}
	places = append(places, s.Keep([]byte("fourth")), s.Keep([]byte("fifth")))
	if e := (*Error)(nil); !errors.As(s.Err(), &e) {
		t.Errorf("%v, want an error of the file", s.Err())
	}
	s.file.Close()
	s.file = writable
	defer s.Close()
	for i, want := range []string{"first", "second", "third", "fourth", "fifth"} {
		if got, err := s.Read(places[i]); string(got) != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// TestFileCannotBeRead: what the file has lost is an error, also where it is mapped.
func TestFileCannotBeRead(t *testing.T) {
	t.Parallel()
	s, places := spilled(t, t.TempDir())
	defer s.Close()
	v, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated")
	}
	if err := s.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if got, err := s.Read(places[0]); !errors.As(err, &e) {
		t.Errorf("%q, %v", got, err)
	}
	if err := v.Guard(func() error {
		_ = string(v.At(places[0]))
		return nil
	}); !errors.As(err, &e) || !errors.Is(err, errUnreadable) {
		t.Errorf("in the view: %v", err)
	}
}

// TestWasteful: a store is wasteful once most of it was freed.
func TestWasteful(t *testing.T) {
	t.Parallel()
	s := Store{Config: Config{Budget: -1}}
	var places []Place
	for range 5 {
		places = append(places, s.Keep(make([]byte, slabSize/2)))
	}
	for i, p := range places {
		if want := i > 2; s.Wasteful() != want {
			t.Errorf("%d of %d freed: %v", i, len(places), s.Wasteful())
		}
		s.Free(p)
	}
}
