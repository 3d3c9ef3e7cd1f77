package parse

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/reader"
)

// AddLossAt adds the loss of a thing at a line. lost is the totals of the lost counts, or nil. thing is "" if it has no
// name.
func AddLossAt(to *codec.Losses, what codec.LossKind, at Place, thing string, lost ledger.Totals) {
	loss := codec.Loss{What: what, Count: 1, Line: at.Line}
	if thing != "" {
		loss.First = []string{at.Describe(thing)}
	}
	AddLoss(to, loss, lost)
}

// AddLoss adds a loss to lost, once for each unit with a nonzero total. Without such a unit it adds the loss once.
func AddLoss(lost *codec.Losses, loss codec.Loss, totals ledger.Totals) {
	for _, unit := range ledger.SortedUnits(totals) {
		if totals[unit] == 0 {
			continue
		}
		loss.Unit = unit
		loss.Amount = totals[unit]
		lost.AddLoss(loss)
		loss.Count = 0
	}
	if loss.Unit == "" {
		lost.AddLoss(loss)
	}
}

// TotalsOfEntry returns the totals of the counts of an entry.
func TotalsOfEntry(c ledger.Counter, e disk.Entry) ledger.Totals {
	c.Totals = ledger.Totals{}
	c.AddEntry(e)
	return c.Totals
}

// TotalsOfBlock returns the totals of the counts of a profile.
func TotalsOfBlock(c ledger.Counter, b disk.Block) ledger.Totals {
	c.Totals = ledger.Totals{}
	c.AddBlock(b)
	return c.Totals
}

// AsLLVMOption declares the option to merge as llvm-profdata does, which several formats have.
func AsLLVMOption(field *bool) codec.Option {
	return codec.NewOption("llvm-compat", field,
		"merge as llvm-profdata merge --num-threads=1 does, of the release of the files or of the option llvm-release: of "+
			"what does not go together the first stays, values new to a site have no weight, those without a name are paired "+
			"by their places")
}

// SalvageOption declares the option to read a damaged file, which several formats have.
func SalvageOption(field *bool) codec.Option {
	return codec.NewOption("salvage", field, "take what is whole of a file that is cut off or damaged")
}

// CutWhile splits list before the first element for which is returns false.
func CutWhile[S ~[]E, E any](list S, is func(e E) bool) (while, rest S) {
	n := 0
	for n < len(list) && is(list[n]) {
		n++
	}
	return list[:n:n], list[n:]
}

// BinaryOption declares the option for programs and libraries.
func BinaryOption(field *[]string) codec.Option {
	return codec.NewOption("binary", field, "program or library. Import counts samples of perf at its lines, and takes "+
		"functions from it that raw profiles of LLVM lack (-profile-correlate=binary, or salvage). Export takes source lines "+
		"from its coverage mapping. Can be repeated")
}

// A FirstError keeps the first error of an exporter. The exporter goes on, and its output is then undefined.
type FirstError struct{ Err error }

// Fail keeps the first error, and reports whether there was one.
func (f *FirstError) Fail(err error) bool {
	if f.Err == nil {
		f.Err = err
	}
	return f.Err != nil
}

// Text returns the text of a name, or "" with an error.
func (f *FirstError) Text(n reader.Name, err error) string {
	f.Fail(err)
	return n.String()
}
