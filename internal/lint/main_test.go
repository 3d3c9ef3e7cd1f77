package lint

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs all tests in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startInRoot runs the test in parallel in the root of the repository. It changes to the root once more, because the
// go command sees only changes of folder during a test. Without this, it looks for the files that a test has read in
// the wrong folder, and takes an old result for current.
func startInRoot(t *testing.T) {
	t.Helper()
	if err := os.Chdir("."); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
}
