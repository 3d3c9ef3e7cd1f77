package mapped

import (
	"errors"
	"github.com/profarc/profarc/internal/file/mmap"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func TestTruncatedAtEveryLength(t *testing.T) {
	small := synthetic{ro: 5000, rw: 64}.bytes()
	for n := range small {
		wantRefusal(t, n, func() (*Mapping, error) { return FromBytes("app.parc", small[:n], Options{}) })
	}
	data := synthetic{ro: 5000, rw: disk.PagesRW}.bytes()
	for n := range data {
		wantRefusal(t, n, func() (*Mapping, error) { return FromBytes("app.parc", data[:n], Options{}) })
	}
	path := writeFile(t, data)
	for _, n := range []int{len(data) - 1, 1 << 16, 4097, 4096, 4095, disk.HeaderSize, disk.HeaderSize - 1, 64, 63,
		8, 7, 1, 0} {
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		for _, heap := range []bool{false, true} {
			wantRefusal(t, n, func() (*Mapping, error) { return Open(path, Options{Heap: heap}) })
		}
	}
}

// wantRefusal expects an archive of n bytes to be refused as truncated or, if
// not even the magic is left, as no archive.
func wantRefusal(t *testing.T, n int, open func() (*Mapping, error)) {
	t.Helper()
	want := layout.ErrTruncated
	if n < len(disk.Magic) {
		want = layout.ErrFormat
	}
	if m, err := open(); m != nil || !errors.Is(err, want) {
		t.Fatalf("%d bytes: %v", n, err)
	}
}

func TestWhatIsNotAnArchive(t *testing.T) {
	sound := synthetic{ro: 64}.bytes()
	folder := t.TempDir()
	tests := map[string]struct {
		path string
		want error
		text string
	}{
		"missing": {filepath.Join(folder, "none.parc"), fs.ErrNotExist, "none.parc"},
		"folder":  {folder, layout.ErrFormat, "it is a folder"},
		"device":  {os.DevNull, layout.ErrFormat, "it is a device"},
		"empty":   {writeFile(t, nil), layout.ErrFormat, "the file is empty"},
		"text": {writeFile(t, []byte("class java/lang/String\n")), layout.ErrFormat,
			"does not begin with the archive magic"},
		"longer": {writeFile(t, append(sound, 0)), layout.ErrCorrupt, "its header says"},
	}
	for name, test := range tests {
		for _, heap := range []bool{false, true} {
			var told error
			m, err := Open(test.path, Options{Heap: heap, OnReject: func(err error) { told = err }})
			if m != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) ||
				!strings.Contains(err.Error(), test.path) {
				t.Errorf("%s: %v", name, err)
			}
			if told != err {
				t.Errorf("%s: OnReject was told %v", name, told)
			}
		}
	}
}

// A header that claims a huge file gets no memory for it.
func TestHeapReadsNoMoreThanAnArchive(t *testing.T) {
	path := writeFile(t, []byte("not an archive, but very large"))
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("the file system takes no file of 1 TiB: ", err)
	}
	for _, heap := range []bool{false, true} {
		if _, err := Open(path, Options{Heap: heap}); !errors.Is(err, layout.ErrFormat) {
			t.Errorf("heap %v: %v", heap, err)
		}
	}
}

// On 32-bit systems an archive of 2 GiB is refused, and the error says why.
func TestArchivesBeyondTheAddressSpace(t *testing.T) {
	path, _ := synthetic{ro: 2 << 30}.writeSparse(t)
	if checkAddressable(2<<30) == nil {
		mustOpen(t, path, Options{}).Close()
		return
	}
	for _, heap := range []bool{false, true} {
		if _, err := Open(path, Options{Heap: heap}); !errors.Is(err, layout.ErrTooLarge) ||
			!strings.Contains(err.Error(), "address space") {
			t.Errorf("heap %v: %v", heap, err)
		}
	}
}

func TestExpect(t *testing.T) {
	data := synthetic{ro: 64}.bytes()
	h := mustRead(t, data, Options{}).Header()
	same, wider, level := h.Params, h.Params, h.Params
	wider.TypeProfileWidth++
	level.TypeProfileLevel++
	tests := map[string]struct {
		expect Expect
		text   string // of the error; empty if there is none
	}{
		"nothing":           {Expect{}, ""},
		"all of it":         {Expect{Domain: h.Domain, Fingerprint: h.Fingerprint, Params: &same}, ""},
		"no shaping param":  {Expect{Params: &level}, ""},
		"other domain":      {Expect{Domain: layout.DomainGraal}, "its domain is hotspot, expected is graal"},
		"other fingerprint": {Expect{Fingerprint: [16]byte{9}}, "it was recorded with the program 010203"},
		"other width":       {Expect{Params: &wider}, "TypeProfileWidth is 2 in it, expected is 3"},
	}
	for name, test := range tests {
		rejected := 0
		_, err := FromBytes("app.parc", data, Options{Expect: test.expect, OnReject: func(error) { rejected++ }})
		switch {
		case test.text == "" && (err != nil || rejected != 0):
			t.Errorf("%s: %v, told %d times", name, err, rejected)
		case test.text != "" && (!errors.Is(err, layout.ErrIdentity) || rejected != 1 ||
			!strings.Contains(err.Error(), test.text) || !strings.HasPrefix(err.Error(), "app.parc: ")):
			t.Errorf("%s: %v, told %d times", name, err, rejected)
		}
	}
}

// Opening takes the same memory for a small archive and for one of 4 GiB.
func TestOpeningAllocatesForNoFileSize(t *testing.T) {
	small, _ := synthetic{ro: 1 << 12}.writeSparse(t)
	if !mmap.Available {
		t.Skip("archives are read here")
	}
	size := int64(4 << 30)
	if strconv.IntSize == 32 {
		size = 16 << 20 // of which many can be mapped
	}
	large, _ := synthetic{ro: size}.writeSparse(t)
	cost := func(path string) uint64 {
		const times = 50
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			mustOpen(t, path, Options{}).Close()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / times
	}
	if s, l := cost(small), cost(large); l > s+1024 {
		t.Errorf("opening 4 KiB takes %d bytes of memory, opening 4 GiB %d", s, l)
	}
}
