package mapped

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/profarc/profarc/layout"
)

// opened is what one of the ways to open an archive returned.
type opened struct {
	way  string
	m    *Mapping
	err  error
	told error // what OnReject was called with
}

// openEach opens the content of a file in every way that reads it into memory.
func openEach(t *testing.T, data []byte, o Options) (all []opened) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.parc"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for way, open := range map[string]func(o Options) (*Mapping, error){
		"Open": func(o Options) (*Mapping, error) {
			o.Heap = true
			return Open(filepath.Join(folder, "a.parc"), o)
		},
		"OpenReaderAt": func(o Options) (*Mapping, error) {
			return OpenReaderAt("a.parc", bytes.NewReader(data), int64(len(data)), o)
		},
		"OpenFS of a folder": func(o Options) (*Mapping, error) { return OpenFS(os.DirFS(folder), "a.parc", o) },
		"OpenFS of a map": func(o Options) (*Mapping, error) {
			return OpenFS(fstest.MapFS{"a.parc": &fstest.MapFile{Data: data}}, "a.parc", o)
		},
	} {
		r := opened{way: way}
		o.OnReject = func(err error) { r.told = err }
		r.m, r.err = open(o)
		all = append(all, r)
	}
	return all
}

// TestEveryWayToOpenIsOne: an archive opens in every way, or fails with the same error in
// each, which names the file.
func TestEveryWayToOpenIsOne(t *testing.T) {
	t.Parallel()
	sound := synthetic{ro: 64, rw: 4096}.bytes()
	changed := func(at int) []byte {
		b := bytes.Clone(sound)
		b[at] ^= 4
		return b
	}
	for name, test := range map[string]struct {
		data   []byte
		expect Expect
		want   error
	}{
		"sound":           {sound, Expect{}, nil},
		"empty":           {nil, Expect{}, layout.ErrFormat},
		"text":            {[]byte("class java/lang/String\n"), Expect{}, layout.ErrFormat},
		"truncated":       {sound[:len(sound)-1], Expect{}, layout.ErrTruncated},
		"longer":          {append(bytes.Clone(sound), 0), Expect{}, layout.ErrCorrupt},
		"a bit in header": {changed(200), Expect{}, layout.ErrChecksum},
		"a bit behind it": {changed(len(sound) - 1), Expect{}, layout.ErrChecksum},
		"another domain":  {sound, Expect{Domain: layout.DomainJamaica}, layout.ErrIdentity},
	} {
		text := ""
		for _, r := range openEach(t, test.data, Options{Check: CheckAll, Expect: test.expect}) {
			if !errors.Is(r.err, test.want) || (r.m == nil) != (test.want != nil) || r.told != r.err {
				t.Errorf("%s, %s: %v, OnReject was told %v", name, r.way, r.err, r.told)
				continue
			}
			if test.want == nil {
				if r.m.Header().FileSize != int64(len(sound)) || r.m.Name() == "" {
					t.Errorf("%s, %s: %+v", name, r.way, r.m.Header())
				}
				continue
			}
			_, detail, found := strings.Cut(r.err.Error(), "a.parc")
			if text == "" {
				text = detail
			}
			if !found || detail != text {
				t.Errorf("%s, %s: %q, want %q", name, r.way, r.err, text)
			}
		}
	}
}

// TestFilesThatCannotBeOpened: what the file system says comes out, with the name.
func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"folder/a.parc": &fstest.MapFile{}, "pipe.parc": &fstest.MapFile{Mode: fs.ModeNamedPipe}}
	for name, want := range map[string]error{"none.parc": fs.ErrNotExist, "folder": layout.ErrFormat,
		"pipe.parc": layout.ErrFormat, "../a.parc": fs.ErrNotExist} {
		if m, err := OpenFS(files, name, Options{}); m != nil || !errors.Is(err, want) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// A failing reader has so many bytes, then an error.
type failing struct {
	data []byte
	err  error
}

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	n := copy(b, f.data[min(at, int64(len(f.data))):])
	if n < len(b) {
		return n, f.err
	}
	return n, nil
}

func TestReadersThatFail(t *testing.T) {
	t.Parallel()
	sound, broken := synthetic{ro: 64}.bytes(), errors.New("the disk is broken")
	for _, n := range []int{0, 8, len(sound) - 1} {
		if _, err := OpenReaderAt("a.parc", failing{sound[:n], broken}, int64(len(sound)), Options{}); !errors.Is(err,
			broken) || !strings.Contains(err.Error(), "a.parc") {
			t.Errorf("%d bytes: %v", n, err)
		}
		if _, err := OpenReaderAt("a.parc", failing{sound[:n], io.EOF}, int64(len(sound)), Options{}); !errors.Is(err,
			layout.ErrTruncated) {
			t.Errorf("the end after %d bytes: %v", n, err)
		}
	}
	for _, size := range []int64{-1, 1 << 62} {
		if _, err := OpenReaderAt("a.parc", bytes.NewReader(sound), size, Options{}); err == nil {
			t.Errorf("%d bytes were opened", size)
		}
	}
}

// TestPartOfALargerFile: an archive may begin anywhere in the reader's data.
func TestPartOfALargerFile(t *testing.T) {
	t.Parallel()
	sound := synthetic{ro: 64}.bytes()
	bundle := append([]byte("odd"), append(bytes.Clone(sound), "more"...)...)
	m, err := OpenReaderAt("bundle", io.NewSectionReader(bytes.NewReader(bundle), 3, int64(len(sound))), int64(len(sound)),
		Options{Check: CheckAll})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Adopt(BaseRequested, 64); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
