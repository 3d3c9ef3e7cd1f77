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

// addAccount adds an input and its losses to the account of a set.
func addAccount(b *profileset.Set, r *codec.Report, in ledger.Input) {
	if r.Totals == nil {
		return
	}
	b.AddInput(in)
	b.AddLoss(ledger.Loss{Operation: importOperation})
	for _, l := range r.Lost {
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
