//go:build (!unix && !windows) || aix || (solaris && !illumos)

package publish

import (
	"errors"
	"os"
)

var errLocked = errors.New("the file is locked")

// tryFlock does nothing. These systems have no file lock that ends with its process alone, so no temporary file is
// ever treated as litter.
func tryFlock(*os.File) error { return errors.ErrUnsupported }
