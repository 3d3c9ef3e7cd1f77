package profarc

import "github.com/profarc/profarc/layout"

// Loop returns the counter of the iterations of the loop at a point. Backedges counts all loops of the function.
func (f *Function) Loop(point int32) *Word {
	return f.countAt(place{point, layout.TagCount, layout.SubIterations})
}

// Deopts returns the counter of the deoptimizations at a point for one cause. The VM numbers its causes, from 0 to
// layout.MaxDeoptCause.
func (f *Function) Deopts(point int32, cause int) *Word {
	if cause < 0 || cause > layout.MaxDeoptCause {
		panic("profarc: the cause of a deoptimization is not between 0 and layout.MaxDeoptCause")
	}
	return f.countAt(place{point, layout.TagCount, layout.SubDeopts + layout.Sub(cause)})
}

// countAt returns the counter of a Count entry.
func (f *Function) countAt(at place) *Word {
	if e, ok := f.entry(at); ok {
		return counterWord(e.Cell(0))
	}
	return &f.siteAt(at, 1, 0, nil).words[0]
}

// Target returns the loaded type with the most arrivals and its certainty, or nil if no loaded type arrived. The
// certainty is the type's share of all arrivals and one more, so that a single arrival has a certainty of 0.5. Types
// that All skips and Others counts are other types.
func (r Receivers) Target() (target *Type, certainty float64) {
	most := uint64(0)
	all := float64(r.Others()) + 1
	for t, count := range r.All() {
		n := count.Load()
		all += float64(n)
		if n > most {
			target = t
			most = n
		}
	}
	return target, float64(most) / all
}
