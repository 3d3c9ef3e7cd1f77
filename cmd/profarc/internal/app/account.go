package app

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
)

// An unaccountedError is a difference between an archive and its inputs that has no reason.
type unaccountedError []ledger.Difference

// RefuseUnaccounted returns an error if an archive differs from its inputs without a reason. The archive is written by
// then.
func RefuseUnaccounted(all []ledger.Difference) error {
	if len(all) == 0 {
		return nil
	}
	return unaccountedError(all)
}

func RefuseUnaccountedLosses(lost codec.Losses) error {
	var all []ledger.Difference
	for _, l := range lost {
		if l.What == ledger.ReasonUnaccounted {
			all = append(all, ledger.Difference{Unit: l.Unit, Amount: l.Amount})
		}
	}
	return RefuseUnaccounted(all)
}

// Error returns, for example, "unaccounted: 12 samples lost".
func (e unaccountedError) Error() string {
	var parts []string
	for _, d := range e {
		what := "lost"
		if d.Gained {
			what = "added"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", cli.Grouped(d.Amount), d.Unit, what))
	}
	return "unaccounted: " + strings.Join(parts, ", ") + ": this is a defect of profarc; report it with the input"
}

// HasAdvice reports true; see layout.Error.
func (unaccountedError) HasAdvice() bool { return true }
