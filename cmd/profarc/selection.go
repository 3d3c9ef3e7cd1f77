package main

import (
	"context"
	"iter"
	"slices"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A selection says which methods are wanted.
type selection struct {
	class, method methods.Pattern
	whole         methods.Pattern // of class, name and signature, see plainSpelling
	loader        string          // of the class, any if it is empty
	min           uint64          // of the measure
	by            *measure
	hottestFirst  bool // methods come by the measure, else by name
}

// newSelection selects by patterns as they were typed, and by a measure, calls
// if it is nil.
func newSelection(d layout.Domain, class, method string, min uint64, by *measure) selection {
	if by == nil {
		by = callsMeasure(d)
	}
	return selection{class: methods.NewPattern(class), method: methods.NewPattern(method), min: min, by: by}
}

// methods goes through the methods that are wanted.
func (sel selection) methods(ctx context.Context, s *reader.Store) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		if sel.hottestFirst {
			sel.byHeat(ctx, s, yield)
			return
		}
		for m, err := range s.Methods() {
			if err != nil {
				yield(m, err)
				return
			}
			if wanted, err := sel.has(s, m); (wanted || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// byHeat goes through the methods that count at all, the hottest first. A method
// that has several values comes once, by the highest.
func (sel selection) byHeat(ctx context.Context, s *reader.Store, yield func(reader.Method, error) bool) {
	_, heats, err := heatsOf(ctx, s, sel)
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

// has reports whether a method is wanted.
func (sel selection) has(s *reader.Store, m reader.Method) (bool, error) {
	named, err := sel.nameMatches(s, m)
	if err != nil || !named || sel.min == 0 {
		return named, err
	}
	values, err := sel.by.values(s, m)
	return slices.ContainsFunc(values, func(n uint64) bool { return n >= sel.min }), err
}

// nameMatches reports whether a method is wanted for its name.
func (sel selection) nameMatches(s *reader.Store, m reader.Method) (bool, error) {
	if sel.class == "" && sel.method == "" && sel.whole == "" && sel.loader == "" {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && sel.names(s.Header().Domain, k), err
}

// names reports whether a key is wanted. A whole name may be written with a dot
// or a double colon between class and method, whatever the domain.
func (sel selection) names(d layout.Domain, k layout.Key) bool {
	parts := k.Split(d)
	return sel.class.Matches(parts.Class) && sel.method.Matches(parts.Name) && methods.LoaderMatches(sel.loader, k.Loader) &&
		(sel.whole == "" || sel.whole.Matches(methods.PlainSpelling.Replace(analyze.MethodText(d, k))))
}

// invocations is how often a method was called: the sum over its profiles.
func invocations(m reader.Method) (n uint64, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return n, err
		}
		n = disk.SaturatingAdd(n, trained(p.Invocations()))
	}
	return n, nil
}
