package pages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
)

const instructionsOnPage = 1500

type codePart struct {
	ID           string
	Source       *sourceTable // may be nil
	Says         string       // how the code matches the profile
	Good         bool         // counts are displayed with the code
	Problem      string
	Instructions []instruction
	MoreCode     int  // number of hidden instructions
	Brief        bool // only bytecodes with executed points are shown
	Unplaced     []*point
}

type instruction struct {
	ID       string
	Bci      int
	Text     string // mnemonic and operands
	Ref      link   // the constant in the operand
	RefAbout string // the constant as javap prints it
	Detail   string // number of cases of a switch
	Count    string // empty if unknown
	Heat     string
	Source   *link // link to the line
	Points   []*point

	NotInlined *listing.Refusal
}

func bciElement(bci int) string { return fmt.Sprintf("bci-%d", bci) }

func lineElement(line int) string { return fmt.Sprintf("line-%d", line) }

type program struct {
	classes *listing.Program
	err     error
}

func (p *program) Close() { p.classes.Close() }

func programOf(r *request) (*program, error) {
	if len(r.site.ClassPath) == 0 {
		return nil, nil
	}
	return resultOf(r, "the class path", func(_ context.Context, s *Site, _ *Progress) (*program, error) {
		classes, err := listing.Open(s.ClassPath, s.SourcePath, int(s.Archive.Header().Params.VMRelease))
		return &program{classes, err}, nil
	})
}

func (p *methodPage) addCodePart(b *pointBuilder) {
	switch {
	case p.program != nil && p.program.err != nil:
		p.NoCode = p.request.withoutFileFolders(p.program.err.Error())
	case p.code == nil:
	case len(p.code.Instructions) == 0:
		p.NoCode = p.request.withoutFileFolders(matchText(p.code))
	default:
		c := b.buildCodePart(p.code)
		p.addHottest(c.Source, countText)
		p.Code = append(p.Code, c)
	}
}

func matchText(l *listing.Listing) string {
	text := capitalized(l.Match.Text()) + "."
	if l.Match == listing.NoClass && l.Problem != "" {
		text += " " + l.Problem
	}
	return text
}

func (b *pointBuilder) buildCodePart(l *listing.Listing) *codePart {
	c := &codePart{ID: b.request.elementID("code"), Says: b.request.withoutFileFolders(matchText(l)), Good: l.HasCounts(),
		Problem: b.request.withoutFileFolders(l.Problem)}
	shown := l.Instructions[:min(len(l.Instructions), instructionsOnPage)]
	c.MoreCode = len(l.Instructions) - len(shown)
	c.Brief = b.request.inReport
	if c.Brief {
		shown = slices.DeleteFunc(slices.Clone(shown), saysNothing)
	}
	b.lastLine = lastLine(l.Source)
	b.bcis = map[int]bool{}
	for i := range shown {
		b.bcis[shown[i].Bci] = true
	}
	for i := range shown {
		c.Instructions = append(c.Instructions, b.buildInstruction(&shown[i]))
	}
	if l.HasCounts() {
		for i := range l.Unplaced {
			c.Unplaced = append(c.Unplaced, b.buildPoint(&l.Unplaced[i], nil))
		}
	}
	c.Source = b.buildSourceTable(l.Source)
	return c
}

func saysNothing(i listing.Instruction) bool {
	return i.NotInlined == nil && (len(i.Points) == 0 || i.Basis == listing.Counted && i.Count == 0)
}

func (b *pointBuilder) buildInstruction(i *listing.Instruction) instruction {
	shown := instruction{ID: b.request.elementID(bciElement(i.Bci)), Bci: i.Bci,
		Text: strings.TrimSpace(i.Mnemonic + " " + i.Operands), Count: i.Basis.CountText(i.Count, cli.Grouped),
		NotInlined: i.NotInlined}
	if i.Basis != listing.NotKnown {
		shown.Heat = heatStepClass(i.Heat)
	}
	if i.Ref != nil {
		shown.Ref = link{Text: bytecodeRefText(i.Ref, b.request.archive().Header().Domain)}
		if !b.request.inReport {
			shown.RefAbout = i.Ref.Kind + " " + shortenLine(i.Ref.Text)
		}
		if l, ok := b.linkToCalled(i.Ref, ""); ok {
			l.Text = shown.Ref.Text
			shown.Ref = l
		}
	}
	if len(i.Labels) > 0 {
		shown.Detail = pluralText(uint64(len(i.Labels)), "case")
	}
	if i.Line > 0 && i.Line <= b.lastLine {
		shown.Source = b.request.linkToElement(fmt.Sprint(i.Line), lineElement(i.Line)).optional()
	}
	for k := range i.Points {
		shown.Points = append(shown.Points, b.buildPoint(&i.Points[k], i.Ref))
	}
	return shown
}

func bytecodeRefText(ref *listing.Ref, d layout.Domain) string {
	return shortenLine(ref.DisplayText(display.Spelling{Short: true}, d))
}

func (b *pointBuilder) buildSourceTable(s *listing.Source) *sourceTable {
	end := lastLine(s)
	if end == 0 {
		return nil
	}
	t := &sourceTable{File: b.request.withoutFolders(s.File), Short: s.Short,
		More: max(min(s.Last+linesAround, len(s.Lines))-end, 0)}
	for at := firstLine(s); at <= end; at++ {
		t.Lines = append(t.Lines, b.buildSourceLine(at, &s.Lines[at-1]))
	}
	return t
}

func firstLine(s *listing.Source) int { return max(s.First-linesAround, 1) }

// lastLine returns the last displayed line, or 0 without a source.
func lastLine(s *listing.Source) int {
	if s == nil || s.First == 0 {
		return 0
	}
	return min(s.Last+linesAround, len(s.Lines), firstLine(s)+linesOnPage-1)
}

func (b *pointBuilder) buildSourceLine(at int, l *listing.Line) sourceLine {
	shown := sourceLine{number: at, count: l.Count, At: link{Text: fmt.Sprint(at)}, Text: shortenLine(l.Text),
		Count: l.Basis.CountText(l.Count, cli.Grouped)}
	if l.Basis != listing.NotKnown {
		shown.Heat = heatStepClass(l.Heat)
	}
	if len(l.Bcis) > 0 {
		shown.ID = b.request.elementID(lineElement(at))
		first := b.linkToBytecode(l.Bcis[0])
		first.Text = shown.At.Text
		shown.At = first
	}
	return shown
}

// heatStepClass returns the CSS class of a heat from 0 to 1, on a logarithmic scale.
func heatStepClass(heat float64) string {
	return fmt.Sprintf("heat-%d", int(min(max(heat, 0), 1)*(heatSteps-1)+0.5))
}

// Limits of the displayed sources.
const (
	linesOnPage = 1500
	linesAround = 2 // source lines before and after the method
	lineLength  = 400
)

type sourceTable struct {
	File     string // empty if unknown
	Short    bool   // the file has fewer lines than the code expects, so it is another version
	WithSelf bool   // lines also have counts without callees
	Lines    []sourceLine
	More     int // number of hidden lines
}

type sourceLine struct {
	ID          string
	At          link // line number
	Self, Count string
	Heat        string
	Text        string
	After       bool     // lines before it are hidden
	Branches    []*point // conditions that begin in the line, with their outcomes

	number int
	count  uint64
}

func shortenLine(text string) string {
	if letters := []rune(text); len(letters) > lineLength {
		return string(letters[:lineLength]) + " ..."
	}
	return text
}
