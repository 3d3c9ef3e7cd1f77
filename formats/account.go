package formats

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/merge"
)

// shownFirst is the number of lost things that are named.
const shownFirst = 3

// addAccounts adds an input and its losses to the accounts of the sets that have its profiles. The losses belong to
// the first.
func addAccounts(r *codec.Report, in ledger.Input) {
	if r.Salvaged != "" {
		in.State = ledger.Salvaged
		in.Reason = r.Salvaged
	}
	if r.Sum != nil {
		addAccount(r.Sum.Internal(), in, r.Lost)
		return
	}
	lost := r.Lost
	for i, dump := range r.Dumps {
		if i < len(r.RunTotals) {
			in.Totals = r.RunTotals[i]
		}
		addAccount(dump.Internal(), in, lost)
		lost = nil
	}
}

func addAccount(b *profileset.Set, in ledger.Input, lost codec.Losses) {
	b.AddInput(in)
	b.AddLoss(ledger.Loss{Operation: ledger.OperationImport})
	for _, l := range lost {
		b.AddLoss(ledger.Loss{Operation: ledger.OperationImport, Reason: string(l.What), Unit: l.Unit,
			Things: uint64(l.Count), Amount: l.Amount, First: strings.Join(l.First, "\n")})
	}
}

// accountForSkipped adds the inputs that were left out to the account.
func (m *importing) accountForSkipped() {
	for _, skipped := range m.result.Skipped {
		in := ledger.LeftOut(skipped.Name, withoutPlace(skipped.Err),
			errors.Is(skipped.Err, ErrEmpty) || errors.Is(skipped.Err, merge.ErrCounted))
		m.result.Builder.Internal().AddInput(in)
	}
}

// addExpected adds the expected inputs to the account.
func addExpected(b *profileset.Set, e *ledger.Expectation) {
	if e.Expected > 0 {
		b.AddInput(ledger.Input{State: ledger.Expected, Times: e.Expected})
	}
	for _, in := range e.MissingInputs() {
		b.AddInput(in)
	}
}

// identify derives the identity of a dump from the hashes of its inputs, unless it has one. So two files are two dumps
// even if they have the same counts, and one file is one dump whatever its name.
func identify(b *profileset.Set, hashes []uint64) {
	text := []byte(ledger.OperationImport)
	for _, h := range hashes {
		text = binary.LittleEndian.AppendUint64(text, h)
	}
	b.Locked(func() {
		if b.Heading.DumpID == ([16]byte{}) {
			b.Heading.DumpID = disk.ContentID(text)
		}
	})
}
