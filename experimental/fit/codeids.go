package fit

import (
	"errors"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

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
