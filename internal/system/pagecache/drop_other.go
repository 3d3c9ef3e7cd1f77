//go:build !linux

// Package pagecache drops files from the system's page cache.
package pagecache

import "os"

// Drop returns false, since this system cannot drop files.
func Drop(*os.File) bool { return false }
