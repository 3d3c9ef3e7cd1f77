package show

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type lookupQuery struct {
	o       *lookupOptions
	s       *reader.Store
	text    string // KEY as typed
	key     string // KEY without callers
	code    uint64
	context *methods.CallContext // nil without callers
	find    func() (reader.Method, error)
}

func (q *lookupQuery) lookUp() (reader.Method, error) {
	m, err := q.find()
	switch {
	case err != nil:
	case q.context != nil:
		_, _, err = m.Profile(q.code, q.context.Frames...)
	case q.o.hash != "":
		err = checkHasCode(m, q.code)
	}
	return m, err
}

func (o *lookupOptions) parseQueries(s *reader.Store, text string) ([]lookupQuery, error) {
	if o.prefix {
		return o.queriesByPrefix(s, text)
	}
	q := lookupQuery{o: o, s: s, text: text, key: text}
	var sites []methods.CallSite
	var err error
	if o.id {
		sites, err = methods.ParseCallSites(o.callers)
	} else {
		q.key, sites, err = methods.MethodAndCallers(text, o.callers)
	}
	if err != nil {
		return nil, err
	}
	q.find, err = o.methodFinder(s, q.key)
	if err != nil {
		return nil, err
	}
	q.code, err = parseHash(o.hash)
	if err == nil && len(sites) > 0 && (o.hash == "" || q.code != layout.CodeAny) {
		q.context, err = methods.NewCallContext(s, sites)
	}
	return []lookupQuery{q}, err
}

func (o *lookupOptions) queriesByPrefix(s *reader.Store, text string) (all []lookupQuery, err error) {
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		if methods.LoaderMatches(o.loader, k.Loader) && hasNamePrefix(s.Header().Domain, m, k, text) {
			all = append(all, lookupQuery{o: o, s: s, text: text, key: text,
				find: func() (reader.Method, error) { return s.Find(k) }})
		}
	}
	if len(all) == 0 {
		all = []lookupQuery{{o: o, s: s, text: text, key: text, find: findNothing}}
	}
	return all, nil
}

func findNothing() (reader.Method, error) { return reader.Method{}, reader.ErrNotFound }

// hasNamePrefix reports whether a method's name begins with text. If the producer truncated the name, it also reports
// whether text begins with the name.
func hasNamePrefix(d layout.Domain, m reader.Method, k layout.Key, text string) bool {
	name := display.PlainName(display.MethodText(d, k))
	text = display.PlainName(text)
	truncated := d == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
	return strings.HasPrefix(name, text) || truncated && strings.HasPrefix(text, name)
}

func (o *lookupOptions) methodFinder(s *reader.Store, text string) (func() (reader.Method, error), error) {
	if !o.id {
		keys := methods.ParseKeys(s.Header().Domain, text, o.loader)
		return func() (reader.Method, error) { return findFirst(s, &keys) }, nil
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return nil, cli.Usagef("%s: an id has up to 16 hexadecimal digits", text)
	}
	return idFinder(s, id)
}

// idFinder returns a function that finds the method with an id. The index can lack unexecuted methods, so their keys
// are searched for once, and then looked up.
func idFinder(s *reader.Store, id uint64) (func() (reader.Method, error), error) {
	if _, err := s.FindID(id); !errors.Is(err, reader.ErrNotFound) {
		return func() (reader.Method, error) { return s.FindID(id) }, nil
	}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if schema.HasRow(s.Header(), m.Ref()) && m.ID() == id {
			key, err := m.Key()
			return func() (reader.Method, error) { return s.Find(key) }, err
		}
	}
	return findNothing, nil
}

// findFirst returns the method of the first key that the archive has. It drops the keys before that one, so that
// the next call makes one lookup.
func findFirst(s *reader.Store, keys *[]layout.Key) (reader.Method, error) {
	for {
		m, err := s.Find((*keys)[0])
		if len(*keys) == 1 || !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
		*keys = (*keys)[1:]
	}
}

func (q *lookupQuery) byDisplayedName() (displayed lookupQuery, ok bool, err error) {
	if q.o.id || q.o.prefix {
		return *q, false, nil
	}
	m, err := methods.FindDisplayed(q.s, q.key, q.o.loader)
	if errors.Is(err, reader.ErrNotFound) {
		return *q, false, nil
	}
	if err != nil {
		return *q, false, err
	}
	k, err := m.Key()
	displayed = *q
	displayed.find = func() (reader.Method, error) { return q.s.Find(k) }
	return displayed, true, err
}

func (q *lookupQuery) ambiguityHint() string {
	if _, err := q.find(); errors.Is(err, reader.ErrAmbiguous) {
		return "look them up by key"
	}
	return "name the version of the code with --hash"
}

func (q *lookupQuery) notFound() error {
	name := q.s.Mapping().Name()
	m, err := q.find()
	switch {
	case err == nil && q.o.hash == "":
		return methods.NoProfileError(q.s, q.key)
	case err == nil:
		return fmt.Errorf("%s: %s with hash %s: %w: %s", name, q.key, q.o.hash, reader.ErrNotFound, hashesText(q.s, m))
	case q.o.id:
		return fmt.Errorf("%s: %s: %w", name, q.text, reader.ErrNotFound)
	}
	return methods.MissingError(q.s, q.key, q.o.loader)
}

func parseHash(text string) (uint64, error) {
	if text == "" {
		return layout.CodeAny, nil
	}
	code, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return 0, cli.Usagef("--hash %s: a hash has up to 16 hexadecimal digits", text)
	}
	return code, nil
}

// checkHasCode returns an error that matches reader.ErrNotFound if the method has no profile of the version with this
// hash. Method.Profile does not find a profile with hash 0 that has a context, so all profiles are searched for it.
func checkHasCode(m reader.Method, code uint64) error {
	if code != layout.CodeUnknown && code != layout.CodeAny {
		_, _, err := m.Profile(code)
		return err
	}
	for p, err := range m.Profiles() {
		if err != nil || p.Code() == code {
			return err
		}
	}
	return reader.ErrNotFound
}

// hashesText lists the hashes of a method's profiles. Only LLVM has the hash 0, which elsewhere means unknown.
func hashesText(s *reader.Store, m reader.Method) string {
	var hashes []string
	for p, err := range m.Profiles() {
		if err != nil {
			return fmt.Sprint(err)
		}
		h := cli.FormatHash(p.Code())
		if (p.Code() != 0 || s.Header().Domain.LLVM()) && !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	if len(hashes) == 0 {
		return "its profiles have no hashes: look it up without --hash"
	}
	return "its hashes are " + strings.Join(hashes, ", ")
}
