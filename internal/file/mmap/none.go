//go:build (!unix && !windows) || aix

package mmap

import (
	"errors"
	"os"
)

// Available reports whether this system can map files. If not, [NewView] and [NewPrivate] fail.
const Available = false

// A View is a read-only mapping of a file. This system has none.
type View struct{}

// NewView fails with an error that matches errors.ErrUnsupported.
func NewView(*os.File, int64) (*View, error) { return nil, errors.ErrUnsupported }

func (v *View) Bytes() []byte { return nil }
func (v *View) Forget()       {}
func (v *View) Unmap() error  { return nil }

func mapPrivate(uintptr, Plan) (*Private, error) { return nil, errors.ErrUnsupported }

func (p *Private) Unmap() error { return nil }
