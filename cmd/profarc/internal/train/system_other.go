//go:build js || plan9

package train

import "os"

// hangup is not a signal of these systems. Here no command is run either.
var hangup = os.Interrupt
