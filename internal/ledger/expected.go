package ledger

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// An Expectation compares the inputs of an operation with the files that a training run should have left.
type Expectation struct {
	Expected uint64 // number of expected inputs; 0 if it is not known
	given    int
	names    []string // expected names that were not given
}

// Expect compares the names of given inputs with a number and a list of expected ones. Names are compared by their base
// names.
func Expect(given []string, number int, names []string) Expectation {
	has := map[string]bool{}
	for _, name := range given {
		has[filepath.Base(name)] = true
	}
	e := Expectation{Expected: uint64(max(number, len(names))), given: len(given)}
	for _, name := range names {
		if !has[filepath.Base(name)] {
			e.names = append(e.names, name)
		}
	}
	return e
}

// ErrMissing means that fewer inputs were given than expected.
var ErrMissing = errors.New("find out why the run left fewer files")

// Refused returns an error that matches ErrMissing and names the first missing inputs, or nil if none is missing.
func (e *Expectation) Refused() error {
	switch {
	case len(e.names) > 0:
		return fmt.Errorf("%d of %d expected files are missing: %s: %w", len(e.names), e.Expected,
			strings.Join(e.names[:min(len(e.names), shownMissing)], ", "), ErrMissing)
	case uint64(e.given) < e.Expected:
		return fmt.Errorf("%d of %d expected files were given: %w", e.given, e.Expected, ErrMissing)
	}
	return nil
}

// shownMissing is the number of missing inputs that an error names.
const shownMissing = 3

// MissingInputs returns the missing inputs for an account. Those without a name are one input that occurs several
// times.
func (e *Expectation) MissingInputs() (all []Input) {
	for _, name := range e.names {
		all = append(all, Input{Name: filepath.Base(name), State: Missing, Times: 1})
	}
	if known := uint64(max(e.given, 0) + len(e.names)); known < e.Expected {
		all = append(all, Input{State: Missing, Times: e.Expected - known})
	}
	return all
}

// LeftOut returns the input of an account that was left out because of an error. It is skipped if its counts are not
// missing, otherwise damaged.
func LeftOut(path string, why error, isSkipped bool) Input {
	base := filepath.Base(path)
	in := Input{Name: base, State: Damaged, Times: 1, Reason: strings.ReplaceAll(why.Error(), path, base)}
	if isSkipped {
		in.State = Skipped
	}
	return in
}

// BadInputs are the errors of inputs, at least one.
type BadInputs []error

// Error returns a line for each input if there are several.
func (e BadInputs) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return fmt.Sprintf("%d of the files are bad:\n  %s", len(e), strings.Join(lines, "\n  "))
}

// Unwrap returns the errors.
func (e BadInputs) Unwrap() []error { return e }
