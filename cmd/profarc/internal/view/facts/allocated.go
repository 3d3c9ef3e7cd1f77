package facts

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ByAllocated is the value of AllocationReport.By.
const ByAllocated = "allocated"

// An AllocationReport ranks functions by allocated bytes, the most self bytes first.
type AllocationReport struct {
	Archive     string          `json:"archive"`
	By          string          `json:"by"`
	Stacks      int             `json:"stacks"` // number of distinct stacks
	Allocations uint64          `json:"allocations"`
	Total       uint64          `json:"total"` // allocated bytes
	Of          int             `json:"of"`    // number of selected functions on any stack
	Methods     []StackedMethod `json:"methods"`
}

// AllocationsOnly reports whether an archive has a memory profile and no counts.
func AllocationsOnly(s *reader.Store) bool {
	t, err := s.Table(schema.TableAllocations)
	return err == nil && t.Rows > 0 && s.Header().Summary == layout.Summary{}
}

// MostAllocated ranks the selected functions by allocated bytes. Shares relate to all bytes of the archive. A function
// without a name is selected only if all functions are.
func MostAllocated(ctx context.Context, s *reader.Store, o analyze.RankOptions) (*AllocationReport, error) {
	tally, err := tallyAllocations(ctx, s)
	if err != nil {
		return nil, err
	}
	found, err := tally.selectedIDs(s, o)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b uint64) int {
		x := tally.functions[a]
		y := tally.functions[b]
		return cmp.Or(cmp.Compare(y.Self, x.Self), cmp.Compare(y.Total, x.Total), cmp.Compare(a, b))
	})
	r := &AllocationReport{Archive: s.Mapping().Name(), By: ByAllocated, Stacks: tally.stacks,
		Allocations: tally.allocations, Total: tally.bytes, Of: len(found), Methods: []StackedMethod{}}
	for _, id := range found[:o.RowCount(len(found))] {
		name, err := nameOfID(s, id)
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, stackedMethod(name, *tally.functions[id], r.Total))
	}
	return r, nil
}

// nameOfID returns the name of the function with an id, or the id itself if the archive lacks the function.
func nameOfID(s *reader.Store, id uint64) (analyze.MethodName, error) {
	m, err := methodOfID(s, id)
	if err != nil || !m.Valid() {
		text := display.IDText(id)
		return analyze.MethodName{Method: text, Display: text, ID: text, Name: text}, err
	}
	return analyze.NameOf(s, m)
}

// methodOfID returns the function with an id, or an invalid method if the archive lacks it or has two.
func methodOfID(s *reader.Store, id uint64) (reader.Method, error) {
	m, err := s.FindID(id)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return reader.Method{}, nil
	}
	return m, err
}

func (t *allocationTally) selectedIDs(s *reader.Store, o analyze.RankOptions) (found []uint64, err error) {
	for id, n := range t.functions {
		if n.Total < max(o.Min, 1) {
			continue
		}
		wanted := o.Methods == nil
		if !wanted {
			m, err := methodOfID(s, id)
			if err == nil && m.Valid() {
				wanted, err = o.Selects(m)
			}
			if err != nil {
				return nil, err
			}
		}
		if wanted {
			found = append(found, id)
		}
	}
	return found, nil
}
