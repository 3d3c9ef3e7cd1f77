//go:build unix

package agentlib

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func checkOwner(library string) error {
	for _, name := range []string{library, filepath.Dir(library)} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		owner := -1
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			owner = int(s.Uid)
		}
		if info.Mode().Perm()&0o002 != 0 || owner != 0 && owner != os.Geteuid() {
			return fmt.Errorf("%s: other users can write it, and its code would run: remove it, or set XDG_CACHE_HOME to a "+
				"folder of your own", name)
		}
	}
	return nil
}
