package analyze

import (
	"cmp"
	"context"
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// RankOptions choose what a ranking lists.
type RankOptions struct {
	Limit   int                   // the most methods or sites to list
	Min     uint64                // the least value of a listed method or site
	Methods func(layout.Key) bool // nil selects all methods
}

// Selects reports whether a method passes Methods. A damaged key is an error.
func (o *RankOptions) Selects(m reader.Method) (bool, error) {
	if o.Methods == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && o.Methods(k), err
}

// A TopReport lists the hottest methods, the hottest first.
type TopReport struct {
	Archive string `json:"archive"`
	By      string `json:"by"`
	Total   uint64 `json:"total"` // the total that shares refer to
	// ShareOf says which total it is: "sum" over the methods of the archive; "run", which has methods that the
	// archive lacks; the cycles of all "threads" of the run; or the "highest" value, since inclusive values
	// cannot be added up.
	ShareOf string      `json:"share_of"`
	Of      int         `json:"of"`      // selected methods with any count
	Without int         `json:"without"` // methods of the archive without any, selected or not
	Methods []TopMethod `json:"methods"`

	ArchiveTotal uint64 `json:"-"` // the sum over the methods of the archive
	AddsUp       bool   `json:"-"` // shares of several methods can be added up
}

// A TopMethod is a ranked method.
type TopMethod struct {
	MethodName
	Value uint64  `json:"value"`
	Share float64 `json:"share"`
	// Sum is the share of this method and all before it, null where values cannot be added up.
	Sum *float64 `json:"cumulative_share"`
	// Level is the highest level at which HotSpot compiled the method, null if unknown.
	Level *uint8 `json:"level,omitempty"`
	Cut   bool   `json:"cut,omitempty"` // the producer cut its name off
	// Moved is the number of its profile points whose counts were counted in other code.
	Moved int `json:"moved_points,omitempty"`
}

// A heat is a value of a method. A method with a name that is cut off may have several.
type heat struct {
	m reader.Method
	n uint64
}

// Hottest ranks the methods of an archive by a measure. It reads all profiles. If
// by is nil it is function counts for LLVM's profiles, bytecodes for a JamaicaVM's, samples for
// samples of sampled programs, and else weight or, if the archive has no invocations, counts.
func Hottest(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (*TopReport, error) {
	if by == nil {
		by = UsualMeasure(s.Header())
	}
	r := &TopReport{Archive: s.Mapping().Name(), By: by.Name, Methods: []TopMethod{}}
	if d := s.Header().Domain; d == layout.DomainSampled && !by.MayHave(d) {
		return r, nil
	}
	sum, heats, without, err := heatsOf(ctx, s, by, o)
	if err != nil {
		return nil, err
	}
	r.Of = len(heats)
	r.Without = without
	r.ArchiveTotal = sum.total
	r.Total, r.ShareOf, err = by.total(s, sum)
	if err != nil {
		return nil, err
	}
	r.AddsUp = r.ShareOf == shareOfSum || r.ShareOf == shareOfRun
	return r, r.list(s, heats[:min(o.Limit, len(heats))], by.inclusive())
}

// heatsOf measures all methods, and returns the selected ones that have any, the
// hottest first, and how many of all have none. Equal ones stay in archive order.
func heatsOf(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (sum sums, heats []heat, without int,
	err error) {
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return sum, nil, 0, err
		}
		values, err := by.Values(s, m)
		if err != nil {
			return sum, nil, 0, err
		}
		if sum.add(values) == 0 {
			without++
			continue
		}
		named, err := o.Selects(m)
		if err != nil {
			return sum, nil, 0, err
		}
		for _, n := range values {
			if named && n > 0 && n >= o.Min {
				heats = append(heats, heat{m, n})
			}
		}
	}
	return sum, heats, without, poll.SortStable(ctx, heats, func(a, b heat) int { return cmp.Compare(b.n, a.n) })
}

func (r *TopReport) list(s *reader.Store, heats []heat, inclusive bool) error {
	sum := uint64(0)
	marks, err := s.Marks()
	if err != nil {
		return err
	}
	moved := marks.ByMethod()
	for _, h := range heats {
		name, err := NameOf(s, h.m)
		if err != nil {
			return err
		}
		sum = disk.SaturatingAdd(sum, h.n)
		row := TopMethod{MethodName: name, Value: h.n, Share: share(h.n, r.Total), Cut: cutOff(s, h.m),
			Moved: moved[h.m.Ref()]}
		if !inclusive {
			cumulative := share(sum, r.Total)
			row.Sum = &cumulative
		}
		row.Level, err = CompileLevel(h.m)
		if err != nil {
			return err
		}
		r.Methods = append(r.Methods, row)
	}
	return nil
}

// ByHeat iterates over the methods that have any of a measure, the hottest
// first. A method with several values comes once, by the highest.
func ByHeat(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		_, heats, _, err := heatsOf(ctx, s, by, o)
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

// CompileLevel returns the highest level at which HotSpot compiled a method, nil if no profile says it.
func CompileLevel(m reader.Method) (highest *uint8, err error) {
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
