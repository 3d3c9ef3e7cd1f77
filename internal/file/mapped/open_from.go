package mapped

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// OpenReaderAt opens an archive of size bytes from r, for instance a part of a larger file. name is the path in
// errors. The archive is read into memory, o.Heap is ignored, and r is not used afterwards. Errors about the content
// are the same as from Open; other errors come from r.
func OpenReaderAt(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	data, err := readWhole(io.NewSectionReader(r, 0, max(size, 0)), size)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

// OpenFS opens an archive in a file system, such as an embedded one. The archive is read into memory, and o.Heap is
// ignored. Errors about the content are the same as from Open; other errors come from the file system.
func OpenFS(fsys fs.FS, name string, o Options) (*Mapping, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

// readFile reads a file and limits memory to the size of the archive in it.
func readFile(fsys fs.FS, name string) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err == nil {
		err = requireRegular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return readWhole(f, info.Size())
}

func addFileName(err error, name string) error {
	var path *fs.PathError
	var content *layout.Error
	if errors.As(err, &path) || errors.As(err, &content) {
		return disk.WithFileName(err, name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
