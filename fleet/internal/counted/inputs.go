package counted

import (
	"cmp"
	"slices"
	"strings"

	account "github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// AddInputs adds the inputs that the account of a set does not have. An input has one row for each state.
func AddInputs(b *profileset.Set, rows []account.Input) {
	slices.SortFunc(rows, func(x, y account.Input) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Reason, y.Reason))
	})
	type identity struct {
		name  string
		state account.State
	}
	have := map[identity]bool{}
	for _, in := range b.Account().Inputs {
		have[identity{in.Name, in.State}] = true
	}
	for _, in := range rows {
		if id := (identity{in.Name, in.State}); !have[id] {
			b.AddInput(in)
			have[id] = true
		}
	}
}
