package layout

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

// TestFoldSpreads folds a million keys that differ little: no two ids are equal, each bit is set in half of
// them, and ids of keys that differ in one bit differ in half of their bits.
func TestFoldSpreads(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	ids := make(map[uint64]bool, n)
	var ones [64]int
	changed := 0
	for i := range n {
		k := Key{Class: "a/b/C" + fmt.Sprint(i/100), Name: "m" + fmt.Sprint(i%100), Signature: "()V"}
		id := k.ID(DomainHotSpot)
		ids[id] = true
		for bit := range ones {
			ones[bit] += int(id >> bit & 1)
		}
		name := []byte(k.Name)
		name[i%len(name)] ^= 1 << (i % 7)
		k.Name = string(name)
		changed += bits.OnesCount64(id ^ k.ID(DomainHotSpot))
	}
	if len(ids) != n {
		t.Errorf("%d of %d ids are different", len(ids), n)
	}
	for bit, set := range ones {
		if set < n*49/100 || set > n*51/100 {
			t.Errorf("bit %d is set in %d of %d ids", bit, set, n)
		}
	}
	if mean := float64(changed) / n; mean < 31 || mean > 33 {
		t.Errorf("a changed bit changes %.1f bits of the id", mean)
	}
}

// TestFoldTellsPartsApart moves text between the parts of a key, at every length.
func TestFoldTellsPartsApart(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abcdefgh", 6)
	seen := map[uint64]Key{}
	for i := range len(text) {
		for j := i; j <= len(text); j++ {
			k := Key{Class: text[:i], Name: text[i:j], Signature: text[j:]}
			id := k.ID(DomainHotSpot)
			if other, ok := seen[id]; ok {
				t.Fatalf("%v and %v have one id", k, other)
			}
			seen[id] = k
		}
	}
}

func BenchmarkID(b *testing.B) {
	k := Key{Class: "org/synthetic/module123/package12/ClassOfMethods000123", Name: "method5",
		Signature: "(Ljava/lang/Object;I)V"}
	for b.Loop() {
		k.ID(DomainHotSpot)
	}
}
