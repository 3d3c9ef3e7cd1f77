package mapped

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
)

// farApart reports whether the system reads no page ahead in the mapping.
func farApart(t *testing.T, m *Mapping) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, mapping, found := bytes.Cut(maps, fmt.Appendf(nil, "\n%08x-", words.AddressOfBytes(m.data)))
	_, flags, ok := bytes.Cut(mapping, []byte("VmFlags:"))
	if !found || !ok {
		t.Skip("the system does not say how it reads a mapping")
	}
	flags, _, _ = bytes.Cut(flags, []byte("\n"))
	return slices.ContainsFunc(bytes.Fields(flags), func(f []byte) bool { return string(f) == "rr" })
}

// A lookup touches a few pages far apart, which are read alone. Whoever reads more has the
// pages ahead read, too.
func TestFirstPagesAreReadAlone(t *testing.T) {
	path, h := synthetic{ro: 100 * disk.PageSize}.writeSparse(t)
	m := mustOpen(t, path, Options{})
	ro := disk.RegionOf(h, disk.RegionRO)
	for n := range int64(64) {
		if n < randomTouchLimit && !farApart(t, m) {
			t.Fatalf("after %d pages others are read ahead", n)
		}
		if _, err := m.Bytes(disk.RegionRO, ro.Offset+n*disk.PageSize, 8); err != nil {
			t.Fatal(err)
		}
	}
	if farApart(t, m) {
		t.Error("after 64 pages none is read ahead")
	}
	for _, o := range []Options{{Check: CheckAll}, {Check: CheckNone}} {
		if farApart(t, mustOpen(t, path, o)) {
			t.Errorf("%+v: pages are not read ahead", o)
		}
	}
	m = mustOpen(t, path, Options{})
	if err := m.Verify(context.Background(), nil); err != nil || farApart(t, m) {
		t.Errorf("while all is verified pages are not read ahead: %v", err)
	}
}
