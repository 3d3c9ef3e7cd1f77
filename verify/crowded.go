package verify

import (
	"cmp"
	"sort"

	"github.com/profarc/profarc/internal/file/disk"
)

// crowd reads TableCrowded and checks its rows. Their records are found by findRecord, and totals counts them.
func (w *walk) crowd() {
	t, at, err := disk.ReadTable(w.h, disk.TableCrowded, w.m.Bytes)
	if err != nil {
		return // allTables names the problem
	}
	crowded := w.h.Required&disk.FeatureCrowded != 0
	if crowded != (t.Rows > 0) {
		w.wrong(inSlots, 0, disk.RegionEX, at, "the archive is crowded: %v, and its table crowded has %d rows", crowded,
			t.Rows)
	}
	if crowded {
		w.crowded = t
	}
	var before disk.CrowdedRow
	for row := range w.crowded.Rows {
		r := disk.CrowdedRowOf(&t, row)
		order := cmp.Or(cmp.Compare(before.ID, r.ID), cmp.Compare(before.Kind, r.Kind), cmp.Compare(before.Ref, r.Ref))
		if r.Ref == 0 || order >= 0 {
			w.wrong(inSlots, int64(row), disk.RegionEX, at, "row %d of the table crowded is of no record, or not in order",
				row)
			return
		}
		before = r
	}
}

// crowdedRow reports whether TableCrowded has a row of a record, and whether others of its kind have the same id there.
func (w *walk) crowdedRow(r *sought) (found, others bool) {
	from, to := disk.CrowdedRows(&w.crowded, r.id, r.kind)
	at := from + sort.Search(to-from, func(i int) bool {
		return disk.CrowdedRowOf(&w.crowded, from+i).Ref >= r.record
	})
	found = at < to && disk.CrowdedRowOf(&w.crowded, at).Ref == r.record
	return found, to-from > 1 || to > from && !found
}
