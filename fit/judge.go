package fit

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/layout"
)

// A judgement is a verdict with what it rests on.
type judgement struct {
	Verdict
	old       profiled
	now       Version
	alignment alignment
}

// judge decides how a profile fits.
func (c *checker) judge(j *judgement, k layout.Key, a Answer) error {
	switch {
	case a.Presence == Unknown:
		j.State, j.Reason = Unchecked, cmp.Or(a.Reason, "it is not among the code that was named")
	case a.Presence == NoClass:
		j.State, j.Reason = Gone, "there is no such class"
	case a.Presence == NoMethod || len(a.Versions) == 0:
		j.State, j.Reason = Gone, "there is no such method"
	default:
		return c.compare(j, k, a.Versions)
	}
	return nil
}

// compare holds a profile against the versions of its method.
func (c *checker) compare(j *judgement, k layout.Key, versions []Version) error {
	code := j.Profile.Code()
	if i, ok := c.byID[code]; ok && code != 0 {
		j.State, j.Reason, j.Confidence, j.now = Exact, "the code is the same", 1, versions[i]
		return nil
	}
	j.State, j.Reason = Stale, "the code has changed, and nothing is known of its profile points"
	if c.s.Header().Domain.LLVM() {
		j.Reason = fmt.Sprintf("its control flow has changed: function hash 0x%016x, now 0x%016x", code, versions[0].ID)
		return nil
	}
	j.old = pointsOf(j.Profile, c.shape)
	j.Points = len(j.old.points)
	byBytecode, err := c.oldCode(j, k)
	if err != nil {
		return err
	}
	best := -1.0
	for _, v := range versions[:min(len(versions), maxAligned)] {
		if v.Opaque {
			continue
		}
		l := align(newSide(j.old.points, j.old.size), newSide(v.Points, v.Size))
		if confidence := l.weighed(j.old.weights); confidence > best {
			best, j.now, j.alignment = confidence, v, l
		}
	}
	if best >= 0 {
		c.moved(j, best, byBytecode)
	}
	return nil
}

// maxAligned is how many versions of a method a profile of another one is aligned
// with: programs have one or two.
const maxAligned = 16

// indexOf finds versions by their ids: of two with one id the first.
func indexOf(versions []Version) map[uint64]int {
	index := make(map[uint64]int, len(versions))
	for i, v := range versions {
		if _, ok := index[v.ID]; !ok {
			index[v.ID] = i
		}
	}
	return index
}

// moved decides between Moved and Stale.
func (c *checker) moved(j *judgement, confidence float64, byBytecode bool) {
	for _, to := range j.alignment.to {
		if to >= 0 {
			j.Matched++
		}
	}
	how := "by kind and distance"
	if byBytecode {
		how = "by bytecode"
	}
	found := fmt.Sprintf("%d of %d profile points found %s", j.Matched, j.Points, how)
	switch {
	case j.alignment.tooLarge:
		j.Reason = fmt.Sprintf("the code has changed, and %d profile points are too many to match", j.Points)
	case confidence < c.o.Confidence:
		j.Reason = fmt.Sprintf("the code has changed: %s, confidence %.2f", found, confidence)
	case j.Points == 0:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the code has changed; the profile has no points in it"
	case j.Profile.Code() == 0:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the archive does not say which code it is: "+found
	default:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the code has changed: "+found
	}
}

// weighed is the mean confidence of all points, weighted by their counts. A
// point without counts weighs as much as one count.
func (l *alignment) weighed(weights []float64) float64 {
	sum, all := 0.0, 0.0
	for i, w := range weights {
		sum += (w + 1) * l.confidence[i]
		all += w + 1
	}
	if all == 0 {
		return 1
	}
	return sum / all
}

// oldCode adds to the points of a profile what the old bytecodes say of them, if
// they are known and are those that the profile is of.
func (c *checker) oldCode(j *judgement, k layout.Key) (ok bool, err error) {
	if c.o.Old == nil {
		return false, nil
	}
	a, err := c.o.Old.Method(k)
	if err != nil || a.Presence != Present {
		return false, err
	}
	for _, v := range a.Versions {
		if (v.ID == j.Profile.Code() || j.Profile.Code() == 0) && samePlaces(v.Points, j.old.points) {
			j.old.points, j.old.size = v.Points, v.Size
			return true, nil
		}
	}
	return false, nil
}

// samePlaces reports whether points are of the same kinds at the same places,
// with as many targets.
func samePlaces(a, b []Point) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Bci != b[i].Bci || a[i].Kind != b[i].Kind || len(a[i].Targets) != len(b[i].Targets) {
			return false
		}
	}
	return true
}
