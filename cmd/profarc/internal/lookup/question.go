package lookup

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// parseHash parses --hash; any code if it was not given.
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

// hasCode returns an error that matches reader.ErrNotFound if the method has no profile of that code. Hash 0
// may also belong to a profile in a context, which Profile does not find without its callers.
func hasCode(m reader.Method, code uint64) error {
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

// hashesText returns the hashes of a method's profiles. Only LLVM's hash may be 0; elsewhere 0 is none.
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

// questions returns the lookups that a text stands for: one, or with --prefix
// one for each method that it may mean.
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
		if methods.LoaderMatches(o.loader, k.Loader) && beginsWith(s.Header().Domain, m, k, text) {
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

// beginsWith reports whether a method's name begins with text. Of a name that
// the producer cut short, the two may also change roles.
func beginsWith(d layout.Domain, m reader.Method, k layout.Key, text string) bool {
	name, text := methods.PlainSpelling.Replace(display.MethodText(d, k)), methods.PlainSpelling.Replace(text)
	cut := d == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
	return strings.HasPrefix(name, text) || cut && strings.HasPrefix(text, name)
}

// A question is a lookup to be made.
type question struct {
	text   string // as the user has it
	key    string // of it, without callers
	method func() (reader.Method, error)
	// look finds the method and, if a version of its code or callers are named,
	// its profile. This part is timed.
	look func() (reader.Method, error)
	// inContext returns the profile in a calling context; it is nil if no callers are named.
	inContext func() (*methods.ContextMatch, error)
}

// newQuestion returns the lookup that a text stands for.
func newQuestion(s *reader.Store, text string, o *lookupOptions) (q question, err error) {
	q = question{text: text, key: text}
	var sites []methods.CallSite
	if o.id {
		sites, err = methods.ParseCallSites(o.caller)
	} else {
		q.key, sites, err = methods.MethodAndCallers(text, o.caller)
	}
	if err != nil {
		return q, err
	}
	q.method, err = methodLooker(s, q.key, o)
	if err != nil {
		return q, err
	}
	code, err := parseHash(o.hash)
	switch {
	case err != nil:
		return q, err
	case o.hash != "" && (len(sites) == 0 || code == layout.CodeAny): // no profile has that hash
		q.lookForCode(code)
	case len(sites) > 0:
		return q, q.lookInContext(s, sites, code)
	default:
		q.look = q.method
	}
	return q, nil
}

// lookInContext makes look find the profile in a calling context.
func (q *question) lookInContext(s *reader.Store, sites []methods.CallSite, code uint64) error {
	c, err := methods.NewCallContext(s, sites)
	if err != nil {
		return err
	}
	method := q.method
	q.look = func() (reader.Method, error) {
		m, err := method()
		if err == nil {
			_, _, err = m.Profile(code, c.Frames...)
		}
		return m, err
	}
	q.inContext = func() (*methods.ContextMatch, error) {
		m, err := method()
		if err != nil {
			return nil, err
		}
		return c.Lookup(m, code)
	}
	return nil
}

// lookForCode makes look find a profile of a version of the code.
func (q *question) lookForCode(code uint64) {
	method := q.method
	q.look = func() (reader.Method, error) {
		m, err := method()
		if err == nil {
			err = hasCode(m, code)
		}
		return m, err
	}
}

// tellApart explains how to name one of several matches.
func (q *question) tellApart() string {
	if _, err := q.method(); errors.Is(err, reader.ErrAmbiguous) {
		return "look them up by key"
	}
	return "name the version of the code with --hash"
}

// missing returns the error of a question without an answer.
func (o *lookupOptions) missing(s *reader.Store, q *question) error {
	name := s.Mapping().Name()
	m, err := q.method()
	switch {
	case err == nil && o.hash == "":
		return methods.NoProfile(s, q.key)
	case err == nil:
		return fmt.Errorf("%s: %s with hash %s: %w: %s", name, q.key, o.hash, reader.ErrNotFound, hashesText(s, m))
	case o.id:
		return fmt.Errorf("%s: %s: %w", name, q.text, reader.ErrNotFound)
	}
	return methods.Missing(s, q.key, o.loader)
}

// methodLooker returns the lookup of the method that a text means. If it may
// mean several keys, that is the first that the archive has.
func methodLooker(s *reader.Store, text string, o *lookupOptions) (func() (reader.Method, error), error) {
	if o.id {
		id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
		if err != nil {
			return nil, cli.Usagef("%s: an id has up to 16 hexadecimal digits", text)
		}
		return idLooker(s, id)
	}
	keys := methods.KeysOf(s.Header().Domain, text, o.loader)
	return func() (reader.Method, error) { return findFirst(s, &keys) }, nil
}

// idLooker returns the lookup of the method with an id. An unexecuted method may
// not be in the index: then its key is searched for here, and looked up.
func idLooker(s *reader.Store, id uint64) (func() (reader.Method, error), error) {
	if _, err := s.FindID(id); !errors.Is(err, reader.ErrNotFound) {
		return func() (reader.Method, error) { return s.FindID(id) }, nil
	}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if !m.Indexed() && m.ID() == id {
			key, err := m.Key()
			return func() (reader.Method, error) { return s.Find(key) }, err
		}
	}
	return func() (reader.Method, error) { return reader.Method{}, reader.ErrNotFound }, nil
}

// findFirst returns the first method found. It drops the keys that the archive
// lacks, so that the next call asks only for the one found.
func findFirst(s *reader.Store, keys *[]layout.Key) (reader.Method, error) {
	for {
		m, err := s.Find((*keys)[0])
		if len(*keys) == 1 || !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
		*keys = (*keys)[1:]
	}
}

// asDisplayed returns the question that was meant if its key is none, but is how a terminal
// displays a method; ok is false if it is not.
func (q *question) asDisplayed(s *reader.Store, o *lookupOptions) (meant question, ok bool, err error) {
	if o.id || o.prefix {
		return meant, false, nil
	}
	m, err := methods.FindDisplayed(s, q.key, o.loader)
	if errors.Is(err, reader.ErrNotFound) {
		return meant, false, nil
	}
	if err != nil {
		return meant, false, err
	}
	name, err := analyze.NameOf(s, m)
	if err != nil {
		return meant, false, err
	}
	meant, err = newQuestion(s, strings.Replace(q.text, q.key, name.String(), 1), o)
	meant.text = q.text
	return meant, true, err
}
