package mapped

import (
	"context"
	"io/fs"
	"os"
)

// OpenWaiting opens a file with a flag, os.O_RDONLY or os.O_WRONLY. For a named pipe, it waits until another process
// has opened the other end, or until ctx is done.
func OpenWaiting(ctx context.Context, name string, flag int) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(name, flag, 0)
	}
	type opened struct {
		*os.File
		error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(name, flag, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.File, o.error
	case <-ctx.Done():
	}
	// Opening both ends of the pipe ends the wait. If this process may not, the goroutine keeps waiting.
	if both, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
		o := <-done
		_ = o.Close()
		_ = both.Close()
	}
	return nil, ctx.Err()
}
