package pages

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// The regions and the padding between them are the file, and what rw holds is rw: nothing is
// left out or counted twice.
func TestMapAddsUp(t *testing.T) {
	t.Parallel()
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		site := specimenSite(t, sp)
		h := site.Archive.Header()
		p := built[*mapPage](t, requestOf(t, site, nameOfMap))
		end, sum := 0.0, 0.0
		for _, row := range p.Regions.Rows {
			if row[2].Value != end {
				t.Errorf("%s: %q begins at %v, what is before it ends at %v", sp.Name, row[0].Link.Text,
					row[2].Value, end)
			}
			end = row[2].Value + row[3].Value
		}
		if end != float64(h.FileSize) {
			t.Errorf("%s: the regions end at %v, the file at %d", sp.Name, end, h.FileSize)
		}
		entries := uint64(0)
		for _, row := range p.Kinds.Rows {
			sum += row[3].Value
			if name := row[0].Link.Text; name != "heads of profiles" && name != "beside the profiles" {
				entries += uint64(row[2].Value)
			}
		}
		if size := h.Region(disk.RegionRW).Size; sum != float64(size) || entries != h.Counts.Entries {
			t.Errorf("%s: rw holds %v bytes of %d, %d entries of %d", sp.Name, sum, size, entries, h.Counts.Entries)
		}
		if want := plural(uint64(disk.SumTreeOf(h).Pages()), "page") + " from"; !strings.Contains(p.Sums, want) {
			t.Errorf("%s: %q lacks %q", sp.Name, p.Sums, want)
		}
	}
}
