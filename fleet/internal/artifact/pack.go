package artifact

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/reader"
)

// Annotations of a layer with the digest and the size in bytes of the decompressed archive.
const (
	annotationDigest = prefix + "archive.digest"
	annotationSize   = prefix + "archive.size"
)

// window is the maximum window of a compressed layer in bytes, which limits the memory of decompression.
const window = 8 << 20

// A Packed is a compressed layer in an unnamed file.
type Packed struct {
	Layer ocispec.Descriptor
	file  *os.File
}

// Pack compresses an archive to a file in folder. Close removes the file.
func Pack(ctx context.Context, s *reader.Store, title, folder string) (*Packed, error) {
	data := (*mapped.Mapping)(s.Mapping()).Unchecked()
	if int64(len(data)) != s.Header().FileSize {
		return nil, fmt.Errorf("%s: %d bytes, its header says %d", s.Mapping().Name(), len(data), s.Header().FileSize)
	}
	file, err := publish.CreateUnnamed(folder)
	if err != nil {
		return nil, err
	}
	p := &Packed{file: file}
	if err := p.compressData(ctx, data); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Layer.Annotations[ocispec.AnnotationTitle] = title + ".zst" // file name for other clients
	return p, nil
}

func (p *Packed) compressData(ctx context.Context, data []byte) error {
	packed := digest.Canonical.Digester()
	counted := &countingWriter{w: io.MultiWriter(p.file, packed.Hash())}
	// With one goroutine, the output does not depend on the machine.
	z, err := zstd.NewWriter(counted, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	plain := digest.Canonical.Digester()
	if _, err := io.Copy(io.MultiWriter(z, plain.Hash()), contextReader{ctx, bytes.NewReader(data)}); err != nil {
		return errors.Join(err, z.Close())
	}
	if err := z.Close(); err != nil {
		return err
	}
	p.Layer = ocispec.Descriptor{MediaType: LayerType, Digest: packed.Digest(), Size: counted.n,
		Annotations: map[string]string{annotationDigest: plain.Digest().String(), annotationSize: strconv.Itoa(len(data))}}
	return nil
}

// Reader returns a new reader of the compressed bytes.
func (p *Packed) Reader() io.Reader { return io.NewSectionReader(p.file, 0, p.Layer.Size) }

// Close removes the file.
func (p *Packed) Close() error { return p.file.Close() }

// Unpack decompresses a layer and writes the archive to w at offset 0. The error matches ErrOther if the layer or the
// archive does not match its digest. After an error, the content of w is undefined.
func Unpack(ctx context.Context, w io.WriterAt, body io.Reader, layer ocispec.Descriptor) error {
	want, size, err := archiveOf(layer)
	if err != nil {
		return err
	}
	packed := layer.Digest.Verifier()
	input := &limitedReader{r: io.TeeReader(contextReader{ctx, body}, packed), left: layer.Size}
	z, err := zstd.NewReader(input, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	plain := want.Verifier()
	output := &stickyErrorWriter{w: io.NewOffsetWriter(w, 0)}
	n, err := io.Copy(io.MultiWriter(output, plain), io.LimitReader(z, size+1))
	if err == nil {
		_, err = io.Copy(io.Discard, input)
	}
	if err := cmp.Or(ctx.Err(), output.err, input.err); err != nil {
		return err
	}
	if err != nil || n != size || !packed.Verified() || !plain.Verified() {
		return fmt.Errorf("%w: the layer is not what its digest %s says", ErrOther, layer.Digest)
	}
	return nil
}

// archiveOf returns the digest and the size of the decompressed archive.
func archiveOf(layer ocispec.Descriptor) (digest.Digest, int64, error) {
	size, err := strconv.ParseInt(layer.Annotations[annotationSize], 10, 64)
	want, err2 := digest.Parse(layer.Annotations[annotationDigest])
	if err != nil || err2 != nil || size <= 0 || size > disk.MaxFileSize || layer.Size <= 0 {
		return "", 0, fmt.Errorf("%w: the layer %s does not say what archive it is", ErrOther, layer.Digest)
	}
	return want, size, nil
}

// IsAt reports whether the file at path equals the archive in a layer.
func IsAt(ctx context.Context, path string, layer ocispec.Descriptor) bool {
	want, size, err := archiveOf(layer)
	if err != nil {
		return false
	}
	f, err := cli.OpenFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return false
	}
	sum := want.Verifier()
	_, err = io.Copy(sum, contextReader{ctx, f})
	return err == nil && sum.Verified()
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// A contextReader fails after its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// A limitedReader reads exactly left bytes. A shorter input is an error, which it stores.
type limitedReader struct {
	r    io.Reader
	left int64
	err  error
}

func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	if l.left -= int64(n); l.left > 0 && err != nil {
		if err == io.EOF {
			err = fmt.Errorf("%w: the registry sent a layer that is %d bytes too short", ErrOther, l.left)
		}
		l.err = err
	} else if err != nil {
		err = io.EOF
	}
	return n, err
}

// A stickyErrorWriter stores the first error.
type stickyErrorWriter struct {
	w   io.Writer
	err error
}

func (l *stickyErrorWriter) Write(b []byte) (int, error) {
	n, err := l.w.Write(b)
	l.err = cmp.Or(l.err, err)
	return n, err
}
