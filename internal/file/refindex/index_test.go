package refindex

import (
	"testing"

	"pgregory.net/rapid"
)

// An index is a map from hash and value to reference, however hashes collide.
func TestIndexIsAMap(t *testing.T) {
	type key struct{ hash, value uint32 }
	hash := rapid.OneOf(rapid.Uint32Range(0, 3), rapid.Uint32Range(1<<32-4, 1<<32-1), rapid.Uint32())
	rapid.Check(t, func(t *rapid.T) {
		var x Index
		var values []uint32 // by reference-1
		want := map[key]uint32{}
		for range rapid.IntRange(0, 1000).Draw(t, "look-ups") {
			k := key{hash.Draw(t, "hash"), rapid.Uint32Range(0, 3).Draw(t, "value")}
			ref, at := x.Find(k.hash, func(ref uint32) bool { return values[ref-1] == k.value })
			if ref != want[k] {
				t.Fatalf("%v: reference %d, want %d", k, ref, want[k])
			}
			if ref == 0 {
				values = append(values, k.value)
				want[k] = uint32(len(values))
				x.Put(at, k.hash, want[k])
			}
		}
		for k, ref := range want {
			var guess [1]uint32
			if x.Guess([]uint32{k.hash}, guess[:]); guess[0] != 0 && guess[0] != ref &&
				want[key{k.hash, values[guess[0]-1]}] != guess[0] {
				t.Fatalf("%v: guess %d has another hash", k, guess[0])
			}
		}
	})
}

// Nearly every guess is right where hashes are spread.
func TestGuesses(t *testing.T) {
	var x Index
	var hashes []uint32
	for ref := uint32(1); ref <= 10000; ref++ {
		hash := ref * 0x9e3779b9
		_, at := x.Find(hash, func(uint32) bool { return true })
		x.Put(at, hash, ref)
		hashes = append(hashes, hash)
	}
	refs, right := make([]uint32, len(hashes)), 0
	x.Guess(hashes, refs)
	for i, ref := range refs {
		if ref == uint32(i)+1 {
			right++
		}
	}
	if right < len(hashes)/2 {
		t.Errorf("%d of %d guesses are right", right, len(hashes))
	}
	new(Index).Guess(hashes, refs)
	if refs[0] != 0 {
		t.Error("an empty index guesses")
	}
}

// Truncate removes what was put last, and Find still finds the rest.
func TestTruncate(t *testing.T) {
	t.Parallel()
	var x Index
	x.Truncate(3) // of an empty index
	put := func(from, to uint32) {
		for ref := from; ref <= to; ref++ {
			_, at := x.Find(ref%7, func(uint32) bool { return false })
			x.Put(at, ref%7, ref)
		}
	}
	put(1, 1000)
	x.Truncate(300)
	if x.Len() != 300 {
		t.Fatalf("%d references, want 300", x.Len())
	}
	put(301, 500)
	for ref := uint32(1); ref <= 600; ref++ {
		got, _ := x.Find(ref%7, func(r uint32) bool { return r == ref })
		if want := ref <= 500; want != (got == ref) {
			t.Fatalf("reference %d: found %d", ref, got)
		}
	}
}
