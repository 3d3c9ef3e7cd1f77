//go:build !linux

package report

// Pin does nothing.
func Pin() {}
