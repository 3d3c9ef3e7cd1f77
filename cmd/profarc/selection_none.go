package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A filter is what --class and --method were given.
type filter struct{ class, method string }

func (f filter) empty() bool { return f == filter{} }

// check is an error if no method of any of the archives is selected: what would
// be printed or written of none looks like an answer.
func (f filter) check(stores ...*reader.Store) error {
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

func (f filter) selectsAny(s *reader.Store) (bool, error) {
	sel := newSelection(s.Header().Domain, f.class, f.method, 0, nil)
	for m, err := range s.Methods() {
		if err != nil {
			return false, err
		}
		if some, err := sel.nameMatches(s, m); some || err != nil {
			return some, err
		}
	}
	return false, nil
}

// none is the error of a filter that selects nothing.
func (f filter) none(stores ...*reader.Store) error {
	var names []string
	for _, s := range stores {
		names = append(names, s.Mapping().Name())
	}
	return fmt.Errorf("no method matches %s in %s: a glob with * or ? is of the whole name, other text of any part",
		f.text(stores[0].Header().Domain), strings.Join(names, " or "))
}

// text is the filter as it is typed.
func (f filter) text(d layout.Domain) string {
	method := "--method"
	if d.LLVM() {
		method = "--function"
	}
	var flags []string
	if f.class != "" {
		flags = append(flags, "--class "+escape.Printable(f.class))
	}
	if f.method != "" {
		flags = append(flags, method+" "+escape.Printable(f.method))
	}
	return strings.Join(flags, " ")
}
