package artifact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// padded returns data in a Zstandard frame, and behind it a frame that decoders skip.
func padded(t *testing.T, data []byte, skipped string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := binary.LittleEndian.AppendUint32(z.EncodeAll(data, nil), 0x184D2A50)
	return append(binary.LittleEndian.AppendUint32(frame, uint32(len(skipped))), skipped...)
}

// A layer that unpacks to the right archive is refused all the same if it is not the layer
// that the manifest names.
func TestUnpackComparesTheLayerToo(t *testing.T) {
	t.Parallel()
	data := []byte("an archive")
	right, other := padded(t, data, "abcd"), padded(t, data, "abce")
	layer := ocispec.Descriptor{MediaType: LayerType, Digest: digest.FromBytes(right), Size: int64(len(right)),
		Annotations: map[string]string{
			annotationDigest: digest.FromBytes(data).String(), annotationSize: strconv.Itoa(len(data)),
		}}
	for name, c := range map[string]struct {
		body []byte
		want error
	}{"right": {right, nil}, "other": {other, ErrOther}} {
		path := filepath.Join(t.TempDir(), "x")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		err = Unpack(t.Context(), f, bytes.NewReader(c.body), layer)
		f.Close()
		if !errors.Is(err, c.want) {
			t.Errorf("the %s layer: %v, want %v", name, err, c.want)
		}
		if c.want == nil && !IsAt(t.Context(), path, layer) {
			t.Error("what was unpacked is not the archive of the layer")
		}
	}
}

// Other clients write the bytes of a layer to a file of its title: they are compressed.
func TestTitleSaysThatTheLayerIsCompressed(t *testing.T) {
	t.Parallel()
	data, err := specimen.All()[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := Pack(t.Context(), s, "app.parc", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if title := p.Layer.Annotations[ocispec.AnnotationTitle]; title != "app.parc.zst" {
		t.Errorf("the title is %s", title)
	}
}
