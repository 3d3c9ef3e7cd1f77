package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// An Input is a file or reader to import.
type Input struct {
	Name   string        // name of the file, or for a reader the name in errors and reports
	Reader io.Reader     // nil to open the file Name
	Weight layout.Weight // factor for the counts; 0 for 1
}

// Files returns an input for each file name.
func Files(names ...string) []Input {
	inputs := make([]Input, len(names))
	for i, name := range names {
		inputs[i].Name = name
	}
	return inputs
}

// headSize is the number of bytes that format detection reads. packedSize is the buffer size for compressed input.
const (
	headSize   = 1 << 20
	packedSize = 1 << 16
)

// heads and packedBuffers are pools of buffers with headSize and packedSize bytes. Without them, an import of many
// small inputs would spend most of its time on clearing new buffers.
var (
	heads         = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, headSize) }}
	packedBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, packedSize) }}
)

// A stream is an open input, decompressed.
type stream struct {
	*bufio.Reader
	packed  *bufio.Reader // bytes of the input before decompression
	from    io.Reader     // source of the buffer
	name    string
	codec   string // "gzip", "zstd", or "" if not compressed
	closers []func()
}

// Close closes the file and the decompressor.
func (s *stream) Close() {
	for _, c := range s.closers {
		c()
	}
	if s.Size() == headSize { // the first call of Close
		s.Reset(nil)
		heads.Put(s.Reader)
		s.packed.Reset(nil)
		packedBuffers.Put(s.packed)
		s.from = readerFunc(func([]byte) (int, error) { return 0, os.ErrClosed })
		s.Reader = bufio.NewReaderSize(s.from, 0)
	}
}

// openInput opens an input. Reading from it fails after ctx has ended.
func openInput(ctx context.Context, in Input, o *ImportOptions) (*stream, error) {
	r := in.Reader
	size := int64(0)
	waits := true
	var closers []func()
	if r == nil {
		f, err := mapped.OpenWaiting(ctx, in.Name, os.O_RDONLY)
		if err != nil {
			return nil, err
		}
		closers = append(closers, func() { f.Close() })
		if info, err := f.Stat(); err == nil {
			size = info.Size()
			waits = !info.Mode().IsRegular()
		}
		r = f
	}
	if o.Progress != nil && size > 0 {
		r = counted(r, func(done int64) { o.Progress(in.Name, done, size) })
	}
	if waits {
		pipe := cancellable(ctx, r)
		closers = append(closers, func() { pipe.Close() })
		r = pipe
	} else {
		r = checked(ctx, r)
	}
	s, err := decompress(in.Name, r, o.MaxExpansion)
	if err != nil {
		for _, c := range closers {
			c()
		}
		return nil, err
	}
	s.closers = append(s.closers, closers...)
	return s, nil
}

// cancellable returns a reader of r that fails when ctx ends, even while r blocks. After Close, at most one read of r
// is still running.
func cancellable(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}

// checkedSize is the maximum number of bytes between two checks of a context. Importers process this amount in a
// moment.
const checkedSize = 1 << 15

// checked returns a reader of r that fails after ctx has ended.
func checked(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(b[:min(len(b), checkedSize)])
	})
}

// counted returns a reader of r that reports the total number of bytes after each read.
func counted(r io.Reader, report func(done int64)) io.Reader {
	done := int64(0)
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		done += int64(n)
		report(done)
		return n, err
	})
}

// decompress returns a stream with the contents of r, which may be compressed. See expansion for maxExpansion.
func decompress(name string, r io.Reader, maxExpansion int64) (*stream, error) {
	s := &stream{name: name}
	x := &expansion{most: maxExpansion}
	packed := packedBuffers.Get().(*bufio.Reader)
	packed.Reset(x.compressed(r))
	s.packed = packed
	magic, err := packed.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		s.codec = "gzip"
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, s.damaged(err)
		}
		s.readFrom(s.withErrors(x.decompressed(z)))
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		s.codec = "zstd"
		z, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(parse.MaxWindow))
		if err != nil {
			return nil, s.damaged(err)
		}
		s.closers = append(s.closers, z.Close)
		s.readFrom(s.withErrors(x.decompressed(z)))
	default:
		s.readFrom(packed)
	}
	return s, nil
}

// baseName returns the base name of the input, without the extension of its compression.
func (s *stream) baseName() string {
	name := filepath.Base(s.name)
	switch s.codec {
	case "gzip":
		return strings.TrimSuffix(name, ".gz")
	case "zstd":
		return strings.TrimSuffix(name, ".zst")
	}
	return name
}

// readFrom makes r the source of the stream.
func (s *stream) readFrom(r io.Reader) {
	s.from, s.Reader = r, heads.Get().(*bufio.Reader)
	s.Reset(r)
}

// largeRead is the number of bytes from which reads are faster without a buffer.
const largeRead = 1 << 14

// Read returns the bytes buffered by detect first. Afterwards, large reads bypass the buffer.
func (s *stream) Read(b []byte) (int, error) {
	if len(b) >= largeRead && s.Buffered() == 0 {
		return s.from.Read(b)
	}
	return s.Reader.Read(b)
}

// withErrors adds the input's name to errors of a decompressor.
func (s *stream) withErrors(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		switch {
		case errors.Is(err, parse.ErrLimit):
			err = &expansionError{fmt.Errorf("%s: %s: %w", s.name, s.codec, err)}
		case err != nil && err != io.EOF && !errors.Is(err, context.Canceled):
			err = s.damaged(err)
		}
		return n, err
	})
}

func (s *stream) damaged(err error) error {
	return fmt.Errorf("%s: %s: %w: copy the file again", s.name, s.codec, err)
}

// An expansion limits the ratio of the decompressed size of an input to its compressed size. Without a limit, a small
// file could use any amount of memory and time.
type expansion struct {
	most    int64 // maximum ratio; 0 for parse.MaxExpansion, negative for no limit
	in, out int64 // bytes of the compressed and decompressed form
}

// compressed counts the bytes that are read from r.
func (e *expansion) compressed(r io.Reader) io.Reader {
	return counted(r, func(done int64) { e.in = done })
}

// decompressed counts the bytes that are read from r, and fails if they exceed the limit.
func (e *expansion) decompressed(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		e.out += int64(n)
		most := cmp.Or(e.most, parse.MaxExpansion)
		if most > 0 && e.out > parse.FreeExpansion && (e.out-1)/most >= e.in { // the product may overflow
			return 0, &parse.LimitError{
				What: "it expands to more than %d times its size", Most: most,
				Kind: parse.ErrExpansion, // ImportOptions.MaxExpansion raises the limit
			}
		}
		return n, err
	})
}

// An expansionError is the error of an input that exceeds the limit. It replaces the importer's error, whose line and
// column do not help users.
type expansionError struct{ error }

func (e *expansionError) Unwrap() error { return e.error }

// withoutPlace returns the expansionError that err wraps, or else err.
func withoutPlace(err error) error {
	var expanded *expansionError
	if errors.As(err, &expanded) {
		return expanded
	}
	return err
}

// A readerFunc implements io.Reader.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
