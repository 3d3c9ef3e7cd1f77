// Package methods finds methods by keys in all spellings, patterns and calling contexts, and suggests names similar to
// a wrong one.
package methods

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits of the search for similar names.
const (
	nearMethods = 1 << 20 // maximum number of methods to search
	nearNames   = 3
	nearEdits   = 2
	nearKeys    = 8 // keys that a text can mean
)

// MissingError returns the error of a missing method, with similar names.
func MissingError(s *reader.Store, text, loader string) error {
	hint, err := nearText(s, text, loader)
	missed := fmt.Errorf("%s: %s: %w%s", s.Mapping().Name(), text, reader.ErrNotFound, hint)
	if err != nil {
		return errors.Join(missed, err)
	}
	return missed
}

// nearText suggests methods with similar names, or returns "".
func nearText(s *reader.Store, text, loader string) (string, error) {
	names, err := NearNames(s, ParseKeys(s.Header().Domain, text, loader)...)
	if err != nil || len(names) == 0 {
		return "", err
	}
	near := lists.Join(names, " or ", func(n analyze.MethodName) string { return escape.Printable(n.String()) })
	return ": near is " + near, nil
}

// NearNames returns the methods with the most similar names to missing keys.
func NearNames(s *reader.Store, keys ...layout.Key) ([]analyze.MethodName, error) {
	if s.Header().Counts.Methods > nearMethods {
		return nil, nil
	}
	type candidate struct {
		distance int
		m        reader.Method
	}
	domain := s.Header().Domain
	wanted := distinctNames(domain, keys)
	var found []candidate
	err := entries.EachMethod(context.Background(), s, func(m reader.Method, other layout.Key) error {
		if d, ok := nearestDistance(wanted, other.Split(domain)); ok {
			found = append(found, candidate{d, m})
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var names []analyze.MethodName
	for _, c := range found[:min(len(found), nearNames)] {
		name, err := analyze.NameOf(s, c.m)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, err
}

func distinctNames(d layout.Domain, keys []layout.Key) (some []layout.Key) {
	for _, k := range keys {
		k = k.Split(d)
		k = layout.Key{Class: k.Class, Name: k.Name}
		if len(some) < nearKeys && !slices.Contains(some, k) {
			some = append(some, k)
		}
	}
	return some
}

func nearestDistance(wanted []layout.Key, other layout.Key) (shortest int, found bool) {
	for _, k := range wanted {
		if d, ok := distance(k, other); ok && (!found || d < shortest) {
			shortest, found = d, true
		}
	}
	return shortest, found
}

// distance returns the distance between keys; ok is false if they are not similar. Either class or name must be equal,
// ignoring case.
func distance(want, other layout.Key) (d int, ok bool) {
	sameClass := strings.EqualFold(want.Class, other.Class)
	sameName := strings.EqualFold(want.Name, other.Name)
	switch {
	case sameClass && (sameName || strings.EqualFold(want.Name, withoutFile(other.Name))):
		return 0, true
	case sameClass || sameName && SimpleName(want.Class) == SimpleName(other.Class):
		d = 1 + editDistance(want.Name, other.Name)
		return d, d <= 1+nearEdits
	case sameName && want.Name != "<init>" && want.Name != "<clinit>":
		return 2 + nearEdits, true
	}
	return 0, false
}

// withoutFile returns the PGO name of a file-local function without its file: f for "a.c;f".
func withoutFile(name string) string { return name[strings.LastIndexByte(name, ';')+1:] }

// SimpleName returns a class name without its package.
func SimpleName(class string) string { return class[strings.LastIndexAny(class, "./")+1:] }

// editDistance returns the number of bytes to insert, remove or replace, or more than nearEdits if the lengths differ
// by more.
func editDistance(a, b string) int {
	if d := len(a) - len(b); d > nearEdits || d < -nearEdits {
		return nearEdits + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// NoProfileError returns the error of a method without a profile in a context or for every caller.
func NoProfileError(s *reader.Store, key string) error {
	return fmt.Errorf("%s: %s has no profile in that context, nor one for every caller: see its contexts with profarc "+
		"show %s", s.Mapping().Name(), key, s.Mapping().Name())
}

// FindFirst returns the method of the first key that the archive has.
func FindFirst(s *reader.Store, keys []layout.Key) (reader.Method, error) {
	for _, k := range keys {
		m, err := s.Find(k)
		if !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
	}
	return reader.Method{}, reader.ErrNotFound
}

// FindDisplayed returns the method with a key, or else the only method that a terminal displays as text, such as
// java.util.HashMap.put(Object, Object). If no method matches, the error matches reader.ErrNotFound. Several methods
// are another error.
func FindDisplayed(s *reader.Store, text, loader string) (reader.Method, error) {
	m, err := FindFirst(s, ParseKeys(s.Header().Domain, text, loader))
	if !errors.Is(err, reader.ErrNotFound) {
		return m, err
	}
	d := s.Header().Domain
	p := match.New(text)
	var found reader.Method
	err = entries.EachMethod(context.Background(), s, func(m reader.Method, k layout.Key) error {
		switch {
		case !LoaderMatches(loader, k.Loader) || !p.Displays(d, k):
			return nil
		case found.Valid():
			return fmt.Errorf("%s: %s is how several methods are displayed: name one by its key, as show --raw prints it",
				s.Mapping().Name(), escape.Printable(text))
		}
		found = m
		return nil
	})
	if err == nil && !found.Valid() {
		err = reader.ErrNotFound
	}
	return found, err
}

// maxCompletions is the number of names that a shell can offer at once.
const maxCompletions = 200

// CompleteNames returns the names of methods that begin with a text, without parameters. Of too many names it returns
// the beginnings, up to the end of the next package or class.
func CompleteNames(s *reader.Store, typed string) []string {
	found := map[string]bool{}
	_ = entries.EachMethod(context.Background(), s, func(_ reader.Method, k layout.Key) error {
		name, _, _ := strings.Cut(display.MethodText(s.Header().Domain, k), "(")
		for _, spelled := range []string{name, strings.ReplaceAll(name, "::", ".")} {
			if strings.HasPrefix(spelled, typed) {
				found[spelled] = true
				break
			}
		}
		return nil
	})
	names := slices.Sorted(maps.Keys(found))
	for i, name := range names {
		end := strings.IndexAny(name[len(typed):], "./;:")
		if end >= 0 && len(found) > maxCompletions {
			names[i] = name[:len(typed)+end+1]
		}
	}
	return slices.Compact(names)
}
