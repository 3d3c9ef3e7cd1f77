package parse

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// The page on the design states the limits.
func TestLimitsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| %d times its size, once it is longer than %d MiB;", MaxExpansion, FreeExpansion>>20),
		fmt.Sprintf("at once | %d MiB |", MaxWindow>>20),
		fmt.Sprintf("of LLVM's text | %d MiB |", MaxLine>>20),
		fmt.Sprintf("a line of a JamaicaVM's profile | %d MiB |", MaxJamaicaLine>>20),
		fmt.Sprintf("the value of an unknown key | %d MiB |", MaxItem>>20),
		fmt.Sprintf("| nesting of JSON | %d |", MaxNesting),
		fmt.Sprintf("| unknown keys of an iprof file | %d |", MaxKeys),
		fmt.Sprintf("| items of fewer than %d bytes", SmallItem), fmt.Sprintf("| %d |", MaxSmallItems),
		fmt.Sprintf("in a function of LLVM's | %d |", MaxValueSites), fmt.Sprintf("one for each byte, and %d |", FreeNames),
	} {
		if !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/design.md does not say %q", row)
		}
	}
}
