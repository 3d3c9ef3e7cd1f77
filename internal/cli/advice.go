package cli

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

// advice lists what to do about errors of files and archives, by the sentinel that they
// match. The first match counts.
var advice = []struct {
	sentinel error
	text     string
}{
	{fs.ErrNotExist, "check the name"},
	{syscall.EISDIR, "name the files in it"},
	{fs.ErrPermission, "check who may read and write it"},
	{layout.ErrTruncated, "copy the archive again"},
	{layout.ErrCorrupt, "copy the archive again, or import its source again"},
	{layout.ErrFormat, "name an archive, or make one with profarc import"},
	{archive.ErrClosed, "open it again"},
	{errFull, "make room, then try again"},
}

// adviceFor returns what to do about an error, empty if nothing is known.
func adviceFor(err error) string {
	for _, a := range advice {
		if errors.Is(err, a.sentinel) {
			return a.text
		}
	}
	return ""
}
