package fit

import (
	"cmp"
	"errors"

	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type archivedCode struct {
	s       *reader.Store
	pairing *loaders.Pairing // pairing with the classes of the checked profiles
	byName  bool             // some methods were found by class name without loader
	whole   bool             // the archive has every function of its program

	sketches *sketches // opened on first use
}

// Archived returns the code that the profiles of an archive were recorded for, such as a training run or a .profdata of
// the new program. Methods without profiles are unknown.
func Archived(s *reader.Store) Code { return &archivedCode{s: s} }

// Whole is Archived for profiles that have every function of their program, such as a raw profile of LLVM. Functions
// that they lack are gone.
func Whole(s *reader.Store) Code { return &archivedCode{s: s, whole: true} }

// Functions calls yield with all functions that have a profile.
func (a *archivedCode) Functions(yield func(name string, versions []methodcode.Version) bool) {
	for m, err := range a.s.Methods() {
		k, errKey := m.Key()
		if cmp.Or(err, errKey) != nil {
			return // Check reports it
		}
		answer, err := a.Method(k)
		if err != nil || !yield(k.Name, answer.Versions) {
			return
		}
	}
}

func (a *archivedCode) Method(k layout.Key) (methodcode.Answer, error) {
	m, ok, err := a.findMethod(k)
	if err != nil {
		return methodcode.Answer{}, err
	}
	if !ok && a.whole {
		return methodcode.Answer{Presence: methodcode.NoMethod}, nil
	}
	if !ok {
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: "not in " + a.s.Mapping().Name()}, nil
	}
	if a.sketches == nil {
		a.sketches, err = openSketches(a.s, func() error { return nil })
		if err != nil {
			return methodcode.Answer{}, err
		}
	}
	var versions []methodcode.Version
	seen := map[uint64]bool{} // a version has one profile per calling context
	for p := range poll.Values(m.Profiles(), &err) {
		if !seen[p.Code()] {
			seen[p.Code()] = true
			var v methodcode.Version
			v, err = a.versionOf(m, p)
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 { // its code is unknown
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: "without a profile in " + a.s.Mapping().Name()}, err
	}
	return methodcode.Answer{Presence: methodcode.Present, Versions: versions}, err
}

func (a *archivedCode) versionOf(m reader.Method, p reader.Profile) (methodcode.Version, error) {
	size, _ := p.Size()
	v := methodcode.Version{ID: p.Code(), Size: int(size), Opaque: true}
	if a.s.Header().Domain == layout.DomainHotSpot {
		v.Points = pointsOf(p, (*mapped.Mapping)(a.s.Mapping()).Shape()).points
		v.Opaque = false
		return v, a.sketches.describe(m, p, v.Points)
	}
	return v, nil
}

// findMethod looks up a method. It ignores the class loader if one of the archives names no loaders.
func (a *archivedCode) findMethod(k layout.Key) (m reader.Method, ok bool, err error) {
	m, err = a.s.Find(k)
	if other, paired := a.pairing.Loader(k.Class, k.Loader); paired && errors.Is(err, reader.ErrNotFound) {
		k.Loader = other
		m, err = a.s.Find(k)
		a.byName = a.byName || err == nil
	}
	if errors.Is(err, reader.ErrNotFound) {
		return m, false, nil
	}
	return m, err == nil, err
}

// ErrUnknownMethod reports that a program cannot tell whether it has a method, see [CodeIDs].
var ErrUnknownMethod = errors.New("the method is not known")

// CodeIDs returns a program whose methods are identified by code id alone. lookup returns the code ids of all versions
// of a method, and no ids if the program lacks it. If the error of lookup matches ErrUnknownMethod, profiles of the
// method are [Unchecked] for the reason in its text. Any other error ends the check.
//
// A profile is [Exact] if lookup returns its code id. Otherwise it is [Stale] or [Gone], because points are matched
// only in programs that describe their code.
func CodeIDs(lookup func(layout.Key) ([]uint64, error)) Code { return codeIDs(lookup) }

type codeIDs func(layout.Key) ([]uint64, error)

func (lookup codeIDs) Method(k layout.Key) (methodcode.Answer, error) {
	ids, err := lookup(k)
	switch {
	case errors.Is(err, ErrUnknownMethod):
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: err.Error()}, nil
	case err != nil:
		return methodcode.Answer{}, err
	case len(ids) == 0:
		return methodcode.Answer{Presence: methodcode.NoMethod}, nil
	}
	a := methodcode.Answer{Presence: methodcode.Present}
	for _, id := range ids {
		a.Versions = append(a.Versions, methodcode.Version{ID: id, Opaque: true})
	}
	return a, nil
}
