//go:build !linux

package turns

// Pin does nothing.
func Pin() {}
