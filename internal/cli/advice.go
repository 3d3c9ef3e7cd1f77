package cli

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

// Advice maps sentinel errors to advice for users. The first match applies.
type Advice []struct {
	Sentinel error
	Text     string
}

// For returns the advice about err, or "".
func (a Advice) For(err error) string {
	for _, row := range a {
		if errors.Is(err, row.Sentinel) {
			return row.Text
		}
	}
	return ""
}

// known has advice about errors of files and archives.
var fileAdvice = Advice{
	{fs.ErrNotExist, "check the name"},
	{syscall.EISDIR, "name the files in it"},
	{fs.ErrPermission, "check who may read and write it"},
	{layout.ErrTruncated, "copy the archive again"},
	{layout.ErrCorrupt, "copy the archive again, or import its source again"},
	{layout.ErrFormat, "name an archive, or make one with profarc import"},
	{archive.ErrClosed, "open it again"},
	{errFull, "make room, then try again"},
}
