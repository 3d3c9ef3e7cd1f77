// Package report presents the results of compare and fit, for profarc diff, profarc check and their pages.
package report

import (
	"context"
	"errors"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/reader"
)

// CompareStores compares b with a like compare.Stores, and also counts the samples, which are not compared.
func CompareStores(ctx context.Context, a, b *reader.Store, o compare.Options) (*compare.Report, error) {
	r, err := compare.Stores(ctx, a, b, o)
	if err != nil {
		return nil, err
	}
	for i := range r.NotCompared {
		if u := &r.NotCompared[i]; u.Table == schema.TableSamples {
			var errA, errB error
			_, u.A, errA = facts.CountSamples(a)
			_, u.B, errB = facts.CountSamples(b)
			u.What, err = "samples", errors.Join(errA, errB)
		}
	}
	return r, err
}
