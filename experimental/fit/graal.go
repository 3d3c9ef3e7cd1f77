package fit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// judgePlaces judges a profile of GraalVM, which has no code id. Its method must be there with the same signature, with
// bytecodes of their kind at all profile points.
func judgePlaces(j *judgement, versions []methodcode.Version) {
	best := -1
	for _, v := range versions {
		found, all := 0, 0
		for e := range j.Profile.Entries() {
			if e.Point() < 0 || len(kindsAt(e)) == 0 {
				continue // GraalVM's places that are no bytecode, and counts of calls
			}
			all++
			if v.Opaque || slices.ContainsFunc(v.Points, func(p methodcode.Point) bool {
				return p.Bci == e.Point() && slices.Contains(kindsAt(e), p.Kind)
			}) {
				found++
			}
		}
		if found > best {
			best = found
			j.Points, j.Matched, j.now = all, found, v
		}
	}
	if j.Matched == j.Points {
		j.State, j.Confidence, j.Reason = Exact, 1, "the method is there, with bytecodes of their kind at its points"
		return
	}
	j.State = Stale
	j.Reason = fmt.Sprintf("%d of %d profile points are at bytecodes of their kind", j.Matched, j.Points)
}

// kindsAt returns the kinds of bytecodes at which GraalVM makes an entry; nil for any.
func kindsAt(e reader.Entry) []methodcode.PointKind {
	switch {
	case e.Tag() == layout.TagSuccessors:
		return []methodcode.PointKind{methodcode.Branch, methodcode.Switch}
	case e.Tag() == layout.TagReceivers && e.Sub() == layout.SubTypeCheck:
		return []methodcode.PointKind{methodcode.TypeCheck}
	case e.Tag() == layout.TagReceivers:
		return []methodcode.PointKind{methodcode.VirtualCall, methodcode.Call}
	}
	return nil
}

// judgeCallers judges a profile in a context as gone if one of its callers is.
func (c *checker) judgeCallers(j *judgement) error {
	context, ok, err := j.Profile.Context()
	if err != nil || !ok {
		return err
	}
	frames, err := context.Frames()
	if err != nil {
		return err
	}
	for _, f := range frames {
		if gone, err := c.isGone(f.Caller); gone || err != nil {
			j.State, j.Reason, j.Confidence = Gone, "one of its callers is gone", 0
			return err
		}
	}
	return nil
}

// isGone reports whether the program certainly lacks a method.
func (c *checker) isGone(m reader.Method) (bool, error) {
	if gone, known := c.gone[m.Ref()]; known {
		return gone, nil
	}
	k, err := m.Key()
	if err != nil {
		return false, err
	}
	a, err := c.against.Method(k)
	gone := a.Presence == methodcode.NoMethod || a.Presence == methodcode.NoClass
	c.gone[m.Ref()] = gone
	return gone, err
}

// filterStacks is a row filter for GraalVM's sampled stacks. It drops stacks with a method that is gone.
func (c *checker) filterStacks(t *reader.Table) func(row int) (bool, error) {
	dropped := map[uint64]bool{}
	var failed error
	for r := range t.Rows {
		m, err := c.s.MethodAt(layout.Ref(t.Cell(1, r)))
		gone := false
		if err == nil {
			gone, err = c.isGone(m)
		}
		dropped[t.Cell(0, r)] = dropped[t.Cell(0, r)] || gone
		failed = cmp.Or(failed, err)
	}
	return func(row int) (bool, error) { return !dropped[t.Cell(0, row)], failed }
}
