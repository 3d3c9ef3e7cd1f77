package relocate_test

import (
	"fmt"

	"github.com/profarc/profarc/internal/relocate"
)

// A writer notes where the pointers of the region rw are; the encoded bitmaps become
// the region bm.
func ExampleCollector() {
	c := relocate.NewCollector(1 << 16)
	c.Add(64)
	c.Add(4096)
	fmt.Println(c.Count(), "slots take", c.Size(), "bytes")
	// Output: 2 slots take 40 bytes
}
