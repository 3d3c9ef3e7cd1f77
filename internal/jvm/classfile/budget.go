package classfile

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge: a class path holds more than is looked through.
var ErrTooLarge = errors.New("more than can be looked through")

// Limits on what one class path takes, whatever its jars hold.
const (
	maxJars      = 1 << 14 // jars and folders, also those in jars and those that manifests name
	maxDirectory = 1 << 26 // bytes of the jars' lists of files
	maxUnpacked  = 1 << 29 // bytes of jars that are compressed in others
	maxNesting   = 3       // jars within a jar
	maxFileSize  = 1 << 24 // bytes of one class file
	maxRead      = 1 << 31 // bytes of all class files that are read, unpacked
)

// A budget is what is left of the limits of a class path.
type budget struct {
	jars                int
	directory, unpacked int64
}

func newBudget() *budget { return &budget{maxJars, maxDirectory, maxUnpacked} }

// jar takes one jar or folder from the budget.
func (b *budget) jar() error {
	if b.jars--; b.jars < 0 {
		return fmt.Errorf("%w: over %d jars and folders: name fewer", ErrTooLarge, maxJars)
	}
	return nil
}

// metered reads a jar's list of files, as far as the budget allows.
type metered struct {
	io.ReaderAt
	left *int64
}

func (m *metered) ReadAt(b []byte, at int64) (n int, err error) {
	if m.left == nil { // the list has been read
		return m.ReaderAt.ReadAt(b, at)
	}
	n, err = m.ReaderAt.ReadAt(b, at)
	if *m.left -= int64(n); *m.left < 0 {
		return n, fmt.Errorf("%w: the jars' lists of files are over %d bytes: name fewer jars", ErrTooLarge, maxDirectory)
	}
	return n, err
}
