package show

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// showInContext prints the profile of a method in a calling context. The number of matched callers is not part of the
// JSON of a method, and goes to notes.
func (o *showOptions) showInContext(ctx context.Context, w, notes io.Writer, s *reader.Store, key string,
	sites []methods.CallSite) error {
	m, errM := o.findSingle(ctx, s, key)
	c, errC := methods.NewCallContext(s, sites)
	if err := cmp.Or(errM, errC); err != nil {
		return err
	}
	match, err := c.FindProfile(m)
	switch {
	case errors.Is(err, reader.ErrNotFound):
		return methods.NoProfileError(s, key)
	case errors.Is(err, reader.ErrAmbiguous):
		return severalVersionsError(s, key)
	case err != nil:
		return err
	case o.json:
		lines, err := match.Describe(s)
		for _, line := range lines {
			fmt.Fprintln(notes, line)
		}
		return errors.Join(err, jsondump.WriteProfile(w, s, m, match.Profile))
	}
	program, err := openProgram(o.classPath, o.source.path, s)
	if err != nil {
		return err
	}
	defer program.Close()
	return newPrinter(w, s, o.screen, nil, program).printInContext(m, match)
}

func severalVersionsError(s *reader.Store, key string) error {
	return fmt.Errorf("%s: %s has profiles of several versions of its code there: see them all with profarc show %s, "+
		"without callers", s.Mapping().Name(), key, s.Mapping().Name())
}

func (o *showOptions) findSingle(ctx context.Context, s *reader.Store, key string) (found reader.Method, err error) {
	found, err = methods.FindDisplayed(s, key, o.loader)
	if !errors.Is(err, reader.ErrNotFound) {
		return found, err
	}
	sel := methods.Selection{Whole: match.New(key)}
	for m, err := range sel.Methods(ctx, s) {
		if err != nil {
			return m, err
		}
		if found.Valid() {
			return m, cli.Usagef("%s: several methods are named like that: callers belong to one, name it with its whole key",
				key)
		}
		found = m
	}
	if !found.Valid() {
		return found, methods.MissingError(s, key, o.loader)
	}
	return found, nil
}

func (p *profilePrinter) printInContext(m reader.Method, match *methods.ContextMatch) error {
	lines, err := match.Describe(p.s)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.w, "%s%s\n  id %s%s\n", display.AccessText(m.Access()), p.methodName(m), display.IDText(m.ID()),
		methodNotes(m))
	for _, line := range lines {
		fmt.Fprintf(p.w, "  %s\n", line)
	}
	p.printProfile(match.Profile)
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

func (p *profilePrinter) compilerFacts(q reader.Profile) string {
	facts := listing.CompilerFacts(q, plainNumber)
	for reason, n := range q.TrapHistory() {
		if n > 0 {
			facts = append(facts, listing.Fact{Name: "traps of " + p.trapReasons().Name(reason), Value: fmt.Sprint(n)})
		}
	}
	return listing.FactsText(facts)
}

func plainNumber(n uint64) string { return strconv.FormatUint(n, 10) }

// Widths of the columns point and kind.
const (
	pointWidth = 7
	kindWidth  = 15
)

type profilePrinter struct {
	w      *bufio.Writer
	s      *reader.Store
	begin  string // beginning of the entry's first line
	indent int    // indentation of its other lines
	err    error

	function  reader.Method // function of the profile
	locations func() (*sample.Locations, error)

	points      analyze.PointReader
	reasons     *entries.TrapReasons  // read on first use
	callers     map[layout.Ref]string // names of callers, by method
	samples     lazySamples
	contexts    bool // print calling contexts of sampled functions
	screen      *terminal.Screen
	program     *listing.Program
	inset       int                  // columns before the points of bytecodes
	allocations *listing.Allocations // read on first use
	source      *llvmSource          // nil without --binary
}

func newPrinter(w io.Writer, s *reader.Store, screen *terminal.Screen, samples lazySamples,
	program *listing.Program) *profilePrinter {
	if screen == nil {
		screen = &terminal.Screen{Domain: s.Header().Domain}
	}
	return &profilePrinter{w: bufio.NewWriter(w), s: s, locations: sync.OnceValues(func() (*sample.Locations, error) {
		return sample.ReadLocations(s)
	}), screen: screen, indent: pointWidth + kindWidth, samples: samples,
		program: program}
}

func (p *profilePrinter) trapReasons() *entries.TrapReasons {
	if p.reasons == nil {
		reasons, err := entries.TrapReasonsOf(p.s)
		p.err = cmp.Or(p.err, err)
		p.reasons = &reasons
	}
	return p.reasons
}

func (p *profilePrinter) printAndFlush(m reader.Method) error {
	p.callers = nil
	p.printMethod(m)
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

func PrintMethod(w io.Writer, s *reader.Store, m reader.Method) error {
	return newPrinter(w, s, nil, newLazySamples(s, ""), nil).printAndFlush(m)
}

func (p *profilePrinter) printMethod(m reader.Method) {
	name := p.methodName(m)
	if p.err != nil {
		return
	}
	fmt.Fprintf(p.w, "%s%s\n", display.AccessText(m.Access()), name)
	fmt.Fprintf(p.w, "  id %s%s\n", display.IDText(m.ID()), methodNotes(m))
	sampled := p.printSampled(m)
	if sampled && p.s.Header().Domain == layout.DomainSampled && !p.contexts {
		return // the lines include the counts of its contexts
	}
	profiles := 0
	for q, err := range m.Profiles() {
		if err != nil {
			p.err = err
			return
		}
		profiles++
		p.printProfile(q)
		// The output of a method's contexts can grow with the square of their number, so stop when the writer fails.
		if _, err := p.w.Write(nil); err != nil {
			p.err = err
			return
		}
	}
	p.printAllocations(m)
	if profiles == 0 && !sampled && !m.Unexecuted() {
		fmt.Fprintln(p.w, "  no profile")
	}
}

func methodNotes(m reader.Method) (notes string) {
	for _, note := range listing.MethodNotes(m) {
		notes += ", " + note
	}
	return notes
}

func (p *profilePrinter) printProfile(q reader.Profile) {
	if p.s.Header().Domain.LLVM() {
		p.printLLVMProfile(q)
		return
	}
	p.printContext(q)
	m, err := q.Method()
	p.err = cmp.Or(p.err, err)
	p.function = m
	for _, facts := range []string{listing.FactsText(listing.ProfileFacts(q, plainNumber)), p.compilerFacts(q)} {
		if facts != "" {
			fmt.Fprintf(p.w, "  %s\n", facts)
		}
	}
	first := schema.SectionData
	if l := p.profileListing(q); l != nil {
		if p.printCodeNotes(l); l.HasCounts() {
			p.printCode(l)
			first++
		}
	}
	for section := first; section < schema.SectionDirectory; section++ {
		points := p.sectionPoints(q, section)
		if len(points) > 0 && section != schema.SectionData {
			fmt.Fprintf(p.w, "  %s\n", section)
		}
		for i := range points {
			p.printPoint(&points[i])
		}
	}
}

func (p *profilePrinter) sectionPoints(q reader.Profile, section schema.BlockSection) []analyze.Point {
	points, err := p.points.Section(q, section)
	p.err = cmp.Or(p.err, err)
	return points
}

func (p *profilePrinter) printContext(q reader.Profile) {
	c, inContext, err := q.Context()
	if err != nil {
		p.err = err
		return
	}
	if q.Code() != 0 {
		fmt.Fprintf(p.w, "  code %s\n", display.IDText(q.Code()))
	}
	if !inContext {
		return
	}
	frames, err := c.Frames()
	if err != nil {
		p.err = err
		return
	}
	for i, f := range frames {
		by := "called by"
		if i > 0 {
			by = "       by"
		}
		fmt.Fprintf(p.w, "  %s %s at %s\n", by, p.callerName(f.Caller), p.pointText(f.Caller, f.Point))
	}
}

// pointText returns the number of a point, or line and discriminator in sample profiles of LLVM.
func (p *profilePrinter) pointText(of reader.Method, point int32) string {
	if p.s.Header().Domain != layout.DomainSampled {
		return strconv.Itoa(int(point))
	}
	l, errL := p.locations()
	name, errN := of.Name()
	p.err = cmp.Or(p.err, errL, errN)
	return l.Text(name.String(), point)
}

func (p *profilePrinter) callerName(m reader.Method) string {
	name, ok := p.callers[m.Ref()]
	if !ok {
		if p.callers == nil {
			p.callers = map[layout.Ref]string{}
		}
		name = p.methodName(m)
		p.callers[m.Ref()] = name
	}
	return name
}

func (p *profilePrinter) methodName(m reader.Method) string {
	if !m.Valid() {
		return "none"
	}
	k, err := m.Key()
	p.err = cmp.Or(p.err, err)
	return p.screen.KeyText(p.s, k)
}

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
	if r := f.Recorded; r != nil {
		fmt.Fprintf(p.w, "  recorded: %s with inlined calls, %s at the entry\n", count(r.Total), count(r.Head))
	}
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
		printLine(p.w, p.screen, "  ", 2*unitWidth+1, countedLine{l.Name,
			fmt.Sprintf("%*s %*s", unitWidth, text(l.Self), unitWidth, text(l.Total)), cli.Share(l.Total, f.Total),
			l.Text + p.targetsText(l.Targets)})
	}
}

const unitWidth = 8

// targetsText names the functions that were called at a line.
func (p *profilePrinter) targetsText(targets []facts.SampledCall) (text string) {
	for i, c := range targets {
		text += []string{"calls ", ", "}[min(i, 1)] + p.nameAt(c.Other) + " " + p.screen.FormatCount(c.Total)
	}
	return text
}

func (p *profilePrinter) nameAt(method layout.Ref) string {
	name := ""
	if m, err := p.s.MethodAt(method); err == nil {
		name = p.methodName(m)
	}
	return cmp.Or(name, "a function without a name")
}

func (p *profilePrinter) printCalls(title string, all *listing.Samples, list []facts.SampledCall) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(p.w, "  %s\n", title)
	t := terminal.NewTable(p.screen, p.w)
	for _, c := range list[:min(len(list), callsShown)] {
		t.AddRow([]string{all.Unit.Short(c.Total, p.screen.FormatCount), percentText(c.Total, all.Sum)},
			c.Total, p.nameAt(c.Other), "")
	}
	t.Print()
	if left := len(list) - callsShown; left > 0 {
		fmt.Fprintf(p.w, "  and %d more\n", left)
	}
}
