package main

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A selection says which methods are wanted.
type selection struct {
	class, method pattern
	whole         pattern // of Class::name and signature
	min           uint64  // invocations, function count of LLVM's profiles
}

// has reports whether a method is wanted.
func (sel selection) has(s *reader.Store, m reader.Method) (bool, error) {
	if sel.class != "" || sel.method != "" || sel.whole != "" {
		k, err := m.Key()
		if err != nil || !sel.names(s.Header().Domain, k) {
			return false, err
		}
	}
	if sel.min == 0 {
		return true, nil
	}
	if s.Header().Domain.LLVM() {
		by, _ := findMeasure("function-count")
		n, err := by.sum(s, m)
		return n >= sel.min, err
	}
	n, err := invocations(m)
	return n >= sel.min, err
}

func (sel selection) names(d layout.Domain, k layout.Key) bool {
	return sel.class.matches(k.Class) && sel.method.matches(k.Name) && sel.whole.matches(methodText(d, k))
}

// invocations is how often a method was called: the sum over its profiles.
func invocations(m reader.Method) (n uint64, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return n, err
		}
		if c, ok := p.Invocations(); ok {
			n = saturating(n, c.Trained())
		}
	}
	return n, nil
}
