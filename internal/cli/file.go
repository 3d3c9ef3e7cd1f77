package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/profarc/profarc/internal/file/mapped"
)

// Commands read the files that arguments name with OpenFile or ReadSmallFile. Then no argument makes a command wait
// forever, ignore an interrupt or fill the memory. TestCommandsOpenFilesByOneDoor checks this.

// SmallFile is the usual limit of ReadSmallFile, for keys, reports and settings.
const SmallFile = 1 << 20

// OpenFile opens an ordinary file of any size. It never waits: a folder, device or pipe is an error.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|mapped.NonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errFolder(path)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: it is a device or a pipe: name an ordinary file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadSmallFile returns the content of a file or pipe. More than limit bytes are an error, as is a folder or device.
// For a pipe, it waits until the writer closes it or ctx is done.
func ReadSmallFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder(path)
	case info.Mode()&fs.ModeDevice != 0:
		return nil, fmt.Errorf("%s: it is a device: name a file or a pipe", path)
	}
	f, err := mapped.OpenWaiting(ctx, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // an empty pipe can block
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s: it has more than %d bytes, the limit of such a file: name another one", path, limit)
	}
	return data, nil
}

func errFolder(path string) error { return fmt.Errorf("%s: it is a folder: name a file in it", path) }
