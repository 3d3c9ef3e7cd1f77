package llvm

import (
	"cmp"
	"errors"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A HotFunction is a function and the highest of its counters.
type HotFunction struct {
	Name     string
	Hash     uint64
	MaxCount uint64
}

// Hottest gives the n functions with the highest counters, the highest first;
// of the context-sensitive profiles or of the others.
func Hottest(s *reader.Store, n int, contextSensitive bool) (hottest []HotFunction, err error) {
	if err := checkDomain(s); err != nil {
		return nil, err
	}
	type candidate struct {
		method    reader.Method
		hash, max uint64
	}
	hotter := func(a, b candidate) int { return cmp.Compare(b.max, a.max) }
	var best []candidate // the n best, and as many to be sorted out
	ir := s.Header().Domain == layout.DomainLLVMIR
	err = s.Mapping().Guard(func() error {
		err := newRecordWalk(s, nil).each(func(m reader.Method, records []record) error {
			for i := range records {
				if r := &records[i]; (ir && r.contextSensitive()) == contextSensitive {
					best = append(best, candidate{m, r.hash, r.max()})
				}
			}
			if len(best) > 2*n+1000 {
				slices.SortStableFunc(best, hotter)
				best = best[:n]
			}
			return nil
		})
		slices.SortStableFunc(best, hotter)
		for _, c := range best[:min(n, len(best))] {
			name, nameErr := c.method.Name()
			err = errors.Join(err, nameErr)
			hottest = append(hottest, HotFunction{name.String(), c.hash, c.max})
		}
		return err
	})
	return hottest, err
}

// max is the highest counter.
func (r *record) max() (n uint64) {
	for at := 0; at < len(r.counts); at += layout.CellSize {
		n = max(n, le.Uint64(r.counts[at:]))
	}
	return n
}
