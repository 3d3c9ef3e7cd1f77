package intern

import (
	"strconv"
	"testing"
)

// Names whose NameRefs begin at one slot end the search by NameRef, and all symbols keep their numbers.
func TestSymbolsWithOneNameRefTakeLinearWork(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var s Symbols
	s.ByNameRef = true
	for i := range n {
		if ref, fresh := s.InternHashed(strconv.Itoa(i), 7); !fresh || int(ref) != i+1 {
			t.Fatalf("name %d: symbol %d, fresh %v", i, ref, fresh)
		}
	}
	if s.ByNameRef || s.Hash("0") == 7 {
		t.Error("symbols are still searched by NameRef")
	}
	for i := range n {
		if ref, fresh := s.InternHashed(strconv.Itoa(i), 7); fresh || int(ref) != i+1 || s.Find(strconv.Itoa(i)) != ref {
			t.Fatalf("name %d: symbol %d, fresh %v", i, ref, fresh)
		}
	}
	if s.Index.Len() != n {
		t.Errorf("%d symbols in the index, want %d", s.Index.Len(), n)
	}
}
