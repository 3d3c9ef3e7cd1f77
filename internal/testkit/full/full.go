// Package full separates the tests that every change needs from the ones that take minutes: tests that start JVMs,
// compilers, sanitizers or browsers, and tests with thousands of hostile inputs. The second kind runs if the
// environment has PROFARC_TESTS=full.
package full

import (
	"os"
	"testing"
)

// Enabled reports whether PROFARC_TESTS=full is set.
func Enabled() bool { return os.Getenv("PROFARC_TESTS") == "full" }

// Only skips a test unless all tests run. The reason completes the sentence "this test ...".
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Enabled() {
		t.Skipf("this test %s: set PROFARC_TESTS=full to run it", reason)
	}
}
