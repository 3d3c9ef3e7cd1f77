//go:build js || plan9

package cli

// ignorePipes does nothing, because this system has no SIGPIPE.
func ignorePipes() {}
