package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
)

func (r *diffReport) print(a *app.App) {
	fmt.Fprintf(a.Out, "%s, domain %s%s\n\n", r.verdict(), r.Domain, r.lowest())
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tA\tB\tmatched\tmismatch\tonly A\tonly B\t\n")
	for _, t := range []struct {
		name string
		diffTally
	}{{"methods", r.Methods}, {"profiles", r.Profiles}} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", t.name, t.A, t.B, t.Matched, t.Mismatch, t.OnlyA, t.OnlyB)
	}
	w.Flush()
	r.printKinds(a)
	r.printUntyped(a)
	r.printLeftOut(a)
	r.printBeside(a)
	r.printLoaders(a)
	printList(a.Out, "changed most", "difference\town overlap\tin A\tin B\t", r.Changed, func(m diffMethod) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t  %s%s", app.FormatPercent(m.Difference), app.FormatPercent(m.Overlap), app.FormatPercent(m.ShareA), app.FormatPercent(m.ShareB),
			escape.Printable(m.String()), app.Note(m.Mismatch, "mismatch"))
	})
	share := func(m diffMethod) string {
		return app.FormatPercent(m.ShareA+m.ShareB) + "\t  " + escape.Printable(m.String())
	}
	printList(a.Out, "only in B", "in B\t", r.Came, share)
	printList(a.Out, "only in A", "in A\t", r.Went, share)
	printList(a.Out, "flipped branches", "weight\tin A\tof\tin B\tof\t", r.Flipped, func(f diffFlip) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(f.Weight), f.A, f.A.Count, f.B, f.B.Count, f.place())
	})
	printList(a.Out, "sites that changed", "weight\tchange\tin A\tof\tin B\tof\t", r.Sites, func(s diffSite) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(s.Weight), s.Change, s.A, s.A.Count, s.B, s.B.Count, s.place())
	})
	printCertainties(a, "no longer certain", "A", "B", r.NoLongerCertain)
	printCertainties(a, "certain in B alone", "B", "A", r.NowCertain)
}

// kindText is a kind of counts for people.
func kindText(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// verdict is the score, or that there is none.
func (r *diffReport) verdict() string {
	if r.Score == nil {
		return "nothing to compare: no counts on either side"
	}
	return fmt.Sprintf("overlap %s of %s", app.FormatPercent(*r.Score), *r.ScoredBy)
}

// lowest is the kind of counts that agrees least, if it does less than the score
// says: what is lost of one kind is not to be hidden by another.
func (r *diffReport) lowest() string {
	if r.Score == nil {
		return ""
	}
	low := diffKind{Overlap: *r.Score}
	for _, k := range r.Kinds {
		if k.Overlap < low.Overlap {
			low = k
		}
	}
	if low.Kind == "" || app.FormatPercent(low.Overlap) == app.FormatPercent(*r.Score) {
		return ""
	}
	return fmt.Sprintf("; lowest %s of %s", app.FormatPercent(low.Overlap), kindText(low.Kind))
}

func (r *diffReport) printKinds(a *app.App) {
	if len(r.Kinds) == 0 {
		return
	}
	fmt.Fprintln(a.Out)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "counts\toverlap\tmismatch\tonly B\tsum A\tsum B\t\n")
	for _, k := range r.Kinds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t\n", kindText(k.Kind),
			app.FormatPercent(k.Overlap), app.FormatPercent(k.Mismatch), app.FormatPercent(k.OnlyB), k.SumA, k.SumB)
	}
	w.Flush()
}

// printBeside says what has no part in the score; one number stands for both
// archives where they have as much.
func (r *diffReport) printBeside(a *app.App) {
	var parts []string
	for _, b := range r.Beside {
		n := fmt.Sprint(b.A)
		if b.A != b.B {
			n = fmt.Sprintf("%d and %d", b.A, b.B)
		}
		parts = append(parts, n+" "+b.What)
	}
	if len(parts) > 0 {
		fmt.Fprintf(a.Out, "\nnot compared: %s\n", strings.Join(parts, ", "))
	}
}

// printLeftOut says that records of the other kind are not compared.
func (r *diffReport) printLeftOut(a *app.App) {
	switch {
	case r.LeftOut > 0 && r.cs:
		fmt.Fprintf(a.Out, "\n%d records that are not context-sensitive are left out: compare them without --cs\n", r.LeftOut)
	case r.LeftOut > 0:
		fmt.Fprintf(a.Out, "\n%d context-sensitive records are left out: compare them with --cs\n", r.LeftOut)
	}
	if r.MarkedA > 0 || r.MarkedB > 0 {
		fmt.Fprintf(a.Out, "\n%d functions of A and %d of B are marked as hot or warm and have no counts to compare\n", r.MarkedA, r.MarkedB)
	}
}

// printList prints the heaviest of a list, if it has any.
func printList[T any](out io.Writer, title, columns string, l diffList[T], line func(T) string) {
	if l.Total == 0 || len(l.List) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s (%d of %d)\n", title, len(l.List), l.Total)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, columns)
	for _, x := range l.List {
		fmt.Fprintln(w, line(x))
	}
	w.Flush()
}

// place is the method, the point, and the callers.
func (p diffPlace) place() string {
	text := fmt.Sprintf("%s @%d", p.MethodName, p.Point)
	for _, frame := range p.Context {
		text += " < " + frame
	}
	return escape.Printable(text)
}

func (w diffWay) String() string { return fmt.Sprintf("%s %.1f%%", w.Way, 100*w.Share) }

func (s diffSeen) String() string {
	return escape.Printable(fmt.Sprintf("%d: %s %.1f%%", s.Targets, s.Top, 100*s.Share))
}
