//go:build (unix && !aix) || windows

package mmap

import (
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"
)

// Available reports whether this system can map files. If not, [NewView] and [NewPrivate] fail.
const Available = true

// A View is a read-only mapping of the first bytes of a file, shared with other processes that map it.
type View struct{ mapping mmap.MMap }

// NewView maps the first size bytes of f; size must not be 0. The file can be closed afterwards. Accessing a page
// wholly after the end of the file faults; see [Guard].
func NewView(f *os.File, size int64) (*View, error) {
	if int64(int(size)) != size {
		return nil, fmt.Errorf("%d bytes do not fit into the address space", size)
	}
	m, err := mmap.MapRegion(f, int(size), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", size, err)
	}
	return &View{m}, nil
}

// Bytes returns the mapped memory. It must not be written to or used after Unmap.
func (v *View) Bytes() []byte { return v.mapping }
func (v *View) Unmap() error  { return v.mapping.Unmap() }
