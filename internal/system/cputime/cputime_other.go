//go:build !linux

package cputime

// Thread returns [Wall], since this system has no thread clock.
func Thread() int64 { return Wall() }

// Process returns [Wall].
func Process() int64 { return Wall() }
