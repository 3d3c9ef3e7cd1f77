package watcher

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// rescan is how long after the last change the folder is read again, in case a file came
// in a way that is not announced, such as a hard link.
const rescan = time.Minute

// A notifier waits for files that are closed after writing, or moved in. What an event
// says does not matter: the folder is read again after each, so that events which the
// kernel drops when its queue is full are not missed.
type notifier struct {
	events *os.File
	woken  chan struct{}
}

// openNotifier watches a folder. Where that is not possible, since the limits of inotify
// are reached, the notifier wakes up from time to time.
func openNotifier(folder string) (*notifier, error) {
	n := &notifier{woken: make(chan struct{}, 1)}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
		return n, nil
	}
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n.events = os.NewFile(uintptr(fd), "inotify")
	_,
		err = unix.InotifyAddWatch(fd, folder,
		unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_ONLYDIR)
	switch {
	case errors.Is(err, unix.ENOSPC): // the user watches too much
		n.close()
		n.events = nil
		return n, nil
	case err != nil:
		n.close()
		return nil, &os.PathError{Op: "watch", Path: folder, Err: err}
	}
	go n.listen()
	return n, nil
}

func (n *notifier) listen() {
	events := make([]byte, 64<<10)
	for {
		if _, err := n.events.Read(events); err != nil {
			return
		}
		select {
		case n.woken <- struct{}{}:
		default: // it is woken already
		}
	}
}

func (n *notifier) close() {
	if n.events != nil {
		n.events.Close()
	}
}

// wait waits for a change, at most so long, and reports whether ctx is still not done.
func (n *notifier) wait(ctx context.Context, most time.Duration) bool {
	if n.events == nil {
		most = settling
	}
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-n.woken:
	case <-t.C:
	}
	return true
}
