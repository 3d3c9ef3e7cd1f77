//go:build !linux

package cputime

// ThreadTime returns [WallTime], since this system has no thread clock.
func ThreadTime() int64 { return WallTime() }

func ProcessTime() int64 { return WallTime() }
