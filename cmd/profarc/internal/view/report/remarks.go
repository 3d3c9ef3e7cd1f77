// Package report presents the results of compare and fit, for profarc diff, profarc check and their pages.
package report

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/reader"
)

func KindText(kind string) string {
	if kind == string(facts.Nanoseconds) {
		return "time"
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// SumText formats a total of counts of a kind. count formats totals other than times.
func SumText(kind string, sum float64, count func(float64) string) string {
	if kind == string(facts.Nanoseconds) && sum < 1<<63 {
		return facts.TimeText(uint64(sum + 0.5))
	}
	return count(sum)
}

func SiteText(kind string) string {
	if kind == "receivers" {
		return "call receivers"
	}
	return KindText(kind)
}

// IntervalText returns an interval of shares, as "88 to 94", with digits that show its width.
func IntervalText(i sampling.Interval) string {
	digits := 0
	for width := 100 * (i.High - i.Low); digits < 3 && width > 0 && width < 2; width *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f to %.*f", digits, 100*i.Low, digits, 100*i.High)
}

// Lowest returns the kind of counts with the least overlap. It is nil if percent formats that overlap and the score
// alike.
func Lowest(r *compare.Report, percent func(float64) string) *compare.Overlap {
	if r.Score == nil {
		return nil
	}
	low := &compare.Overlap{Overlap: *r.Score}
	for i := range r.Kinds {
		if r.Kinds[i].Overlap < low.Overlap {
			low = &r.Kinds[i]
		}
	}
	if low.Kind == "" || percent(low.Overlap) == percent(*r.Score) {
		return nil
	}
	return low
}

// Remarks returns sentences about swapped arguments, profiles that are left out, and names with uncertain matches.
// count formats numbers.
func Remarks(r *compare.Report, count func(float64) string) (list []string) {
	say := func(format string, arguments ...any) { list = append(list, fmt.Sprintf(format, arguments...)) }
	if r.DumpedB != "" && r.DumpedA > r.DumpedB { // the times sort as strings
		say("A is newer than B: the arguments may be swapped (A was dumped at %s, B at %s)", r.DumpedA, r.DumpedB)
	}
	for _, k := range r.Kinds {
		if k.UntypedA+k.UntypedB > 0 {
			say("%s of types that were not recorded are in no sum: %s in A, %s in B", KindText(k.Kind), count(k.UntypedA),
				count(k.UntypedB))
		}
	}
	number := func(n int) string { return count(float64(n)) }
	if r.HiddenCame+r.HiddenWent+r.Renumbered.Total > 0 {
		say("hidden classes, whose names are made up in each run: %s of the %s methods that came are of such, %s of the "+
			"%s that went; %s more have the same code under another name",
			number(r.HiddenCame), number(r.Came.Total), number(r.HiddenWent), number(r.Went.Total), number(r.Renumbered.Total))
	}
	switch {
	case r.LeftOut > 0 && r.ContextSensitive:
		say("%s records that are not context-sensitive are left out: compare them without --cs", number(r.LeftOut))
	case r.LeftOut > 0:
		say("%s context-sensitive records are left out: compare them with --cs", number(r.LeftOut))
	}
	if r.MarkedA > 0 || r.MarkedB > 0 {
		say("%s functions of A and %s of B are marked as hot or warm and have no counts to compare", number(r.MarkedA),
			number(r.MarkedB))
	}
	if parts := uncompared(r, count); len(parts) > 0 {
		say("not compared: %s", strings.Join(parts, ", "))
	}
	if r.NoLoaders != "" {
		say("matched by name: %s names no class loaders, the other does; a class that several loaders have there has no "+
			"partner", escape.Printable(r.NoLoaders))
	}
	return append(list, LoaderRemarks(r.Loaders)...)
}

// uncompared lists the parts that have no score, with one number if both archives have equally many.
func uncompared(r *compare.Report, count func(float64) string) (parts []string) {
	for _, u := range r.NotCompared {
		n := count(float64(u.A))
		if u.A != u.B {
			n += " and " + count(float64(u.B))
		}
		parts = append(parts, n+" "+u.What)
	}
	return parts
}

const shownDoubts = 5

func LoaderRemarks(doubts []loaders.Doubt) (list []string) {
	for _, d := range doubts[:min(len(doubts), shownDoubts)] {
		what := fmt.Sprintf("none of the %d class loaders %s of the one is among the %d of the other", len(d.A),
			escape.Printable(d.Loader), len(d.B))
		if d.Numbered {
			what = fmt.Sprintf("class loaders %s are the same by number alone, which may be of others in the other run",
				escape.Printable(d.Loader))
		}
		list = append(list, "doubt: "+what)
	}
	if n := len(doubts) - shownDoubts; n > 0 {
		list = append(list, fmt.Sprintf("doubt: the same of the class loaders of %d more names", n))
	}
	return list
}

// CompareStores compares b with a like compare.Stores, and also counts the samples, which are not compared.
func CompareStores(ctx context.Context, a, b *reader.Store, o compare.Options) (*compare.Report, error) {
	r, err := compare.Stores(ctx, a, b, o)
	if err != nil {
		return nil, err
	}
	for i := range r.NotCompared {
		if u := &r.NotCompared[i]; u.Table == schema.TableSamples {
			var errA, errB error
			_, u.A, errA = facts.CountSamples(a)
			_, u.B, errB = facts.CountSamples(b)
			u.What, err = "samples", errors.Join(errA, errB)
		}
	}
	return r, err
}

type CheckOrigin struct {
	Elements []CheckElement `json:"elements"`
	VM       string         `json:"vm"`  // recorded build
	JDK      string         `json:"jdk"` // home of a JDK of that build; "" if not found
}

type CheckElement struct {
	Path  string       `json:"path"`
	State ElementState `json:"state"`
}

// An ElementState describes the file now at the path of an element.
type ElementState string

// The states.
const (
	ElementSame    ElementState = "same"    // content as recorded
	ElementChanged ElementState = "changed" // other content, or the recorded content is unknown
	ElementMissing ElementState = "missing" // neither a file nor a folder
)

const shownElements = 5

func (o *CheckOrigin) Text() string {
	names := map[ElementState][]string{}
	for _, e := range o.Elements {
		names[e.State] = append(names[e.State], e.Path)
	}
	text := fmt.Sprintf("elements of the recorded class path: %d, with the recorded content %d", len(o.Elements),
		len(names[ElementSame]))
	for _, state := range []ElementState{ElementChanged, ElementMissing} {
		if all := names[state]; len(all) > 0 {
			text += fmt.Sprintf(", %s %d (%s)", elementTexts[state], len(all),
				escape.Printable(cli.Enumerated(all, shownElements)))
		}
	}
	if o.JDK == "" {
		return text + "; the JDK is not checked, since none of its build was found: name it and the class path with --against"
	}
	return text + "; the JDK is that of " + escape.Printable(o.JDK)
}

var elementTexts = map[ElementState]string{ElementChanged: "with another", ElementMissing: "not here"}

func (r *Check) OriginRemarks() (list []string) {
	if r.Origin != nil {
		list = append(list, r.Origin.Text())
	}
	if len(r.Missing) > 0 {
		list = append(list, "left out, as a JVM does: there is no "+
			escape.Printable(cli.Enumerated(r.Missing, shownElements)))
	}
	return list
}
