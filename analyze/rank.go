package analyze

import (
	"cmp"
	"context"
	"iter"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// RankOptions choose what a ranking lists.
type RankOptions struct {
	Limit   int                   // methods or sites to list
	Min     uint64                // lists those with such a sum at least
	Methods func(layout.Key) bool // nil selects all methods
}

// selects reports whether a method is to be ranked.
func (o *RankOptions) selects(m reader.Method) (bool, error) {
	if o.Methods == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && o.Methods(k), err
}

// A TopReport lists methods, the hottest first.
type TopReport struct {
	Archive string      `json:"archive"`
	By      string      `json:"by"`
	Total   uint64      `json:"total"`    // what shares are of
	ShareOf ShareOf     `json:"share_of"` // which total that is
	Of      int         `json:"of"`       // methods that were chosen and count at all
	Methods []TopMethod `json:"methods"`

	ArchiveTotal uint64 `json:"-"` // of what the methods of the archive have
}

type TopMethod struct {
	MethodName
	Value uint64  `json:"value"`
	Share float64 `json:"share"`
	// Sum is null where what methods have cannot be added up.
	Sum *float64 `json:"cumulative_share"`
	// Level is the highest at which HotSpot compiled the method, null if it is not
	// known.
	Level *uint8 `json:"level,omitempty"`
	Cut   bool   `json:"cut,omitempty"` // the profile cut its name off
}

// A heat is how hot a method is; of names that are cut off a method may have
// several.
type heat struct {
	m reader.Method
	n uint64
}

// Hottest sums over all methods, and lists those that were chosen.
func Hottest(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (*TopReport, error) {
	if by == nil {
		by = UsualMeasure(s.Header())
	}
	r := &TopReport{Archive: s.Mapping().Name(), By: by.Name, Methods: []TopMethod{}}
	sum, heats, err := heatsOf(ctx, s, by, o)
	if err != nil {
		return nil, err
	}
	r.Of, r.ArchiveTotal = len(heats), sum.total
	if r.Total, r.ShareOf, err = by.total(s, sum); err != nil {
		return nil, err
	}
	return r, r.list(s, heats[:min(o.Limit, len(heats))], by.inclusive())
}

// heatsOf measures all methods, and gives those that are selected and have any,
// the hottest first; of equal ones those that come first.
func heatsOf(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (sum sums, heats []heat, err error) {
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return sum, nil, err
		}
		values, err := by.Values(s, m)
		if err != nil {
			return sum, nil, err
		}
		if sum.add(values) == 0 {
			continue
		}
		named, err := o.selects(m)
		if err != nil {
			return sum, nil, err
		}
		for _, n := range values {
			if named && n > 0 && n >= o.Min {
				heats = append(heats, heat{m, n})
			}
		}
	}
	return sum, heats, poll.SortStable(ctx, heats, func(a, b heat) int { return cmp.Compare(b.n, a.n) })
}

func (r *TopReport) list(s *reader.Store, heats []heat, inclusive bool) error {
	sum := uint64(0)
	for _, h := range heats {
		name, err := NameOf(s, h.m)
		if err != nil {
			return err
		}
		sum = disk.SaturatingAdd(sum, h.n)
		row := TopMethod{MethodName: name, Value: h.n, Share: share(h.n, r.Total), Cut: cutOff(s, h.m)}
		if !inclusive {
			cumulative := share(sum, r.Total)
			row.Sum = &cumulative
		}
		if row.Level, err = compileLevel(h.m); err != nil {
			return err
		}
		r.Methods = append(r.Methods, row)
	}
	return nil
}

// ByHeat iterates over the methods that have any of a measure, the hottest first.
// A method that has several values comes once, by the highest.
func ByHeat(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		_, heats, err := heatsOf(ctx, s, by, o)
		if err != nil {
			yield(reader.Method{}, err)
			return
		}
		seen := map[layout.Ref]bool{}
		for _, h := range heats {
			if seen[h.m.Ref()] {
				continue
			}
			if cutOff(s, h.m) {
				seen[h.m.Ref()] = true
			}
			if !yield(h.m, nil) {
				return
			}
		}
	}
}

// compileLevel is the highest level at which a method was compiled, nil if no
// profile says it.
func compileLevel(m reader.Method) (highest *uint8, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if c, ok := p.Compile(); ok && (highest == nil || c.Level > *highest) {
			highest = &c.Level
		}
	}
	return highest, nil
}
