//go:build !linux

package cputime

// Thread returns [Wall]: here there is no clock of a thread.
func Thread() int64 { return Wall() }

// Process returns [Wall], too.
func Process() int64 { return Wall() }
