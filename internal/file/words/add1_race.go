//go:build race

package words

// Add1 adds 1 atomically, since the race detector would report the lost increments that callers accept.
func (c *Count) Add1() { c.Add(1) }
