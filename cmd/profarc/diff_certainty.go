package main

import (
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/compare"
)

// A diffCertainty is a site that has one outcome in one archive and several in
// the other.
type diffCertainty struct {
	diffPlace
	Entry   string  `json:"entry"`
	Outcome string  `json:"outcome"` // of what: ways, checks or nulls
	Always  string  `json:"always"`  // the one outcome, where the site is certain
	Times   uint64  `json:"times"`   // how often that was there
	Count   uint64  `json:"count"`   // how often the site was reached where it is not certain
	Others  *uint64 `json:"others"`  // how often with another outcome; null of nulls, which are not counted
	Weight  float64 `json:"weight"`
}

func (n *diffNames) certainty(c compare.Certainty) diffCertainty {
	d := diffCertainty{diffPlace: n.place(c.Place), Entry: c.Tag.String(), Outcome: c.Outcome.String(), Always: alwaysText(c),
		Times: c.Always.Count, Count: c.Count, Weight: c.Weight}
	if c.Outcome != compare.Nulls {
		d.Others = &c.Others
	}
	return d
}

func alwaysText(c compare.Certainty) string {
	switch {
	case c.Outcome == compare.Nulls:
		return "no null"
	case c.Outcome == compare.Ways:
		return wayText(c.Tag, c.Always)
	case c.Always.Index == 0:
		return "succeeds"
	}
	return "fails"
}

// others says how often a site had another outcome.
func (c diffCertainty) others() string {
	if c.Others == nil {
		return "null seen"
	}
	return fmt.Sprintf("otherwise %d", *c.Others)
}

// printCertainties prints the sites that are certain in one archive alone. In
// names the archives: where they are certain, and where not.
func printCertainties(a *app.App, title, certain, not string, l diffList[diffCertainty]) {
	columns := fmt.Sprintf("weight\tin %s always\ttimes\tin %s\tof\t", certain, not)
	printList(a.Out, title, columns, l, func(c diffCertainty) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(c.Weight), c.Always, c.Times, c.others(), c.Count, c.place())
	})
}

// printUntyped says of which counts nobody knows the types.
func (r *diffReport) printUntyped(a *app.App) {
	for _, k := range r.Kinds {
		if k.UntypedA+k.UntypedB > 0 {
			fmt.Fprintf(a.Out, "\n%s of types that were not recorded are in no sum: %.0f in A, %.0f in B\n", kindText(k.Kind), k.UntypedA, k.UntypedB)
		}
	}
}
