//go:build js || plan9

package train

import "os"

// hangup stands for a signal that these systems lack. They run no command either.
var hangup = os.Interrupt
