package intern

import "testing"

// TestListAcrossChunks: values keep their numbers while a list grows past the end of a chunk and is truncated.
func TestListAcrossChunks(t *testing.T) {
	t.Parallel()
	const n = 2*chunkSize + 3
	var l List[int]
	for i := range n {
		if number := l.Add(i); number != uint32(i+1) {
			t.Fatalf("value %d has the number %d, want %d", i, number, i+1)
		}
	}
	for _, length := range []int{n, 2 * chunkSize, chunkSize + 1, chunkSize, 1, 0} {
		l.Truncate(length)
		if l.Len() != length {
			t.Errorf("%d values, want %d", l.Len(), length)
		}
		if l.Has(uint32(length + 1)) {
			t.Errorf("of %d values, there is one with the number %d", length, length+1)
		}
		seen := 0
		for number, v := range l.All {
			if seen++; *v != seen-1 || number != uint32(seen) {
				t.Fatalf("value %d has the number %d, want %d and %d", *v, number, seen-1, seen)
			}
		}
		if seen != length {
			t.Errorf("All yields %d of %d values", seen, length)
		}
	}
	if number := l.Add(7); number != 1 || *l.At(1) != 7 {
		t.Errorf("the first value after all were dropped has the number %d", number)
	}
}
