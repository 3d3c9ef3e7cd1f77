package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
)

type AccountFact struct {
	Expected   uint64        `json:"expected"` // number of inputs that were named or announced
	Read       uint64        `json:"read"`
	Salvaged   uint64        `json:"salvaged"`
	Damaged    uint64        `json:"damaged"`
	Skipped    uint64        `json:"skipped"`
	Operations []string      `json:"operations"`
	Totals     ledger.Totals `json:"totals"` // counts in the inputs, by unit
	Lost       ledger.Totals `json:"lost"`   // lost counts, by unit
	ledger.Account
}

func DescribeAccount(s *reader.Store) (*AccountFact, error) {
	a, err := archived.Account(s)
	if err != nil || len(a.Inputs) == 0 {
		return nil, err
	}
	if of := Samples.Named(s); of != Samples {
		nameSamples(a, string(of))
	}
	return &AccountFact{Expected: a.Named(), Read: a.Count(ledger.Read), Salvaged: a.Count(ledger.Salvaged),
		Damaged: a.Count(ledger.Damaged), Skipped: a.Count(ledger.Skipped), Operations: a.Operations(),
		Totals: a.Totals(), Lost: a.Lost(), Account: a}, nil
}

// nameSamples replaces the unit samples, which the account has for all types, by the type of the samples.
func nameSamples(a ledger.Account, unit ledger.Unit) {
	for _, in := range a.Inputs {
		if n, ok := in.Totals[ledger.Samples]; ok {
			delete(in.Totals, ledger.Samples)
			in.Totals[unit] = n
		}
	}
	for i := range a.Losses {
		if a.Losses[i].Unit == ledger.Samples {
			a.Losses[i].Unit = unit
		}
	}
}

func (f *AccountFact) IsComplete() bool { return f.Read == f.Expected && len(f.Lost) == 0 }

// InputsText returns the numbers of inputs, as "12 expected: 10 read, 1 damaged, 1 missing".
func (f *AccountFact) InputsText() string {
	parts := []string{fmt.Sprintf("%d read", f.Read)}
	missing := f.Expected - min(f.Expected, f.Read+f.Salvaged+f.Damaged+f.Skipped)
	for _, of := range []struct {
		count uint64
		state string
	}{{f.Salvaged, "salvaged"}, {f.Damaged, "damaged"}, {f.Skipped, "skipped"}, {missing, "missing"}} {
		if of.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.count, of.state))
		}
	}
	return fmt.Sprintf("%d expected: %s", f.Expected, strings.Join(parts, ", "))
}

// LostText returns the lost counts, as "12 of 1,200 samples (1.0%)", or "nothing".
func (f *AccountFact) LostText() string {
	text := lists.Join(ledger.SortedUnits(f.Lost), ", ",
		func(u ledger.Unit) string { return AmountOfTotal(f.Lost[u], f.Totals[u], u) })
	return cmp.Or(text, "nothing")
}

func AmountOfTotal(amount, total uint64, u ledger.Unit) string {
	if total == 0 {
		return amountText(amount, u) + " " + u
	}
	return fmt.Sprintf("%s of %s %s (%s)", amountText(amount, u), amountText(total, u), u,
		cli.FormatShare(ShareOfTotal(amount, total, u), 2))
}

func amountText(n uint64, u ledger.Unit) string {
	size, negative := ledger.Magnitude(u, n)
	if negative {
		return "-" + cli.Grouped(size)
	}
	return cli.Grouped(size)
}

// ShareOfTotal returns the share that an amount has of a total, 1 if the total is 0.
func ShareOfTotal(amount, total uint64, u ledger.Unit) float64 {
	if total == 0 {
		return 1
	}
	part, _ := ledger.Magnitude(u, amount)
	whole, _ := ledger.Magnitude(u, total)
	return float64(part) / float64(whole)
}

// TotalsText returns totals in the order of units, as "1,200 samples, 30 calls".
func TotalsText(t ledger.Totals) string {
	return lists.Join(ledger.SortedUnits(t), ", ", func(u ledger.Unit) string { return amountText(t[u], u) + " " + u })
}

func (f *AccountFact) LossRows() []ledger.Loss {
	return slices.DeleteFunc(slices.Clone(f.Losses), func(l ledger.Loss) bool { return l.Reason == "" })
}
