//go:build !linux

package bench

import "os"

// dropFromCache does nothing, and says so.
func dropFromCache(*os.File) bool { return false }
