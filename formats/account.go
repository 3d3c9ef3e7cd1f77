package formats

import (
	"io"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// shownFirst is the number of lost things that are named.
const shownFirst = 3

// importOperation is the operation of the losses of an import.
const importOperation = "import"

// addAccounts adds an input and its losses to the accounts of the sets that have its profiles. The losses are those of
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
	b.AddLoss(ledger.Loss{Operation: importOperation})
	for _, l := range lost {
		b.AddLoss(ledger.Loss{Operation: importOperation, Reason: string(l.What), Unit: l.Unit, Things: uint64(l.Count),
			Amount: l.Amount, First: strings.Join(l.First, "\n")})
	}
}

// A hashing computes the XXH64 of an input while it is read.
type hashing struct {
	r      io.Reader
	digest *xxhash.Digest
}

func newHashing(r io.Reader) *hashing { return &hashing{r, xxhash.New()} }

func (h *hashing) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	_, _ = h.digest.Write(b[:n])
	return n, err
}

// finish reads the rest of the input and returns the hash of all of it.
func (h *hashing) finish() (uint64, error) {
	if _, err := io.Copy(io.Discard, h); err != nil {
		return 0, err
	}
	return h.digest.Sum64(), nil
}
