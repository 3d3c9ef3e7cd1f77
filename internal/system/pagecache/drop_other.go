//go:build !linux

// Package pagecache drops files from the system's page cache.
package pagecache

import "os"

// DropFile returns false, since this system cannot drop files.
func DropFile(*os.File) bool { return false }
