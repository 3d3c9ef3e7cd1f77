package intern

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/fastmem"
	"pgregory.net/rapid"
)

// similarTexts generates strings with long common prefixes, prefixes of other strings, and zero bytes.
var similarTexts = rapid.Custom(func(t *rapid.T) string {
	long := strings.Repeat("long", deepest/4-1)
	part := rapid.SampledFrom([]string{"", "\x00", "a", "_ZN4", "eightlng", "sixteen bytes... ", "\xff", long})
	return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "")
})

func TestSymbolsAreSortedByBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s Symbols
		var want []string
		few := rapid.SampledFrom([]int{0, 2 * fastmem.RadixMin}).Draw(t, "at least")
		for _, text := range rapid.SliceOfN(similarTexts, few, 3*fastmem.RadixMin).Draw(t, "texts") {
			if _, fresh := s.Intern(text); fresh {
				want = append(want, text)
			}
		}
		slices.Sort(want)
		var got []string
		for _, ref := range s.Sorted(new(Sorter)) {
			got = append(got, s.Text(ref))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// TestEqualKeysStayInTheirOrder sorts numbers of keys below and above the minimum of the radix sort.
func TestEqualKeysStayInTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2*fastmem.RadixMin).Draw(t, "keys")
		wide := rapid.Uint64().Draw(t, "wide")
		keys := make([]SortKey, n)
		for i := range keys {
			keys[i] = SortKey{Key: uint64(i*i%7) * wide, Ref: uint32(i)}
		}
		want := slices.Clone(keys)
		slices.SortStableFunc(want, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
		if new(Sorter).Sort(keys); !slices.Equal(keys, want) {
			t.Fatal("another order")
		}
	})
}
