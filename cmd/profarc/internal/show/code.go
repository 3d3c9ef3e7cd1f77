package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func openProgram(classPath, sourcePath string, s *reader.Store) (*listing.Program, error) {
	if classPath == "" {
		return nil, nil
	}
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		return nil, fmt.Errorf("--class-path %s: profiles of domain %s do not say which bytecodes they are of",
			escape.Printable(classPath), d)
	}
	return listing.Open(classfile.SplitPath(classPath), classfile.SplitPath(sourcePath), int(s.Header().Params.VMRelease))
}

func (p *profilePrinter) profileListing(q reader.Profile) *listing.Listing {
	if p.program == nil {
		return nil
	}
	m, err := q.Method()
	var l *listing.Listing
	if err == nil {
		l, err = p.program.ListMethod(m, q)
	}
	p.err = cmp.Or(p.err, err)
	return l
}

func (p *profilePrinter) printCodeNotes(l *listing.Listing) {
	if l.Match != listing.Same {
		p.printNote(l.Match.Text())
	}
	if l.Problem != "" {
		p.printNote(escape.Printable(l.Problem))
	}
	switch {
	case !l.HasCounts():
	case l.Source == nil && l.SourceFile == "":
		p.printNote("no source: the class was compiled without its name")
	case l.Source == nil:
		p.printNote("no source: name the folder or jar that has " + escape.Printable(l.SourceFile) + " with --source-path")
	default:
		p.printNote("source " + escape.Printable(l.Source.File))
		if l.Source.Short {
			p.printNote("it ends before the last line of the code: the class was compiled from another version of it")
		}
	}
}

func (p *profilePrinter) printNote(text string) { fmt.Fprintf(p.w, "  %s\n", text) }

// codeInset is the width of the line and count columns before the bytecodes.
const codeInset = 1 + numberWidth + 1 + executedWidth + 1

// executedWidth is the width of the count column, including ~ for derived counts.
const executedWidth = 11

func (p *profilePrinter) printCode(l *listing.Listing) {
	indent := p.indent
	p.inset = codeInset
	p.indent = indent + codeInset
	line := 0
	for k := range l.Instructions {
		i := &l.Instructions[k]
		if i.Line != line && l.Source != nil && i.Line > 0 && i.Line <= len(l.Source.Lines) {
			source := &l.Source.Lines[i.Line-1]
			printLine(p.w, p.screen, " ", executedWidth, countedLine{strconv.Itoa(i.Line),
				source.Basis.CountText(source.Count, plainNumber), source.Heat, source.Text})
		}
		number := ""
		if l.Source == nil && i.Line != line && i.Line > 0 {
			number = strconv.Itoa(i.Line)
		}
		line = i.Line
		p.printInstruction(number, i)
		p.printEntries(i.Points)
		p.printRefusal(i.NotInlined)
	}
	p.inset, p.indent = 0, indent
	p.printEntries(l.Unplaced)
}

func (p *profilePrinter) printRefusal(r *listing.Refusal) {
	if r != nil {
		indent := strings.Repeat(" ", p.indent+pointWidth+2)
		fmt.Fprintf(p.w, "%snot inlined: %s\n%s  to change it: %s\n", indent, escape.Printable(r.Why), indent, r.Change)
	}
}

func (p *profilePrinter) printEntries(points []analyze.Point) {
	for i := range points {
		if !points[i].Extra {
			p.printPoint(&points[i])
		}
	}
}

func (p *profilePrinter) printInstruction(number string, i *listing.Instruction) {
	front := fmt.Sprintf(" %*s|%*s|", numberWidth, number, executedWidth, i.Basis.CountText(i.Count, plainNumber))
	text := strings.TrimRight(fmt.Sprintf("%*d  %-*s %s", pointWidth, i.Bci, kindWidth, i.Mnemonic, p.operandText(i)), " ")
	p.screen.PaintText(p.w, heatColor(i.Heat, i.Basis != listing.NotKnown), front)
	fmt.Fprintln(p.w, p.screen.CutTail(text, codeInset))
}

func (p *profilePrinter) operandText(i *listing.Instruction) string {
	text := i.Operands
	if len(i.Labels) > 0 || len(i.Targets) > 0 && text == "" {
		text = switchText(i)
	}
	if i.Ref != nil {
		text = strings.TrimPrefix(text+", "+p.constantText(i.Ref), ", ")
	}
	return text
}

func switchText(i *listing.Instruction) string {
	var b strings.Builder
	for k, label := range i.Labels {
		fmt.Fprintf(&b, "%d: %d, ", label, i.Targets[k+1])
	}
	fmt.Fprintf(&b, "default: %d", i.Targets[0])
	return b.String()
}

func (p *profilePrinter) constantText(r *listing.Ref) string {
	if p.screen.Spelling.Raw {
		return r.Kind + " " + escape.Printable(r.Text)
	}
	return escape.Printable(r.DisplayText(p.screen.Spelling, p.s.Header().Domain))
}

type methodListingJSON struct {
	Method   analyze.MethodName `json:"method"`
	Profiles []codeListing      `json:"profiles"`
}

type codeListing struct {
	Code    string `json:"code"` // id of the profiled code
	InClass string `json:"code_on_class_path"`
	*listing.Listing
}

func (o *showOptions) listJSON(w io.Writer, s *reader.Store, methods iter.Seq2[reader.Method, error]) error {
	program, err := openProgram(o.classPath, o.source.path, s)
	if err != nil {
		return err
	}
	defer program.Close()
	between := "["
	for m, err := range methods {
		if err != nil {
			return err
		}
		one, err := methodListings(program, s, m)
		if err != nil {
			return err
		}
		text, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n%s", between, text); err != nil {
			return err
		}
		between = ","
	}
	_, err = fmt.Fprintln(w, "\n]")
	return err
}

func methodListings(program *listing.Program, s *reader.Store, m reader.Method) (one methodListingJSON, err error) {
	one.Method, err = analyze.NameOf(s, m)
	if err != nil {
		return one, err
	}
	one.Profiles = []codeListing{}
	for q := range poll.Values(m.Profiles(), &err) {
		l, err := program.ListMethod(m, q)
		if err != nil {
			return one, err
		}
		one.Profiles = append(one.Profiles, codeListing{display.IDText(q.Code()), display.IDText(l.CodeID), l})
	}
	return one, err
}
