package fastmem

// DisableTechnique disables a technique until restore is called. Until then no other goroutine may use this package.
func DisableTechnique(t Technique) (restore func()) {
	disabled[t] = true
	return func() { disabled[t] = false }
}
