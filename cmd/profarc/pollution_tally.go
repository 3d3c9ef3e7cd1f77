package main

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The ways of a branch that has no numbers for them: such as no successor has.
const (
	wayTaken = 1<<64 - 1
	wayNot   = wayTaken - 1
)

// eachTally gives what an entry says of the sites that may be polluted: a type
// check is two.
func eachTally(p reader.Profile, e reader.Entry, yield func(siteKind, *tally)) {
	switch e.Tag() {
	case layout.TagBranch:
		b, _ := e.Branch()
		yield(siteBranch, &tally{seen: map[uint64]uint64{wayTaken: b.Taken.Trained(), wayNot: b.NotTaken.Trained()}})
	case layout.TagSuccessors:
		if e.Sub() == layout.SubConditional {
			yield(siteBranch, rowsTally(e))
		}
	case layout.TagValueSite:
		if e.Sub() == layout.SubIndirectCall {
			yield(siteTargets, rowsTally(e))
		}
	case layout.TagVirtualCall, layout.TagVirtualCallType:
		yield(siteReceivers, receiversTally(e))
	case layout.TagReceiverType:
		yieldCheck(e, yield)
	case layout.TagReceivers:
		if e.Sub() == layout.SubTypeCheck {
			yieldCheck(e, yield)
		} else {
			yield(siteReceivers, receiversTally(e))
		}
	case layout.TagBit: // it counts nothing; its method is called as often at least
		yield(siteNull, &tally{other: trained(p.Invocations()), null: e.Raw().Flags()&layout.EntryNullSeen != 0})
	}
}

func yieldCheck(e reader.Entry, yield func(siteKind, *tally)) {
	t := receiversTally(e)
	yield(siteChecked, t)
	yield(siteNull, &tally{other: t.total(), null: e.Raw().Flags()&layout.EntryNullSeen != 0})
}

// rowsTally is what the rows of a list say: what was seen, and how often.
func rowsTally(e reader.Entry) *tally {
	t := &tally{seen: map[uint64]uint64{}}
	rows, _ := e.Rows()
	for i := range rows.Len() {
		what := rows.Cell(i, 0).Trained()
		t.seen[what] = disk.SaturatingAdd(t.seen[what], rows.Cell(i, 1).Trained())
	}
	return t
}

// receiversTally is a type profile, without the type checks that failed: the rows
// have the types of some of these.
func receiversTally(e reader.Entry) *tally {
	t := &tally{seen: map[uint64]uint64{}}
	r, _ := e.Receivers()
	beside := r.Unlisted(r.Other().Trained())
	t.other, t.untyped = beside.Types, beside.Untyped
	for row := range r.All() {
		what := uint64(row.Type.Ordinal())
		t.seen[what] = disk.SaturatingAdd(t.seen[what], row.Count.Trained())
	}
	return t
}
