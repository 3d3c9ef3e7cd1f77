//go:build js || plan9

package cli

// ignorePipes does nothing: here a pipe that nobody reads has no signal.
func ignorePipes() {}
