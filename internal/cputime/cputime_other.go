//go:build !linux

package cputime

// Thread is [Wall]: here there is no clock of a thread.
func Thread() int64 { return Wall() }

// Process is [Wall], too.
func Process() int64 { return Wall() }
