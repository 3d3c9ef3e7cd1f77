// Package full marks slow tests. These are tests that start JVMs, compilers, sanitizers or browsers, and tests with
// thousands of hostile inputs. They run only with PROFARC_TESTS=full in the environment.
package full

import (
	"flag"
	"os"
	"testing"
)

// Enabled reports whether PROFARC_TESTS=full is set.
func Enabled() bool { return os.Getenv("PROFARC_TESTS") == "full" }

// Only skips a slow test unless Enabled. The reason completes the sentence "this test ...".
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Enabled() {
		t.Skipf("this test %s: set PROFARC_TESTS=full to run it", reason)
	}
}

// LimitDraws has rapid draw at most 15 examples of each property unless Enabled. TestMain must call it.
func LimitDraws() error {
	if Enabled() {
		return nil
	}
	return flag.Set("rapid.checks", "15")
}
