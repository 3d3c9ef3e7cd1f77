package fit

import (
	"cmp"
	"slices"
)

// hotShare is the share of all counts in the hot part of an archive: the fewest profiles that have this share.
const hotShare = 0.99

// A hotPart has the profiles with counts. Methods whose names change with each run are left out, since no later run can
// use their profiles.
type hotPart []weighedProfile

type weighedProfile struct {
	weight  float64
	checked bool
}

func (h *hotPart) addProfile(v *Verdict) {
	if v.Weight > 0 {
		*h = append(*h, weighedProfile{v.Weight, v.State != Unchecked})
	}
}

// HotCheckedShare returns the share of the counts of the hot part that were compared, from 0 to 1. The hot part is the
// fewest profiles with 99% of the counts, apart from methods whose names change with each run. Without counts it is the
// compared share of profiles. It is 0 if only methods whose names change with each run have counts.
func (r *Report) HotCheckedShare() float64 {
	if r.totalWeight() == 0 {
		return 1 - r.Share(Unchecked)
	}
	slices.SortFunc(r.hot, func(a, b weighedProfile) int { return cmp.Compare(b.weight, a.weight) })
	all := 0.0
	for _, p := range r.hot {
		all += p.weight
	}
	weight := 0.0
	checked := 0.0
	for i, p := range r.hot {
		isCold := weight >= hotShare*all && p.weight < r.hot[max(i-1, 0)].weight
		if isCold {
			break
		}
		weight += p.weight
		if p.checked {
			checked += p.weight
		}
	}
	return checked / cmp.Or(weight, 1)
}
