package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var linesView = &view{
	name:  "lines",
	title: "Lines",
	about: "The hottest lines of source of the whole archive: of samples all, of counts those in the hottest methods.",
	offered: func(s *Site) bool {
		d := s.Archive.Header().Domain
		return d == layout.DomainSampled || d.LLVM() && s.Binary != "" || d == layout.DomainHotSpot && len(s.ClassPath) > 0
	},
	build: buildLines,
}

// Limits of the page of lines. Reading the code of a method takes about a millisecond.
const (
	methodsWithLines = 200
	linesListed      = 1000
)

type linesPage struct {
	Says  string
	Lines *table
}

type hotLine struct {
	method reader.Method
	number int
	at     string // file:number
	count  uint64
	total  uint64 // samples in the line, including callees
	text   string
}

type hotLines struct {
	list []hotLine
	sum  uint64
	of   int // number of methods read
}

func buildLines(r *request) (any, error) {
	noun := "count"
	sampled := r.archive().Header().Domain == layout.DomainSampled
	found := &hotLines{}
	var err error
	if sampled {
		found, noun, err = sampledLines(r)
	} else {
		found, err = countedLines(r)
	}
	if err != nil {
		return nil, err
	}
	p := &linesPage{Says: r.inTerms(fmt.Sprintf("Of the lines of the %s methods with the highest counts.",
		cli.Grouped(uint64(found.of))))}
	columns := []column{{Key: "line", Name: "Line"}, {Key: "method", Name: "Method"}, numberColumn("count", "Count"),
		numberColumn("share", "Share")}
	if sampled {
		p.Says, columns[2].Name = "Self is what was sampled on a line itself, total with what it called.", "Self"
		columns = append(columns, numberColumn("total", "Total"))
	}
	withText := slices.ContainsFunc(found.list, func(l hotLine) bool { return l.text != "" })
	if withText {
		columns = append(columns, textColumn("text", "Source"))
	} else {
		p.Says += " --source-path names the folders with their text."
	}
	p.Lines = newTable(r, "lines", "Hottest lines", columns...)
	p.Lines.Titled = true
	for _, l := range found.list {
		of, err := methodLink(r.archive(), l.method)
		if err != nil {
			return nil, err
		}
		at := of.atElement(lineElement(l.number))
		at.Text = l.at
		cells := []cell{linkCell(at), linkCell(of), amountCell(l.count, noun+"s"), shareCell(cli.Share(l.count, found.sum))}
		if sampled {
			cells = append(cells, amountCell(l.total, noun+"s"))
		}
		if withText {
			cells = append(cells, textCell(shortenLine(strings.TrimSpace(l.text))))
		}
		p.Lines.addTableRow(cells...)
	}
	p.Lines.finishRows()
	return p, nil
}

func sampledLines(r *request) (*hotLines, string, error) {
	all, err := samplesOf(r)
	if err != nil {
		return nil, "", err
	}
	h, err := resultOf(r, "the lines with the most samples",
		func(_ context.Context, s *Site, _ *Progress) (*hotLines, error) {
			return readSampledLines(s.Archive, all)
		})
	return h, strings.TrimSuffix(string(all.Unit), "s"), err
}

func readSampledLines(s *reader.Store, all *listing.Samples) (*hotLines, error) {
	h := &hotLines{sum: all.Sum}
	for _, l := range all.HottestLines(linesListed) {
		m, err := s.MethodAt(l.Method)
		if err != nil {
			return nil, err
		}
		of, err := all.OfMethod(m)
		if err != nil {
			return nil, err
		}
		number := all.Line(l.Method, l.Point)
		line := hotLine{m, int(number), all.At(of, number), l.Self, l.Total, ""}
		at := slices.IndexFunc(of.Lines, func(text listing.SampledLine) bool { return text.Number == number })
		if at >= 0 {
			line.text = of.Lines[at].Text
		}
		h.list = append(h.list, line)
	}
	return h, nil
}

func countedLines(r *request) (*hotLines, error) {
	t, err := tallyOf(r)
	if err != nil || len(t.measures) == 0 {
		return &hotLines{}, err
	}
	hottest := t.measures[0].ranked
	hottest = hottest[:min(len(hottest), methodsWithLines)]
	return resultOf(r, "the lines of the hottest methods", func(ctx context.Context, _ *Site,
		p *Progress) (*hotLines, error) {
		within := *r
		h := &hotLines{of: len(hottest)}
		steps := poll.New(ctx)
		within.ctx, within.patience = ctx, -1
		for i, n := range hottest {
			m, err := t.store.MethodAt(t.methods[n])
			err = cmp.Or(err, steps.Err())
			if err == nil {
				err = h.addMethod(&within, m)
			}
			if err != nil {
				return nil, err
			}
			p.setSteps(uint64(i), uint64(h.of))
		}
		slices.SortStableFunc(h.list, func(a, b hotLine) int { return cmp.Compare(b.count, a.count) })
		h.list = h.list[:min(len(h.list), linesListed)]
		return h, nil
	})
}

func (h *hotLines) addMethod(r *request, m reader.Method) error {
	if r.archive().Header().Domain.LLVM() {
		return h.addFunction(r, m)
	}
	code, err := programOf(r)
	if err != nil || code.err != nil {
		return err
	}
	all, err := profilesOf(m)
	if err != nil {
		return err
	}
	l, err := code.classes.ListMethod(m, ofOneVersion(all)...)
	if err != nil || !l.HasCounts() {
		return err
	}
	highest := map[int]uint64{}
	for _, i := range l.Instructions {
		if i.Line > 0 && i.Basis != listing.NotKnown {
			highest[i.Line] = max(highest[i.Line], i.Count)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(highest)) {
		text := ""
		if s := l.Source; s != nil && number <= len(s.Lines) {
			text = s.Lines[number-1].Text
		}
		h.addHotLine(hotLine{m, number, fmt.Sprintf("%s:%d", l.SourceFile, number), highest[number], 0, text})
	}
	return nil
}

func (h *hotLines) addFunction(r *request, m reader.Method) error {
	c, err := coverageOf(r)
	if err != nil || c.reason != nil {
		return err
	}
	f, err := c.Function(m)
	all, readErr := profilesOf(m)
	if err != nil || readErr != nil || !hasCode(all, f.Hash) {
		return nil // its page explains why it has no lines
	}
	list := coverage.Sources(r.site.SourcePath).List(f.View(), false)
	for _, l := range list.Lines {
		if l.Mapped {
			h.addHotLine(hotLine{m, l.Number, fmt.Sprintf("%s:%d", path.Base(list.File), l.Number), l.Count, 0, l.Text})
		}
	}
	return nil
}

func (h *hotLines) addHotLine(l hotLine) {
	if l.count > 0 {
		h.list, h.sum = append(h.list, l), schema.AddCounts(h.sum, l.count)
	}
}
