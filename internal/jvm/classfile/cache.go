package classfile

import "fmt"

// Limits on what a cache keeps. Whoever asks for methods goes from class to
// class, so that little is asked for again once others were.
const (
	maxCached        = 1 << 24 // bytes of class files
	maxCachedClasses = 1 << 16
)

// A cache keeps the class files that were asked for last.
type cache struct {
	classes map[string][]cached
	bytes   int
	total   int64 // bytes of all class files that were read
}

// A cached is a file that may be of a class, and what was found in it.
type cached struct {
	file   classFile
	read   bool
	parsed *File // nil if it is not there, or not sound
	err    error
}

// keep keeps the files of a class.
func (c *cache) keep(class string, files []cached) {
	if c.classes == nil || len(c.classes) >= maxCachedClasses || c.bytes > maxCached {
		c.classes, c.bytes = map[string][]cached{}, 0
	}
	c.classes[class] = files
}

// parsed is what a file has; nil if it is not there.
func (c *cache) parsed(class string, f *cached) (*File, error) {
	switch {
	case f.read:
	case c.total > maxRead:
		f.err = fmt.Errorf("%s: %w: over %d bytes of class files were read: name fewer", f.file.name(), ErrTooLarge, int64(maxRead))
	default:
		var size int
		f.parsed, size, f.err = readSound(f.file, class)
		c.bytes, c.total = c.bytes+size, c.total+int64(size)
	}
	f.read = true
	return f.parsed, f.err
}
