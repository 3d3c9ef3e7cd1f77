package blobs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"gocloud.dev/blob"

	"github.com/profarc/profarc/internal/cli"
)

// Ranges returns a reader of an object. A read returns an error if the object no longer has o.Size bytes.
func (s *Stores) Ranges(ctx context.Context, o Object) io.ReaderAt { return &ranges{ctx, s, o} }

type ranges struct {
	ctx context.Context
	s   *Stores
	o   Object
}

func (r *ranges) ReadAt(p []byte, at int64) (n int, err error) {
	if at >= r.o.Size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), r.o.Size-at)
	bucket, err := r.s.openBucket(r.ctx, r.o.Location)
	if err != nil {
		return 0, err
	}
	ctx, cancel := r.s.withTimeout(r.ctx, want)
	defer cancel()
	from, err := bucket.NewRangeReader(ctx, r.o.Key, at, want, nil)
	if err != nil {
		return 0, explainError(ctx, r.o.Location, err)
	}
	defer from.Close()
	if from.Size() != r.o.Size {
		return 0, fmt.Errorf("%s: %w: it had %d bytes, and has %d: plan again", r.o, ErrChanged, r.o.Size, from.Size())
	}
	n, err = io.ReadFull(from, p[:want])
	r.s.read.Add(int64(n))
	if err != nil {
		return n, explainError(ctx, r.o.Location, err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read returns the content of an object, or an error if it has more than most bytes.
func (s *Stores) Read(ctx context.Context, l Location, most int64) ([]byte, error) {
	size, err := s.Size(ctx, l)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are expected", l, size, most)
	}
	data := make([]byte, size)
	_, err = s.Ranges(ctx, Object{Location: l, Size: size}).ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data, err
}

// chunk is the size of buffers in bytes.
const chunk = 1 << 20

// Write atomically creates or replaces an object. With once, it does not replace an object and the error matches
// ErrExists.
func (s *Stores) Write(ctx context.Context, l Location, from io.Reader, size int64, once bool) error {
	b, err := s.openBucketForWriting(ctx, l)
	if err != nil {
		return err
	}
	ctx, cancel := s.withTimeout(ctx, size)
	defer cancel() // aborts a write that was not closed
	return explainError(ctx, l, upload(ctx, cancel, b, l.Key, from, &blob.WriterOptions{IfNotExist: once}))
}

// upload writes an object, or nothing if from fails. It is one call of the driver: the writer of Azure's driver panics
// if it is closed while the store refuses what was written.
func upload(ctx context.Context, cancel func(), b *blob.Bucket, key string, from io.Reader,
	o *blob.WriterOptions) error {
	o.ContentType = "application/octet-stream"
	source := &cancelingReader{Reader: from, cancel: cancel}
	err := b.Upload(ctx, key, source, o)
	if source.err != nil {
		return source.err
	}
	return err
}

// A cancelingReader calls cancel if it fails, so that what was read until then is discarded.
type cancelingReader struct {
	io.Reader
	cancel func()
	err    error
}

func (r *cancelingReader) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
		r.cancel()
	}
	return n, err
}

// WriteFile is like Write with the content of a file.
func (s *Stores) WriteFile(ctx context.Context, l Location, name string, once bool) error {
	f, err := cli.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return s.Write(ctx, l, f, info.Size(), once)
}

// SameAsFile reports whether an object and a file have the same content.
func (s *Stores) SameAsFile(ctx context.Context, l Location, name string) (bool, error) {
	f, err := cli.OpenFile(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	size, err := s.Size(ctx, l)
	if err != nil || size != info.Size() {
		return false, err
	}
	object := s.Ranges(ctx, Object{Location: l, Size: size})
	fileChunk := make([]byte, chunk)
	objectChunk := make([]byte, chunk)
	for at := int64(0); at < size; at += chunk {
		n := min(chunk, size-at)
		if _, err := f.ReadAt(fileChunk[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if _, err := object.ReadAt(objectChunk[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if !bytes.Equal(fileChunk[:n], objectChunk[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// Fetch copies an object to a new file.
func (s *Stores) Fetch(ctx context.Context, o Object, name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if failed := f.Close(); err == nil {
			err = failed
		}
	}()
	object := s.Ranges(ctx, o)
	buffer := make([]byte, 8*chunk)
	for at := int64(0); at < o.Size; at += int64(len(buffer)) {
		n := min(int64(len(buffer)), o.Size-at)
		if _, err := object.ReadAt(buffer[:n], at); err != nil && err != io.EOF {
			return err
		}
		if _, err := f.Write(buffer[:n]); err != nil {
			return err
		}
	}
	return nil
}
