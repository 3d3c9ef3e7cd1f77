package folderwatch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openRegular opens a file without following a link or blocking on a pipe.
func openRegular(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// openForWriting reports whether a process has the file open or mapped for writing, and whether the
// system could tell for certain.
//
// A lease for reading is granted only if nobody has the file open for writing, and a
// mapping keeps a file open. It needs the file's owner or CAP_LEASE, and a local file
// system. On overlayfs a mapping refers to the lower file, which the lease misses.
func openForWriting(f *os.File, path string) (used, certain bool) {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	switch {
	case errors.Is(err, unix.EAGAIN):
		return true, true
	case err != nil:
		return writtenBySomeone(path), false
	}
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &fs) == nil && int64(fs.Type) == unix.OVERLAYFS_SUPER_MAGIC {
		return writtenBySomeone(path), true
	}
	return false, true
}

// lockForReading locks a file against LLVM's runtime, which locks the files it adds to, and reports whether no
// process had it locked. The lock belongs to this opening of the file, so that closing another one does not
// end it. A file system without locks has none to respect.
func lockForReading(f *os.File) bool {
	whole := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &whole)
	return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES)
}

// writtenBySomeone reports whether a visible process has a file open or mapped for writing.
func writtenBySomeone(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return false
	}
	processes, _ := filepath.Glob("/proc/[1-9]*")
	return slices.ContainsFunc(processes, func(process string) bool {
		return opensForWriting(process, real) || mapsForWriting(process, real)
	})
}

func opensForWriting(process, path string) bool {
	open, _ := os.ReadDir(process + "/fd")
	for _, fd := range open {
		if to, err := os.Readlink(process + "/fd/" + fd.Name()); err != nil || to != path {
			continue
		}
		info, err := os.ReadFile(process + "/fdinfo/" + fd.Name())
		_, flags, found := strings.Cut(string(info), "flags:")
		if err != nil || !found {
			continue
		}
		flags, _, _ = strings.Cut(flags, "\n")
		if n, err := strconv.ParseUint(strings.TrimSpace(flags), 8, 64); err == nil && n&unix.O_ACCMODE != unix.O_RDONLY {
			return true
		}
	}
	return false
}

func mapsForWriting(process, path string) bool {
	maps, _ := os.ReadFile(process + "/maps")
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line) // addresses, permissions, offset, device, inode, path
		if len(f) >= 6 && len(f[1]) == 4 && f[1][1] == 'w' && f[1][3] == 's' &&
			strings.HasSuffix(strings.TrimRight(line, "\n"), " "+path) {
			return true
		}
	}
	return false
}
