//go:build !linux

package turns

import "os"

// peak returns 0, for not known: systems do not agree on its unit.
func peak(*os.ProcessState) int64 { return 0 }
