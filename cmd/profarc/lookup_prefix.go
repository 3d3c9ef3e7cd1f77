package main

import (
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// questions are the look-ups that a text stands for: one, or with --prefix one
// for each method that it may mean.
func questions(s *reader.Store, text string, o lookupOptions) ([]question, error) {
	if !o.prefix {
		q, err := newQuestion(s, text, &o)
		return []question{q}, err
	}
	var all []question
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		if methods.LoaderMatches(o.loader, k.Loader) && meets(s.Header().Domain, m, k, text) {
			find := func() (reader.Method, error) { return s.Find(k) }
			all = append(all, question{text: text, key: text, method: find, look: find})
		}
	}
	if len(all) == 0 {
		none := func() (reader.Method, error) { return reader.Method{}, reader.ErrNotFound }
		all = []question{{text: text, key: text, method: none, look: none}}
	}
	return all, nil
}

// meets reports whether a method's name begins with a text, or, where its
// producer cut it short, a text with the name.
func meets(d layout.Domain, m reader.Method, k layout.Key, text string) bool {
	name, text := methods.PlainSpelling.Replace(analyze.MethodText(d, k)), methods.PlainSpelling.Replace(text)
	cut := d == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
	return strings.HasPrefix(name, text) || cut && strings.HasPrefix(text, name)
}
