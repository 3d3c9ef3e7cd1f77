package methoddata

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Certain is a site with one outcome in one of two merged entries and with several in the result.
type Certain struct {
	Point   int32
	Outcome uint64 // see disk.TableCertain
	Count   uint64 // executions of the site in the entry with one outcome
}

// noteCertain notes the sites that have a certain outcome in one entry and not in the merged one. A site that was
// certain in a run before x or y was merged is noted already, or is still certain in x or y. The total of all counts
// noted for a site therefore does not depend on the order of merges.
func (m *Merger) noteCertain(x, y disk.Entry) {
	a, waysX := m.onlyWay(x, 0)
	b, waysY := m.onlyWay(y, m.Rules.Weight)
	if waysX > 0 && waysY > 0 && (waysX+waysY > 2 || a.what != b.what) {
		m.addCertain(x, a, waysX == 1)
		m.addCertain(x, b, waysY == 1)
	}
	if !isTypeCheck(x) || sawNull(x) == sawNull(y) {
		return
	}
	m.addCertain(x, countedRow{disk.OutcomeNoNull, m.typed(x, 0)}, !sawNull(x))
	m.addCertain(x, countedRow{disk.OutcomeNoNull, m.typed(y, m.Rules.Weight)}, !sawNull(y))
}

func (m *Merger) addCertain(at disk.Entry, r countedRow, certain bool) {
	if certain && r.count > 0 {
		m.Certain = append(m.Certain, Certain{at.Point(), r.what, r.count})
	}
}

// onlyWay returns the last way of a branch or switch with a count above 0, and the number of such ways.
func (m *Merger) onlyWay(e disk.Entry, w layout.Weight) (only countedRow, ways int) {
	add := func(what, count uint64) {
		count = disk.ApplyWeight(w, count)
		if count > 0 {
			only = countedRow{what, count}
			ways++
		}
	}
	switch tag := e.Tag(); {
	case tag == layout.TagBranch || tag == layout.TagMultiBranch:
		way := uint64(0)
		for cell := range m.Shape.Counts(e) {
			add(way, e.Cell(cell))
			way++
		}
	case tag == layout.TagSuccessors && e.Sub() == layout.SubConditional:
		for row := range e.Rows() {
			add(e.Cell(2*row), e.Cell(2*row+1))
		}
	}
	return only, ways
}

func isTypeCheck(e disk.Entry) bool {
	return e.Tag() == layout.TagReceiverType || e.Tag() == layout.TagReceivers && e.Sub() == layout.SubTypeCheck
}

func sawNull(e disk.Entry) bool { return e.Flags()&layout.EntryNullSeen != 0 }

// typed returns the total count of the rows with a type. The count outside the rows is ignored. A VM may decrement it,
// and a saturating total would then depend on the order of merges.
func (m *Merger) typed(e disk.Entry, w layout.Weight) (sum uint64) {
	for _, r := range m.receiverRows(e) {
		sum = disk.SaturatingAdd(sum, disk.ApplyWeight(w, r.count))
	}
	return sum
}
