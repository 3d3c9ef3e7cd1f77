package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
)

// Limits of SumContent.
const (
	maxSummedFiles = 1 << 18 // maximum number of files in a directory
	maxSummedBytes = 1 << 34
)

// errNoChecksum is the error of a file that is not regular or exceeds the limits.
var errNoChecksum = errors.New("it is too large, or no file")

// SumContent computes the checksum of a file or directory of a class path. For a file it is the XXH64 of its bytes.
// For a directory it is the XXH64 over all regular files below it. Each contributes its relative path with / as
// separator, a NUL byte, and its size and checksum as u64. Files are in the order of a walk that visits the names of a
// directory in byte order. Links in a directory are skipped. The kind is ContentUnknown if something cannot be read,
// if there are more than 16 GiB or 262,144 files, or if ctx ends.
func SumContent(ctx context.Context, path string) layout.Content {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return layout.Content{Kind: disk.ContentMissing}
	}
	c := layout.Content{Kind: disk.ContentFile}
	if err == nil {
		if info.IsDir() {
			c.Kind = disk.ContentDirectory
			c.Size, c.Sum, err = checksumDirectory(ctx, path)
		} else {
			c.Size, c.Sum, err = checksumFile(ctx, path)
		}
	}
	if err != nil {
		return layout.Content{Kind: disk.ContentUnknown}
	}
	return c
}

// checksumFile computes the checksum of a regular file. mapped.NonBlocking prevents blocking on a pipe.
func checksumFile(ctx context.Context, path string) (size, sum uint64, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|mapped.NonBlocking, 0)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSummedBytes {
		return 0, 0, errors.Join(errNoChecksum, err)
	}
	h := xxhash.New()
	for {
		n, err := io.CopyN(h, f, 1<<20)
		size += uint64(n)
		switch {
		case errors.Is(err, io.EOF):
			return size, h.Sum64(), nil
		case err != nil:
			return 0, 0, err
		case ctx.Err() != nil:
			return 0, 0, ctx.Err()
		case size > maxSummedBytes:
			return 0, 0, errNoChecksum
		}
	}
}

func checksumDirectory(ctx context.Context, root string) (size, sum uint64, err error) {
	h := xxhash.New()
	files := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root || !d.Type().IsRegular() {
			return err
		}
		n, s, err := checksumFile(ctx, path)
		if err != nil {
			return err
		}
		size, files = size+n, files+1
		if size > maxSummedBytes || files > maxSummedFiles {
			return errNoChecksum
		}
		name, err := filepath.Rel(root, path)
		_, _ = h.WriteString(filepath.ToSlash(name))
		_, _ = h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{0}, n), s))
		return err
	})
	return size, h.Sum64(), err
}
