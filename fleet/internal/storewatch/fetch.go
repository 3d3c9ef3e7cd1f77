package storewatch

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/counted"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/reader"
)

// Why an object is set aside.
var (
	errChanged = errors.New("it was merged with other content before, and can have what was counted then: " +
		"let each process write an object of its own")
	errEmpty = errors.New("it is empty")
	errMoved = errors.New("it was removed or replaced since it was listed")
)

// A fetched object is in a temporary file, and is not in the archive.
type fetched struct {
	object    blobs.Object
	path      string
	isArchive bool
	content   uint64 // hash of the content
}

// fetchNew fetches objects that the archive does not have, and settles the others. It stops at the limits of a batch.
func (m *batch) fetchNew(ctx context.Context, objects []blobs.Object) error {
	for len(objects) > 0 && len(m.fetched) < m.maxObjects() && m.bytes < maxBatchBytes {
		n := min(len(objects), max(m.w.o.Jobs, 1))
		if err := m.fetchSome(ctx, objects[:n]); err != nil {
			return err
		}
		objects = objects[n:]
	}
	m.more = len(objects) > 0
	return nil
}

// fetchSome fetches a few objects at the same time.
func (m *batch) fetchSome(ctx context.Context, objects []blobs.Object) error {
	found := make([]*fetched, len(objects))
	errs := make([]error, len(objects))
	jobs, inner := errgroup.WithContext(ctx)
	for i, o := range objects {
		if m.w.isSettled(o) {
			continue
		}
		path := filepath.Join(m.folder, fmt.Sprint("object-", m.files))
		m.files++
		jobs.Go(func() error {
			found[i], errs[i] = m.fetchObject(inner, o, path)
			var fault *storeError
			if errors.As(errs[i], &fault) {
				return fault.error
			}
			return inner.Err()
		})
	}
	if err := jobs.Wait(); err != nil {
		return err
	}
	for i, o := range objects {
		switch {
		case errs[i] != nil:
			m.leaveOut(o, errs[i])
		case found[i] != nil:
			m.fetched = append(m.fetched, found[i])
			m.bytes += o.Size
		case !m.w.isSettled(o):
			m.w.settle(o, outcome{}) // the archive has it
		}
	}
	return nil
}

// A storeError is an error of the store, which no object causes.
type storeError struct{ error }

// readError returns errMoved, the error of an object that may not be read, or a storeError for the error of a read.
func readError(err error) error {
	switch {
	case errors.Is(err, blobs.ErrNotFound), errors.Is(err, blobs.ErrChanged):
		return errMoved
	case errors.Is(err, blobs.ErrDenied):
		return err
	}
	return &storeError{err}
}

// fetchObject fetches an object unless the archive has it. Then the result is nil.
func (m *batch) fetchObject(ctx context.Context, o blobs.Object, path string) (*fetched, error) {
	switch {
	case o.Size == 0:
		return nil, errEmpty
	case hasListed(m.ledger, o):
		return nil, nil
	case m.w.o.MaxObject > 0 && o.Size > m.w.o.MaxObject:
		return nil, overLimit("it has %s, more than --max-file %s", cli.FormatSize(o.Size),
			cli.FormatSize(m.w.o.MaxObject))
	}
	if err := m.checkRecordedLimit(o); err != nil {
		return nil, err
	}
	f := &fetched{object: o, path: path}
	known, err := m.isKnownArchive(ctx, f)
	if err != nil || known {
		return nil, err
	}
	if !f.isArchive {
		if err := m.checkAge(o.Modified); err != nil {
			return nil, err
		}
	}
	if err := m.w.stores.Fetch(ctx, o, path); err != nil {
		return nil, readError(err)
	}
	if f.isArchive {
		return f, nil
	}
	return m.hashObject(f)
}

// smallArchive is the size up to which an archive is fetched as a whole to see whether it is known.
const smallArchive = 256 << 10

// isKnownArchive sets f.isArchive, and reports whether the object is an archive whose dumps are counted. Of a large
// archive it reads names and tables only.
func (m *batch) isKnownArchive(ctx context.Context, f *fetched) (bool, error) {
	from := m.w.stores.Ranges(ctx, f.object)
	head := make([]byte, schema.MagicSize)
	if _, err := from.ReadAt(head, 0); err != nil && err != io.EOF {
		return false, readError(err)
	}
	f.isArchive = schema.IsArchive(head)
	if !f.isArchive || f.object.Size <= smallArchive {
		return false, nil
	}
	of, err := archive.OpenRanges(f.object.String(), from, f.object.Size, archive.Options{})
	if err != nil {
		return false, nil // the error of the store, or of the archive, comes again when it is read as a whole
	}
	s := reader.New(of)
	defer s.Close()
	known, _, err := m.ledger.HasAll(s)
	return err == nil && known, nil
}

// hashObject hashes the content of an object that is no archive, and looks it up.
func (m *batch) hashObject(f *fetched) (*fetched, error) {
	file, err := cli.OpenFile(f.path)
	if err != nil {
		return nil, &storeError{err}
	}
	defer file.Close()
	sum := md5.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, &storeError{err}
	}
	f.content = hashMD5([md5.Size]byte(sum.Sum(nil)))
	switch m.ledger.LookUp(f.object.Key, f.content) {
	case counted.Known:
		return nil, os.Remove(f.path)
	case counted.Changed:
		return nil, errChanged
	}
	return f, nil
}

// A profile is an open object.
type profile struct {
	store *reader.Store
	file  io.Closer
	lost  codec.Losses
}

func (p *profile) Close() {
	p.store.Close()
	p.file.Close()
}

// openProfile opens a fetched object. Messages and the account have the name of the object.
func (m *batch) openProfile(ctx context.Context, f *fetched) (p *profile, err error) {
	file, err := cli.OpenFile(f.path)
	if err != nil {
		return nil, &storeError{err}
	}
	name := f.object.String()
	p = &profile{file: file}
	if f.isArchive {
		var of *archive.Mapping
		of, err = archive.OpenRanges(name, file, f.object.Size, archive.Options{})
		if err == nil {
			p.store = reader.New(of)
		}
	} else {
		p.store, p.lost, err = m.importFile(ctx, f, file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (m *batch) importFile(ctx context.Context, f *fetched, file io.Reader) (*reader.Store, codec.Losses, error) {
	id := hashObjects.NewID(f.object.Key, f.content, f.object.Modified.UnixNano())
	done, err := formats.Import(ctx, []formats.Input{{Name: f.object.String(), Reader: file}},
		formats.ImportOptions{Unordered: true, Config: builder.Config{DumpID: id, DumpTime: f.object.Modified,
			SpillFolder: m.folder, MemoryBudget: m.w.o.Memory}})
	if err != nil {
		return nil, nil, err
	}
	s, err := done.Builder.Open(f.object.String())
	return s, done.Lost, err
}
