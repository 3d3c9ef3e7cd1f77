package info

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
)

func printAccount(w io.Writer, f *facts.AccountFact) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "inputs\t%s\n", f.InputsText())
	fmt.Fprintf(w, "lost\t%s\n", f.LostText())
	fmt.Fprintf(w, "operations\t%s\n", escape.Printable(strings.Join(f.Operations, ", ")))
}

func printLosses(out io.Writer, f *facts.AccountFact) {
	if f == nil {
		fmt.Fprintln(out, "The archive has no account: it was not imported, or by a release before accounts.")
		return
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	printAccount(w, f)
	fmt.Fprint(w, "\nstate\tinput\tformat\thash\tcounts\n")
	for i := range f.Inputs {
		printInput(w, &f.Inputs[i])
	}
	w.Flush()
	rows := f.LossRows()
	if len(rows) == 0 {
		return
	}
	fmt.Fprint(w, "\noperation\tlost\treason\n")
	for _, l := range rows {
		printLoss(w, f, &l)
	}
	w.Flush()
}

func printInput(w io.Writer, in *ledger.Input) {
	name := in.Name
	if in.Times > 1 {
		name = strings.TrimSpace(fmt.Sprintf("%s %d times", name, in.Times))
	}
	counts := facts.TotalsText(in.Totals)
	if in.Reason != "" {
		counts = strings.TrimPrefix(counts+"; "+in.Reason, "; ")
	}
	hash := ""
	if in.Hash != 0 {
		hash = fmt.Sprintf("%016x", in.Hash)
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", in.State, escape.Printable(name), escape.Printable(in.Format), hash,
		escape.Printable(counts))
}

func printLoss(w io.Writer, f *facts.AccountFact, l *ledger.Loss) {
	var lost []string
	if l.Things > 0 {
		lost = append(lost, cli.Grouped(l.Things))
	}
	if l.Unit != "" {
		lost = append(lost, facts.AmountOfTotal(l.Amount, f.Totals[l.Unit], l.Unit))
	}
	if l.Gained {
		lost = append(lost, "gained")
	}
	fmt.Fprintf(w, "%s\t%s\t%s\n", escape.Printable(l.Operation), strings.Join(lost, ": "), escape.Printable(l.Reason))
	for first := range strings.Lines(l.First) {
		fmt.Fprintf(w, "\t\t  %s\n", escape.Printable(strings.TrimSuffix(first, "\n")))
	}
}
