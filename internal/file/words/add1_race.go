//go:build race

package words

// Add1 adds 1. The race detector would report that increments may be lost, which callers of Add1 accept.
func (c *Count) Add1() { c.Add(1) }
