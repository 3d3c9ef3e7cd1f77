package convert

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
)

// headSize is how much of a file is looked at to recognise its format.
const headSize = 1 << 20

// errEmpty: a file has no bytes.
var errEmpty = errors.New("it is empty: the program that should write it has not ended well, or writes elsewhere")

// An input is a file to be imported, decompressed.
type input struct {
	*bufio.Reader
	from    io.Reader // what the buffer is filled from
	name    string
	codec   string // gzip, zstd, or empty
	closers []func()
}

// Close lets go of everything.
func (in *input) Close() {
	for _, c := range in.closers {
		c()
	}
}

// openInput opens a file, or the standard input for "-", which may expand as far
// as newInput says. m is told how much of the file has been read.
func openInput(ctx context.Context, a *app.App, name string, expansion int64, m *app.Meter) (*input, error) {
	file, size, waits := a.In, int64(0), true
	var closers []func()
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		closers = append(closers, func() { f.Close() })
		if info, err := f.Stat(); err == nil {
			size, waits = info.Size(), !info.Mode().IsRegular()
		}
		file = f
	}
	file = &counted{r: file, size: size, report: m.Report}
	if waits {
		file = cancellable(ctx, file)
	} else {
		file = &stopping{ctx, file}
	}
	in, err := newInput(name, file, expansion)
	if err != nil {
		for _, c := range closers {
			c()
		}
		return nil, err
	}
	in.closers = append(in.closers, closers...)
	return in, nil
}

// cancellable gives what r has until ctx ends, even if r waits.
func cancellable(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}

// stopping gives what r has, which never waits long, until ctx ends.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s *stopping) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

// counted reports how much was read of a file of a known size.
type counted struct {
	r          io.Reader
	done, size int64
	report     func(done, total int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.done += int64(n)
	if c.size > 0 {
		c.report(c.done, c.size)
	}
	return n, err
}

// newInput decompresses r if it is compressed, to so many times its size at most
// as most says, see expansion.
func newInput(name string, r io.Reader, most int64) (*input, error) {
	in, x := &input{name: name}, &expansion{most: most}
	in.buffer(x.packed(r))
	magic, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		in.codec = "gzip"
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, damagedStream(in, err)
		}
		in.buffer(&stream{in, x.unpacked(z)})
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		in.codec = "zstd"
		z, err := zstd.NewReader(in.Reader, zstd.WithDecoderMaxWindow(parse.MaxWindow))
		if err != nil {
			return nil, damagedStream(in, err)
		}
		in.closers = append(in.closers, z.Close)
		in.buffer(&stream{in, x.unpacked(z)})
	}
	return in, nil
}

// buffer makes r what the input gives.
func (in *input) buffer(r io.Reader) { in.from, in.Reader = r, bufio.NewReaderSize(r, headSize) }

// largeRead is from how many bytes on a read is better without a buffer.
const largeRead = 1 << 14

// Read reads. What the buffer had for recognising the format comes first; large
// reads need it no more then.
func (in *input) Read(b []byte) (int, error) {
	if len(b) >= largeRead && in.Buffered() == 0 {
		return in.from.Read(b)
	}
	return in.Reader.Read(b)
}

// stream names the file in the errors of a decompressor.
type stream struct {
	in *input
	r  io.Reader
}

func (s *stream) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	switch {
	case errors.Is(err, parse.ErrLimit):
		err = &expandedError{fmt.Errorf("%s: %s: %w", s.in.name, s.in.codec, err)}
	case err != nil && err != io.EOF && !errors.Is(err, context.Canceled):
		err = damagedStream(s.in, err)
	}
	return n, err
}

func damagedStream(in *input, err error) error {
	return fmt.Errorf("%s: %s: %w: copy the file again", in.name, in.codec, err)
}

// format recognises what the file is. Of a stream that is cut off, what is
// there may do: the importer meets the error again, and knows what to do of it.
func (in *input) format() (*importFormat, error) {
	if err := in.textMark(); err != nil {
		return nil, err
	}
	head, err := in.Peek(headSize)
	cut := errors.Is(err, io.ErrUnexpectedEOF) && len(head) > 0
	if err != nil && err != io.EOF && !cut {
		return nil, err
	}
	for i := range importFormats {
		if importFormats[i].recognise(head, err != nil) {
			return &importFormats[i], nil
		}
	}
	switch {
	case cut:
		return nil, err
	case len(head) == 0:
		return nil, fmt.Errorf("%s: %w", in.name, errEmpty)
	case bytes.HasPrefix(head, disk.Magic[:]):
		return nil, fmt.Errorf("%s: it is an archive already: see profarc info %s", in.name, in.name)
	}
	if is, known := otherFormat(head); known {
		return nil, fmt.Errorf("%s: it is %s", in.name, is)
	}
	return nil, fmt.Errorf("%s: not a format that import understands: it understands %s, also behind gzip or zstd; see profarc import --help", in.name, strings.Join(importNames(), ", "))
}

// textMark takes the mark away that some editors and shells put in front of
// UTF-8, and refuses that of UTF-16. No format of bytes begins with either.
func (in *input) textMark() error {
	head, _ := in.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err := in.Discard(3)
		return err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fmt.Errorf("%s: it is UTF-16: convert it to UTF-8 first", in.name)
	}
	return nil
}
