//go:build !linux

package ratios

// Pin does nothing.
func Pin() {}
