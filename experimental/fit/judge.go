package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

type judgement struct {
	Verdict
	old       profiledCode
	now       methodcode.Version
	alignment alignment
	flow      *conservation // nil if the flow is unknown
}

func (c *checker) judgeProfile(j *judgement, k layout.Key, a methodcode.Answer) error {
	switch {
	case a.Presence == methodcode.Unknown:
		j.State, j.Reason = Unchecked, cmp.Or(a.Reason, "it is not in the code that was given")
	case a.Presence == methodcode.NoClass:
		j.State, j.Reason = Gone, "there is no such class"
	case a.Presence == methodcode.NoMethod || len(a.Versions) == 0:
		j.State, j.Reason = Gone, c.noMethodReason()
	case c.s.Header().Domain == layout.DomainGraal:
		judgePlaces(j, a.Versions)
		return c.judgeCallers(j)
	default:
		return c.compareVersions(j, k, a.Versions)
	}
	return nil
}

func (c *checker) compareVersions(j *judgement, k layout.Key, versions []methodcode.Version) error {
	if err := c.describeOldCode(j, k); err != nil {
		return err
	}
	code := j.Profile.Code()
	if code == 0 && c.s.Header().Domain == layout.DomainSampled {
		j.State, j.Reason = Unchecked, "the profile has no checksum of it: it counts lines, not pseudo probes"
		return nil
	}
	if v, ok := c.findSameCode(j, versions); ok {
		j.State, j.Reason, j.Confidence, j.now = Exact, "the code is the same", 1, v
		return nil
	}
	if tag, undecoded := j.Profile.Undecoded(); undecoded {
		j.State, j.Reason = Stale,
			fmt.Sprintf("the code has changed, and entries from one of HotSpot's tag %d on were not decoded", tag)
		return nil
	}
	if c.s.Header().Domain == layout.DomainLLVMIR {
		j.Reason = otherStageReason(code, versions)
		if j.Reason != "" {
			j.State = Unchecked
			return nil
		}
	}
	j.State, j.Reason = Stale, "the code has changed, and its profile points are not known"
	if c.ofFunctions() {
		j.Reason = fmt.Sprintf("its control flow has changed: function hash 0x%016x, now 0x%016x", code, versions[0].ID)
		return nil
	}
	best := -1.0
	for _, v := range versions[:min(len(versions), maxAligned)] {
		if v.Opaque {
			continue
		}
		l := alignPoints(newCodeFlow(j.old.points, j.old.size), newCodeFlow(v.Points, v.Size), c.poll.Err)
		if err := c.poll.Err(); err != nil {
			return err
		}
		flow := conserveFlow(&j.old, &v, &l)
		c.dropUnsurePairs(&l, &j.old, &v)
		if confidence := l.weightedConfidence(j.old.weights); confidence > best {
			best, j.now, j.alignment, j.flow = confidence, v, l, flow
		}
	}
	if best >= 0 {
		c.decideMoved(j, best)
		j.Moves = listMoves(j)
	}
	if j.Matched == 0 && !hasCodeIDs(code, versions) {
		j.State, j.Reason, j.Confidence, j.Moves = Unchecked, "no code id says which code it was recorded for", 0, nil
	}
	return nil
}

// hasCodeIDs reports whether both sides of a comparison have code ids, so that different ids mean different code.
func hasCodeIDs(code uint64, versions []methodcode.Version) bool {
	return code != 0 && slices.ContainsFunc(versions, func(v methodcode.Version) bool { return v.ID != 0 })
}

func listMoves(j *judgement) (moves []Move) {
	found := make([]bool, len(j.now.Points))
	for i := range j.old.points {
		p := &j.old.points[i]
		to := j.alignment.to[i]
		m := Move{From: p.Bci, To: -1, Kind: p.Kind.String(), Weight: j.old.weights[i], Confidence: j.alignment.confidence[i],
			Lost: j.alignment.lost[i]}
		if to >= 0 {
			found[to] = true
			m.To, m.Swapped = j.now.Points[to].Bci, oppositeSenses(p, &j.now.Points[to])
		}
		moves = append(moves, m)
	}
	for i, known := range found {
		if !known {
			moves = append(moves, Move{From: -1, To: j.now.Points[i].Bci, Kind: j.now.Points[i].Kind.String()})
		}
	}
	return moves
}

func (c *checker) findSameCode(j *judgement, versions []methodcode.Version) (v methodcode.Version, ok bool) {
	code := j.Profile.Code()
	first, ok := c.byID[code]
	if !ok || code == 0 && !c.ofFunctions() { // a constructor without a body has the hash 0
		return v, false
	}
	for _, v := range versions[first:min(len(versions), first+maxAligned)] {
		if v.ID == code && (sameNames(j.old.points, v.Points) || c.sameButRenamed(j.old.names, v.Names)) {
			return v, true
		}
	}
	return v, false
}

// maxAligned is the maximum number of versions to align a profile with. Programs have one or two.
const maxAligned = 16

// indexByCode returns the index of the first version for each code id.
func indexByCode(versions []methodcode.Version) map[uint64]int {
	index := make(map[uint64]int, len(versions))
	for i, v := range slices.Backward(versions) {
		index[v.ID] = i
	}
	return index
}

func (c *checker) describeOldCode(j *judgement, k layout.Key) error {
	if c.ofFunctions() {
		return nil
	}
	j.old = pointsOf(j.Profile, c.shape)
	j.Points = len(j.old.points)
	if err := c.sketches.describe(j.Method, j.Profile, j.old.points); err != nil {
		return err
	}
	return c.useOldCode(j, k)
}

func anyKnown(points []methodcode.Point) bool {
	return slices.ContainsFunc(points, func(p methodcode.Point) bool { return p.Known() })
}

// sameNames reports whether two versions with equal bytecodes can have equal names. It compares sketches, because a
// code id does not cover names.
func sameNames(a, b []methodcode.Point) bool {
	return len(a) != len(b) || slices.EqualFunc(a, b,
		func(p, q methodcode.Point) bool {
			return !p.Known() || !q.Known() || p.FormerSketch() == q.FormerSketch()
		})
}

// dropUnsurePairs drops pairs below the required confidence, and pairs whose counts cannot be moved.
func (c *checker) dropUnsurePairs(l *alignment, old *profiledCode, now *methodcode.Version) {
	for i, j := range l.to {
		switch {
		case j < 0:
			continue
		case l.confidence[i] < c.o.Confidence && l.confidence[i] == assumed:
			l.lost[i] = LostAssumed
		case l.confidence[i] < c.o.Confidence:
			l.lost[i] = lostUnsure
		case now.Points[j].Bci > math.MaxUint16:
			l.lost[i] = lostUnencodable
		case !sameRows(&old.points[i], &now.Points[j]):
			l.lost[i] = lostLabels
		default:
			continue
		}
		l.to[i], l.confidence[i] = -1, 0
	}
}

// decideMoved decides between Moved and Stale, and counts the fate of the points.
func (c *checker) decideMoved(j *judgement, confidence float64) {
	for i, to := range j.alignment.to {
		swapped := false
		if to >= 0 {
			j.Matched++
			swapped = oppositeSenses(&j.old.points[i], &j.now.Points[to])
		}
		c.report.countPoint(j.alignment.lost[i], j.old.weights[i], swapped)
	}
	found := fmt.Sprintf("%d of %d profile points found by bytecode", j.Matched, j.Points)
	switch {
	case j.Points == 0:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the code has changed; the profile has no points in it"
	case j.Matched == 0 && !anyKnown(j.old.points):
		j.Reason = "the code has changed, and the archive does not describe the old code"
	case j.Matched == 0:
		j.Reason = "the code has changed: " + found
	case j.Profile.Code() == 0:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the archive does not say which code it is: "+found
	default:
		j.State, j.Confidence, j.Reason = Moved, confidence, "the code has changed: "+found
	}
}

// weightedConfidence returns the mean confidence of all points, weighted by their counts plus one.
func (l *alignment) weightedConfidence(weights []float64) float64 {
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

func (c *checker) useOldCode(j *judgement, k layout.Key) error {
	if c.o.Old == nil {
		return nil
	}
	a, err := c.o.Old.Method(k)
	if err != nil || a.Presence != methodcode.Present {
		return err
	}
	for _, v := range a.Versions {
		if (v.ID == j.Profile.Code() || j.Profile.Code() == 0) && samePositions(v.Points, j.old.points) &&
			sameNames(j.old.points, v.Points) {
			j.old.points = v.Points
			j.old.size = v.Size
			j.old.names = v.Names
			return nil
		}
	}
	return nil
}

func samePositions(a, b []methodcode.Point) bool {
	return slices.EqualFunc(a, b, func(p, q methodcode.Point) bool {
		return p.Bci == q.Bci && p.Kind == q.Kind && len(p.Targets) == len(q.Targets)
	})
}

func oppositeSenses(p, q *methodcode.Point) bool {
	return p.Kind == methodcode.Branch && p.FormerSketch().Inverse != q.FormerSketch().Inverse
}

// sameRows reports whether the counts of a switch can move to another one, which needs the same cases or known values.
func sameRows(p, q *methodcode.Point) bool {
	return p.Kind != methodcode.Switch || p.Labels != nil && q.Labels != nil ||
		p.FormerSketch().Operands == q.FormerSketch().Operands && len(p.Targets) == len(q.Targets)
}
