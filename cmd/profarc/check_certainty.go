package main

import (
	"context"

	"github.com/profarc/profarc/compare"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/reader"
)

// doubted lists the sites of an archive that had one outcome there, and have
// several in profiles of the same code.
func doubted(ctx context.Context, s, now *reader.Store, f fit.Options) (*diffList[diffCertainty], error) {
	c, err := compare.Stores(ctx, s, now, compare.Options{Top: f.Top, Methods: f.Methods})
	if err != nil {
		return nil, err
	}
	n := &diffNames{a: s, b: now, domain: c.Domain}
	l := listed(c.NoLongerCertain, n.certainty)
	return &l, n.err
}
