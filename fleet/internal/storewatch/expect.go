package storewatch

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/fleet/internal/blobs"
	account "github.com/profarc/profarc/internal/ledger"
)

// expectObjects compares the objects with the number and the names of the expected ones. A name is the end of a key,
// from a slash on, so that pods can write objects of one name to folders of their own.
func (r *Report) expectObjects(objects []blobs.Object, number int, names []string) {
	r.Arrived = len(objects)
	r.Expected = max(number, len(names))
	arrived := map[string]bool{}
	for _, o := range objects {
		arrived[o.Key] = true
		for at, c := range o.Key {
			if c == '/' {
				arrived[o.Key[at+1:]] = true
			}
		}
	}
	for _, name := range names {
		if !arrived[strings.TrimPrefix(name, "/")] {
			r.Missing = append(r.Missing, name)
			r.missing = append(r.missing, account.Input{Name: name, State: account.Missing, Times: 1})
		}
	}
	if known := r.Arrived + len(r.Missing); known < r.Expected {
		r.missing = append(r.missing, account.Input{State: account.Missing, Times: uint64(r.Expected - known)})
	}
}

// shownMissing is the number of missing objects that an error names.
const shownMissing = 10

// Refused returns an error that matches ledger.ErrMissing and names the first missing objects. It returns nil if all
// arrived.
func (r *Report) Refused() error {
	if len(r.missing) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d expected, %d arrived", r.Expected, r.Arrived)
	if n := len(r.Missing); n > 0 {
		text += fmt.Sprintf(", %d missing: %s", n, strings.Join(r.Missing[:min(n, shownMissing)], ", "))
		if n > shownMissing {
			text += fmt.Sprintf(" and %d more", n-shownMissing)
		}
	}
	return fmt.Errorf("%s: %w", text, account.ErrMissing)
}

// MissingCount returns the number of expected objects that did not arrive.
func (r *Report) MissingCount() (n uint64) {
	for _, in := range r.missing {
		n += in.Times
	}
	return n
}
