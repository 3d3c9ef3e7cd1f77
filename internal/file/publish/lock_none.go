//go:build (!unix && !windows) || aix || (solaris && !illumos)

package publish

import (
	"errors"
	"os"
)

var errLocked = errors.New("the file is locked")

// tryFlock does nothing: here no file has a lock that ends with its process alone, so
// that no temporary file is ever taken for litter.
func tryFlock(*os.File) error { return errors.ErrUnsupported }
