package show

import (
	"cmp"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

type lazySamples func() (*listing.Samples, error)

func newLazySamples(s *reader.Store, path string) lazySamples {
	return sync.OnceValues(func() (*listing.Samples, error) {
		return listing.ReadSamples(s, filepath.SplitList(path))
	})
}

const callsShown = 20

func (p *profilePrinter) printSampled(m reader.Method) bool {
	all, err := p.samples()
	if err != nil {
		p.err = err
		return false
	}
	f, err := all.OfMethod(m)
	if err != nil || f.Total == 0 {
		p.err = err
		return false
	}
	unit := all.Unit.Named(p.s)
	count := p.screen.FormatCount
	fmt.Fprintf(p.w, "  %s of %s, %s; %s in it alone, %s\n", unit.Short(f.Total, count), unit.Text(all.Sum, count),
		percentText(f.Total, all.Sum), unit.Short(f.Self, count), percentText(f.Self, all.Sum))
	p.printSampledLines(all, f)
	p.printCalls("called by", all, f.Callers)
	p.printCalls("calls", all, f.Callees)
	if f.Contexts > 0 && !p.contexts {
		fmt.Fprintf(p.w, "  %s, see --contexts\n", cli.Amount(f.Contexts, "calling context"))
	}
	return true
}

func percentText(part, whole uint64) string { return fmt.Sprintf("%.1f%%", 100*cli.Share(part, whole)) }

func (p *profilePrinter) printSampledLines(all *listing.Samples, f *listing.Sampled) {
	if f.Problem != "" {
		fmt.Fprintf(p.w, "  %s\n", escape.Printable(f.Problem))
	}
	place := f.File
	if place == "" {
		place = all.PointWord()
	}
	fmt.Fprintf(p.w, "  self and total by %s\n", escape.Printable(place))
	text := func(n uint64) string {
		if n == 0 {
			return ""
		}
		return all.Unit.Short(n, p.screen.FormatCount)
	}
	for _, l := range f.Lines {
		if l.After {
			fmt.Fprintln(p.w, "    ...")
		}
		printLine(p.w, p.screen, "  ", 2*unitWidth+1, countedLine{int(l.Number),
			fmt.Sprintf("%*s %*s", unitWidth, text(l.Self), unitWidth, text(l.Total)), cli.Share(l.Total, f.Total), l.Text})
	}
}

const unitWidth = 8

func (p *profilePrinter) printCalls(title string, all *listing.Samples, list []facts.SampledCall) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(p.w, "  %s\n", title)
	t := terminal.NewTable(p.screen, p.w)
	for _, c := range list[:min(len(list), callsShown)] {
		name := "a function without a name"
		if m, err := p.s.MethodAt(c.Other); err == nil {
			name = cmp.Or(p.methodName(m), name)
		}
		t.AddRow([]string{all.Unit.Short(c.Total, p.screen.FormatCount), percentText(c.Total, all.Sum)},
			c.Total, name, "")
	}
	t.Print()
	if left := len(list) - callsShown; left > 0 {
		fmt.Fprintf(p.w, "  and %d more\n", left)
	}
}
