// Package analyze reads the points of a profile, and ranks the methods of an archive by a measure such as invocations.
// Points and reports marshal to the JSON that the profarc command prints.
//
// This package is experimental. It may change in any release.
package analyze

import (
	"cmp"
	"context"
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// RankOptions select the rows of a ranking. The zero value lists all methods with a nonzero value.
type RankOptions struct {
	Limit   int                   // maximum number of methods or sites; 0 lists all
	Min     uint64                // minimum value of a listed method or site
	Methods func(layout.Key) bool // selects methods by key; nil selects all
}

// RowCount returns the number of rows to list of n.
func (o *RankOptions) RowCount(n int) int {
	if o.Limit == 0 {
		return n
	}
	return min(max(o.Limit, 0), n)
}

// Selects reports whether Methods selects a method. It fails if the key is damaged.
func (o *RankOptions) Selects(m reader.Method) (bool, error) {
	if o.Methods == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && o.Methods(k), err
}

// A TopReport lists methods in descending order of their values.
type TopReport struct {
	Archive string `json:"archive"`
	By      string `json:"by"`
	Total   uint64 `json:"total"` // total that shares refer to
	// ShareOf is the kind of Total. "sum" adds up the methods of the archive, "run" also counts methods that the archive
	// lacks, "threads" are the cycles of all threads of the run, and "highest" is the highest value, for inclusive values,
	// which cannot be added.
	ShareOf string      `json:"share_of"`
	Of      int         `json:"of"`      // number of selected methods with a nonzero value
	Without int         `json:"without"` // number of methods whose value is 0, selected or not
	Methods []TopMethod `json:"methods"`

	ArchiveTotal uint64 `json:"-"` // sum over the methods of the archive
	AddsUp       bool   `json:"-"` // shares of several methods can be added
}

// A TopMethod is a ranked method.
type TopMethod struct {
	MethodName
	Record reader.Method `json:"-"` // the method in the archive, valid until the store is closed
	Value  uint64        `json:"value"`
	Share  float64       `json:"share"` // share of TopReport.Total, from 0 to 1
	// Sum is the share of this method and all before it, nil if values cannot be added.
	Sum *float64 `json:"cumulative_share"`
	// Level is the highest level at which HotSpot compiled the method, nil if unknown.
	Level *uint8 `json:"level,omitempty"`
	Cut   bool   `json:"cut,omitempty"` // the producer truncated the name
	// Moved is the number of points whose counts come from other code.
	Moved int `json:"moved_points,omitempty"`
}

// A methodValue is one value of a method. A method with a truncated name may have several.
type methodValue struct {
	m reader.Method
	n uint64
}

// Hottest ranks the methods of an archive by a measure; nil stands for [UsualMeasure]. It reads all profiles. Of equal
// methods, the one that the archive lists first comes first.
func Hottest(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (*TopReport, error) {
	by = cmp.Or(by, UsualMeasure(s.Header()))
	r := &TopReport{Archive: s.Mapping().Name(), By: by.Name, Methods: []TopMethod{}}
	if d := s.Header().Domain; d == layout.DomainSampled && !by.MayHave(d) {
		return r, nil
	}
	sum, heats, without, err := rankMethods(ctx, s, by, o)
	if err != nil {
		return nil, err
	}
	r.Of = len(heats)
	r.Without = without
	r.ArchiveTotal = sum.total
	r.Total, r.ShareOf, err = by.shareTotal(s, sum)
	if err != nil {
		return nil, err
	}
	r.AddsUp = r.ShareOf == shareOfSum || r.ShareOf == shareOfRun
	return r, r.addRows(s, heats[:o.RowCount(len(heats))], sum.wholeOf(r.Total), by.inclusive())
}

// rankMethods returns the selected methods with a nonzero value in the order of Hottest, and counts those without one.
func rankMethods(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) (sum measureTotals,
	heats []methodValue, without int, err error) {
	err = poll.Each(poll.New(ctx), s.Methods(), func(m reader.Method) error {
		values, err := by.Values(s, m)
		if sum.addMethod(values) == 0 {
			without++
			return err
		}
		named, errNamed := o.Selects(m)
		for _, n := range values {
			if named && n > 0 && n >= o.Min {
				heats = append(heats, methodValue{m, n})
			}
		}
		return cmp.Or(err, errNamed)
	})
	if err != nil {
		return sum, nil, 0, err
	}
	return sum, heats, without, poll.SortStable(ctx, heats, func(a, b methodValue) int { return cmp.Compare(b.n, a.n) })
}

func (r *TopReport) addRows(s *reader.Store, heats []methodValue, whole float64, inclusive bool) error {
	sum := 0.0
	table, err := s.TableOrEmpty(disk.TableMoved)
	if err != nil {
		return err
	}
	moved := map[layout.Ref]int{}
	for point := range disk.ParseMarks(table.Rows, table.Cell) {
		moved[point.Method]++
	}
	for _, h := range heats {
		name, err := NameOf(s, h.m)
		if err != nil {
			return err
		}
		sum += float64(h.n)
		row := TopMethod{MethodName: name, Record: h.m, Value: h.n, Share: float64(h.n) / whole,
			Cut: hasTruncatedName(s, h.m), Moved: moved[h.m.Ref()]}
		if !inclusive {
			cumulative := min(sum/whole, 1)
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

// ByHeat iterates over the methods of [Hottest] in the same order. A method with several values comes at its highest.
func ByHeat(ctx context.Context, s *reader.Store, by *Measure, o RankOptions) iter.Seq2[reader.Method, error] {
	by = cmp.Or(by, UsualMeasure(s.Header()))
	return func(yield func(reader.Method, error) bool) {
		_, heats, _, err := rankMethods(ctx, s, by, o)
		if err != nil {
			yield(reader.Method{}, err)
			return
		}
		limit := o.RowCount(len(heats))
		seen := map[layout.Ref]bool{}
		for _, h := range heats {
			if len(seen) == limit {
				return
			}
			if seen[h.m.Ref()] {
				continue
			}
			seen[h.m.Ref()] = true
			if !yield(h.m, nil) {
				return
			}
		}
	}
}

// CompileLevel returns the highest level at which HotSpot compiled a method, nil if no profile has a level.
func CompileLevel(m reader.Method) (highest *uint8, err error) {
	for p := range poll.Values(m.Profiles(), &err) {
		if c := entries.CompilerDataOf(p).Compile; c != nil && (highest == nil || c.Level > *highest) {
			highest = &c.Level
		}
	}
	return highest, err
}

// A MethodName names a method in a report. Method is the class, name and signature in the spelling of the archive.
// Display is the spelling of programmers, such as java.util.HashMap.put(Object, Object). ID is hexadecimal.
type MethodName struct {
	Method    string `json:"method"`
	Display   string `json:"display"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`

	// LoaderNote is " (loader NAME)" if readers need the loader to identify the class, else "". It is "" for classes of
	// the loaders that every JVM has, unless several loaders define the class in this archive.
	LoaderNote string `json:"-"`
}

// NameOf returns the name of a method. It fails if a record is damaged.
func NameOf(s *reader.Store, m reader.Method) (MethodName, error) {
	k, err := m.Key()
	d := s.Header().Domain
	return MethodName{display.MethodText(d, k), display.Spelling{}.Method(d, k), display.IDText(m.ID()), k.Class, k.Name,
		k.Signature, k.Loader, display.LoaderNote(s, k.Class, k.Loader)}, err
}

// String returns Method followed by the loader, if there is one.
func (m MethodName) String() string { return display.WithLoader(m.Method, m.Loader) }

// Spelled returns Display followed by LoaderNote. Two methods can have the same spelling, because it omits the packages
// of parameter types.
func (m MethodName) Spelled() string { return m.Display + m.LoaderNote }
