package methods

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Selection says which methods are wanted.
type Selection struct {
	Class, Method Pattern
	Whole         Pattern // of class, name and signature, see plainSpelling
	Loader        string  // of the class, any if it is empty
	min           uint64  // of the measure
	by            *analyze.Measure
	HottestFirst  bool // methods come by the measure, else by name
}

// NewSelection selects by patterns as they were typed, and by a measure, calls
// if it is nil.
func NewSelection(d layout.Domain, class, method string, min uint64, by *analyze.Measure) Selection {
	if by == nil {
		by = analyze.CallsMeasure(d)
	}
	return Selection{Class: NewPattern(class), Method: NewPattern(method), min: min, by: by}
}

// Methods goes through the methods that are wanted.
func (sel Selection) Methods(ctx context.Context, s *reader.Store) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		if sel.HottestFirst {
			analyze.ByHeat(ctx, s, sel.by, analyze.RankOptions{Min: sel.min, Methods: sel.Keys(s.Header().Domain)})(yield)
			return
		}
		for m, err := range s.Methods() {
			if err != nil {
				yield(m, err)
				return
			}
			if wanted, err := sel.Has(s, m); (wanted || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// Keys reports for a key whether its method is wanted; it is nil if all are.
func (sel Selection) Keys(d layout.Domain) func(layout.Key) bool {
	if sel.Class == "" && sel.Method == "" && sel.Whole == "" && sel.Loader == "" {
		return nil
	}
	return func(k layout.Key) bool { return sel.Names(d, k) }
}

// Has reports whether a method is wanted.
func (sel Selection) Has(s *reader.Store, m reader.Method) (bool, error) {
	named, err := sel.NameMatches(s, m)
	if err != nil || !named || sel.min == 0 {
		return named, err
	}
	values, err := sel.by.Values(s, m)
	return slices.ContainsFunc(values, func(n uint64) bool { return n >= sel.min }), err
}

// NameMatches reports whether a method is wanted for its name.
func (sel Selection) NameMatches(s *reader.Store, m reader.Method) (bool, error) {
	if sel.Class == "" && sel.Method == "" && sel.Whole == "" && sel.Loader == "" {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && sel.Names(s.Header().Domain, k), err
}

// Names reports whether a key is wanted. A whole name may be written with a dot
// or a double colon between class and method, whatever the domain.
func (sel Selection) Names(d layout.Domain, k layout.Key) bool {
	parts := k.Split(d)
	return sel.Class.Matches(parts.Class) && sel.Method.Matches(parts.Name) && LoaderMatches(sel.Loader, k.Loader) &&
		(sel.Whole == "" || sel.Whole.Matches(PlainSpelling.Replace(analyze.MethodText(d, k))))
}

// A Filter is what --class and --method were given.
type Filter struct{ Class, Method string }

func (f Filter) empty() bool { return f == Filter{} }

// Check is an error if no method of any of the archives is selected: what would
// be printed or written of none looks like an answer.
func (f Filter) Check(stores ...*reader.Store) error {
	if f.empty() {
		return nil
	}
	for _, s := range stores {
		if some, err := f.selectsAny(s); some || err != nil {
			return err
		}
	}
	return f.none(stores...)
}

func (f Filter) selectsAny(s *reader.Store) (bool, error) {
	sel := NewSelection(s.Header().Domain, f.Class, f.Method, 0, nil)
	for m, err := range s.Methods() {
		if err != nil {
			return false, err
		}
		if some, err := sel.NameMatches(s, m); some || err != nil {
			return some, err
		}
	}
	return false, nil
}

// none is the error of a filter that selects nothing.
func (f Filter) none(stores ...*reader.Store) error {
	var names []string
	for _, s := range stores {
		names = append(names, s.Mapping().Name())
	}
	return fmt.Errorf("no method matches %s in %s: a glob with * or ? is of the whole name, other text of any part",
		f.text(stores[0].Header().Domain), strings.Join(names, " or "))
}

// text is the filter as it is typed.
func (f Filter) text(d layout.Domain) string {
	method := "--method"
	if d.LLVM() {
		method = "--function"
	}
	var flags []string
	if f.Class != "" {
		flags = append(flags, "--class "+escape.Printable(f.Class))
	}
	if f.Method != "" {
		flags = append(flags, method+" "+escape.Printable(f.Method))
	}
	return strings.Join(flags, " ")
}
