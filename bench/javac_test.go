package bench

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

// TestKeysOfJavacAreDistinct: no two methods have one key, and keys and profiles are as
// long as those they imitate.
func TestKeysOfJavacAreDistinct(t *testing.T) {
	t.Parallel()
	const n = 100_000
	seen := make(map[layout.Key]bool, n)
	classes := make(map[string]bool)
	keys, blocks := 0, 0
	for i := range n {
		k := JavacKey(i)
		if seen[k] {
			t.Fatalf("method %d has the key of another one, %v", i, k)
		}
		seen[k], classes[k.Class] = true, true
		keys += len(k.Class) + len(k.Name) + len(k.Signature)
		blocks += JavacBlock(i)
	}
	wantNear(t, "bytes of a key", keys/n, 106)
	wantNear(t, "bytes of a profile", blocks/n, 480)
	wantNear(t, "methods of a hundred classes", 100*n/len(classes), 480)
}

func wantNear(t *testing.T, what string, got, want int) {
	t.Helper()
	if 10*got < 9*want || 10*got > 11*want {
		t.Errorf("%d %s, want about %d", got, what, want)
	}
}
