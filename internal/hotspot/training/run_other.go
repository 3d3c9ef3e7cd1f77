//go:build !linux

package training

// Run runs a command.
func Run(Command) (Status, error) { return Status{}, ErrUnsupported }
