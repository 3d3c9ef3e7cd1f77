//go:build !linux

package training

// Run returns ErrUnsupported.
func Run(Command) (Status, error) { return Status{}, ErrUnsupported }
