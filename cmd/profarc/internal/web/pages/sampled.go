package pages

import (
	"context"
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/cli"
)

type sampledPart struct {
	*listing.Sampled
	Self, Total, Sum string // samples of the method, with callees, and of all stacks
	Share            float64
	Source           sourceTable
	Callers, Callees *table
	Contexts         *link // page of the calling contexts of the samples, or nil
	Whole            bool  // the page shows only this part
}

const callsInReport = 12

func samplesOf(r *request) (*listing.Samples, error) {
	return resultOf(r, "the samples of all methods",
		func(_ context.Context, s *Site, _ *Progress) (*listing.Samples, error) {
			return listing.ReadSamples(s.Archive, s.SourcePath)
		})
}

func (p *methodPage) addSamples() (err error) {
	r := p.request
	all := p.samples
	found := p.sampled
	noun := string(all.Unit)
	s := &sampledPart{Sampled: found, Sum: all.Unit.Text(all.Sum, cli.Grouped), Share: cli.Share(found.Total, all.Sum),
		Self: all.Unit.Text(found.Self, cli.Grouped), Total: all.Unit.Text(found.Total, cli.Grouped)}
	s.Problem = r.withoutFileFolders(found.Problem)
	s.Source = sourceTable{File: r.withoutFolders(found.File), WithSelf: true}
	for _, l := range found.Lines {
		s.Source.Lines = append(s.Source.Lines, sampledLine(r, all, found, l))
	}
	s.Callers, err = callTable(r, "callers", "Callers", noun, found.Callers, all.Sum)
	if err != nil {
		return err
	}
	s.Callees, err = callTable(r, "callees", "Callees", noun, found.Callees, all.Sum)
	if err != nil {
		return err
	}
	s.Whole = p.onlySamples
	if s.Whole && found.Contexts > 0 {
		s.Contexts = linkToPage(pluralText(uint64(found.Contexts), "calling context"), nameOfMethod,
			r.query.withValues("contexts", "more")).optional()
	}
	p.Top = []link{{Text: fmt.Sprintf("%s of %s (%s)", s.Total, s.Sum, percentText(s.Share))},
		{Text: s.Self + r.inTerms(" in the method itself")}}
	p.addHottest(&s.Source, func(n uint64) string { return all.Unit.Text(n, cli.Grouped) })
	p.Sampled = s
	return p.addAssembly(&s.Source)
}

func sampledLine(r *request, all *listing.Samples, of *listing.Sampled, l listing.SampledLine) sourceLine {
	shown := sourceLine{ID: r.elementID(lineElement(int(l.Number))), At: link{Text: all.At(of, l.Number)},
		Text: shortenLine(l.Text), After: l.After, number: int(l.Number), count: l.Total}
	if l.Self > 0 {
		shown.Self = all.Unit.Short(l.Self, cli.Grouped)
	}
	if l.Total > 0 {
		shown.Count, shown.Heat = all.Unit.Short(l.Total, cli.Grouped), heatClass(cli.Share(l.Total, of.Total))
	}
	return shown
}

func callTable(r *request, id, title, noun string, calls []facts.SampledCall, whole uint64) (*table, error) {
	t := newTable(r, id, title, textColumn("method", "Method"), numberColumn("total", "Total"),
		numberColumn("share", "Share of all"))
	if r.inReport {
		t.rows = callsInReport
	}
	for _, c := range calls {
		l := link{Text: noFrameMethod}
		if m, err := r.archive().MethodAt(c.Other); c.Other != 0 {
			if err == nil {
				l, err = methodLink(r.archive(), m)
			}
			if err != nil {
				return nil, err
			}
		}
		t.addTableRow(linkCell(l), amountCell(c.Total, noun), shareCell(cli.Share(c.Total, whole)))
	}
	return t.finishUnlessEmpty(), nil
}
