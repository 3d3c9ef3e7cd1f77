package mapped

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// OpenReaderAt opens an archive of size bytes that r reads, for instance one within a larger file; name
// stands for the path in errors. It is read into ordinary memory, as with Options.Heap, which is ignored; r
// is not used afterwards. Errors about the content are as from Open; other errors come from r.
func OpenReaderAt(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	data, err := readWhole(io.NewSectionReader(r, 0, max(size, 0)), size)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

// OpenFS opens the archive with that name in a file system, for instance one that is embedded in the program.
// It is read into ordinary memory, as with Options.Heap, which is ignored. Errors about the content are as
// from Open; other errors come from the file system.
func OpenFS(fsys fs.FS, name string, o Options) (*Mapping, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return FromBytes(name, data, o)
}

// readFile reads a file whole. It asks for no more memory than the archive in it takes.
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

// addFileName adds the name of the file to an error that has none.
func addFileName(err error, name string) error {
	var path *fs.PathError
	var content *layout.Error
	if errors.As(err, &path) || errors.As(err, &content) {
		return disk.InFile(err, name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
