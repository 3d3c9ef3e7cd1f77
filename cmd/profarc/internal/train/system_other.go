//go:build js || plan9

package train

import (
	"errors"
	"os"
)

// These systems do not have them. Here no command is run either.
var (
	hangup      = os.Interrupt
	errNoFormat = errors.ErrUnsupported
)
