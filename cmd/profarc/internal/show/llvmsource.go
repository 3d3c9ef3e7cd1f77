package show

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type llvmSourceOptions struct {
	binaries []string
	path     string
	file     string
	branches bool
	opened   *llvmSource // nil without --binary
}

func (o *llvmSourceOptions) addFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.binaries, "binary", nil,
		"LLVM: instrumented program or library with a coverage mapping, to show source lines; may be repeated")
	f.StringVar(&o.path, "source-path", "", "folders with the source files, separated as in PATH")
	f.StringVar(&o.file, "source-file", "", "LLVM: with --binary, print the source files whose names contain this")
	f.BoolVar(&o.branches, "branches", false, "LLVM: with --binary, print how often each condition was true and false")
}

func (o *llvmSourceOptions) wantsSource() bool { return len(o.binaries) > 0 }

func (o *llvmSourceOptions) checkFlags(methods, others bool) error {
	switch {
	case o.file != "" && !o.wantsSource():
		return cli.Usagef("--source-file prints lines of a program's source: name the program with --binary")
	case o.branches && !o.wantsSource():
		return cli.Usagef("--branches prints conditions of a program's source: name the program with --binary")
	case o.file != "" && methods:
		return cli.Usagef("--source-file prints whole files: leave the method and the filters out")
	case o.wantsSource() && others:
		return cli.Usagef("--binary is of functions and source files: leave --table out")
	}
	return nil
}

type llvmSource struct {
	cover    *coverage.Coverage
	sources  coverage.Sources
	branches bool
	reasons  []error // reasons for missing lines
}

func (o *llvmSourceOptions) openPrograms(s *reader.Store) error {
	o.opened = &llvmSource{sources: filepath.SplitList(o.path), branches: o.branches}
	if d := s.Header().Domain; !d.LLVM() {
		return cli.Usagef("--binary is of LLVM's profiles; this archive is of domain %s", d)
	}
	mappings, err := o.opened.readMappings(o.binaries)
	if err != nil {
		return err
	}
	c, err := coverage.New(s, mappings...)
	if err != nil {
		o.opened.reasons = []error{err}
	} else if len(mappings) > 0 {
		o.opened.cover = c
	}
	return nil
}

func (l *llvmSource) readMappings(programs []string) (list []*coverage.Mapping, err error) {
	for _, name := range programs {
		m, err := coverage.Open(name)
		switch {
		case errors.Is(err, coverage.ErrNoMapping), errors.Is(err, coverage.ErrVersion):
			l.reasons = append(l.reasons, err)
		case err != nil:
			return nil, err
		default:
			list = append(list, m)
		}
	}
	return list, nil
}

func (l *llvmSource) noteReasons(notes io.Writer) {
	for _, reason := range l.reasons {
		fmt.Fprintf(notes, "profarc: %v\n", reason)
	}
	if l.cover == nil {
		fmt.Fprintln(notes, "profarc: functions are shown by counter, not by source line")
	}
}

func (o *llvmSourceOptions) showFiles(w, notes io.Writer, screen *terminal.Screen, json bool) error {
	if o.opened.cover == nil {
		return fmt.Errorf("--source-file %s: %w", escape.Printable(o.file), o.opened.reasons[0])
	}
	list, err := o.opened.listFiles(o.file)
	if err != nil {
		return err
	}
	if json {
		return cli.WriteJSON(w, map[string]any{"files": list})
	}
	out := bufio.NewWriter(w)
	for i, l := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		o.opened.printLines(out, screen, l)
	}
	return errors.Join(out.Flush(), noteMismatches(notes, o.opened.cover))
}

func (l *llvmSource) listFiles(named string) (list []*coverage.Listing, err error) {
	names, err := l.cover.Files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.Contains(name, named) {
			continue
		}
		v, err := l.cover.View(name)
		if err != nil {
			return nil, err
		}
		list = append(list, l.sources.List(v, true))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no source file of the program is named like %q; it has %d, such as %s", named, len(names),
			someNames(names))
	}
	return list, nil
}

func noteMismatches(notes io.Writer, c *coverage.Coverage) error {
	list, err := c.Mismatches()
	if len(list) > 0 {
		fmt.Fprintf(notes, "profarc: %d functions have no counts, since other code of theirs was counted; the first: %v\n",
			len(list), list[0])
	}
	return err
}

func someNames(names []string) string {
	const most = 3
	if len(names) > most {
		names = names[:most]
	}
	return lists.Join(names, ", ", strconv.Quote)
}

// functionListing returns the lines of a profile's function. If the program has other code or does not map the
// function, it returns the reason.
func (l *llvmSource) functionListing(q reader.Profile) (f *coverage.Function, list *coverage.Listing, reason,
	err error) {
	m, err := q.Method()
	if err != nil {
		return nil, nil, nil, err
	}
	f, err = l.cover.Function(m)
	switch {
	case errors.Is(err, coverage.ErrNotMapped), errors.Is(err, coverage.ErrMismatch):
		return nil, nil, err, nil
	case err != nil:
		return nil, nil, nil, err
	case f.Hash != q.Code():
		return nil, nil, &coverage.Mismatch{Program: f.Program, Name: f.Name, Hash: f.Hash, Counters: -1}, nil
	}
	return f, l.sources.List(f.View(), false), nil, nil
}

func (p *profilePrinter) printSource(q reader.Profile) bool {
	if p.source == nil || p.source.cover == nil {
		return false
	}
	f, list, reason, err := p.source.functionListing(q)
	switch {
	case err != nil:
		p.err = err
		return false
	case reason != nil:
		fmt.Fprintf(p.w, "  by counter: %v\n", reason)
		return false
	}
	fmt.Fprintf(p.w, "  entered %d\n", f.Count)
	p.source.printLines(p.w, p.screen, list)
	return true
}

// countWidth is the minimum width of the count column, as in llvm-cov.
const countWidth = 7

// printLines prints lines like llvm-cov show, but does not abbreviate counts.
func (s *llvmSource) printLines(w *bufio.Writer, screen *terminal.Screen, l *coverage.Listing) {
	fmt.Fprintf(w, "  %s\n", escape.Printable(l.File))
	switch {
	case l.Problem != "":
		fmt.Fprintf(w, "  no source: %s; name its folder with --source-path\n", l.Problem)
	case l.Short:
		fmt.Fprintf(w, "  %s ends before the last line that is counted: the program was compiled from another version\n",
			escape.Printable(l.Source))
	}
	width := countWidth
	highest := uint64(0)
	for _, line := range l.Lines {
		width = max(width, len(countText(line)))
		highest = max(highest, line.Count)
	}
	for _, line := range l.Lines {
		printLine(w, screen, "", width, countedLine{strconv.Itoa(line.Number), countText(line),
			listing.Heat(line.Count, highest), line.Text})
		if s.branches {
			printBranches(w, width, line.Branches)
		}
	}
}

// printBranches prints the conditions of a line like llvm-cov show --show-branches=count, but does not abbreviate
// counts.
func printBranches(w *bufio.Writer, width int, list []coverage.Branch) {
	for _, b := range list {
		fmt.Fprintf(w, "%*s|%*s|  Branch (%d:%d): ", numberWidth, "", width, "", b.Line, b.Column)
		if b.Folded {
			fmt.Fprintln(w, "[Folded - Ignored]")
		} else {
			fmt.Fprintf(w, "[True: %d, False: %d]\n", b.True, b.False)
		}
	}
}

func countText(line coverage.ListedLine) string {
	if !line.Mapped {
		return ""
	}
	return strconv.FormatUint(line.Count, 10)
}

type sourceFunction struct {
	Function string            `json:"function"`
	ID       string            `json:"id"`
	Hash     string            `json:"hash"`
	Entered  uint64            `json:"entered"`
	Reason   string            `json:"reason,omitempty"` // reason for missing lines
	Counters []uint64          `json:"counters"`
	Listing  *coverage.Listing `json:"source,omitempty"`
}

func (l *llvmSource) writeJSON(w io.Writer, methods iter.Seq2[reader.Method, error]) error {
	list := []sourceFunction{}
	var err error
	for m := range poll.Values(methods, &err) {
		for q := range poll.Values(m.Profiles(), &err) {
			var f sourceFunction
			f, err = l.functionJSON(m, q)
			list = append(list, f)
		}
	}
	if err != nil {
		return err
	}
	return cli.WriteJSON(w, map[string]any{"functions": list})
}

func (l *llvmSource) functionJSON(m reader.Method, q reader.Profile) (sourceFunction, error) {
	name, err := m.Name()
	if err != nil {
		return sourceFunction{}, err
	}
	j := sourceFunction{Function: name.String(), ID: display.IDText(m.ID()), Hash: cli.FormatHash(q.Code()),
		Counters: facts.CountersOf(q)}
	if l.cover == nil {
		j.Reason = l.reasons[0].Error()
		return j, nil
	}
	f, list, reason, err := l.functionListing(q)
	if reason != nil {
		j.Reason = reason.Error()
	}
	if f != nil {
		j.Entered = f.Count
		j.Listing = list
	}
	return j, err
}

const llvmIndent = 1

func (p *profilePrinter) printLLVMProfile(q reader.Profile) {
	p.indent = llvmIndent
	cs := ""
	if p.s.Header().Domain == layout.DomainLLVMIR && q.Code()&llvm.ContextSensitive != 0 {
		cs = ", context-sensitive"
	}
	fmt.Fprintf(p.w, "  hash %s%s\n", cli.FormatHash(q.Code()), cs)
	listed := p.printSource(q)
	points := p.sectionPoints(q, schema.SectionData)
	for i := range points {
		switch at := &points[i]; {
		case at.Bits != nil:
			fmt.Fprintf(p.w, "  bitmap of MC/DC: %s\n", p.headText(at))
		case at.RowNoun == "counters":
			if !listed {
				p.printLLVMCounters(at)
			}
		case !slices.Contains(valueSites, at.Sub):
			p.printPoint(at)
		}
	}
	for _, kind := range valueSites {
		for i := range points {
			if at := &points[i]; at.Sub == kind {
				fmt.Fprintf(p.w, "  %s, site %d: %d values\n", at.SubWords, at.Point, len(at.Outcomes))
				p.printRows(at)
			}
		}
	}
}

var valueSites = []string{"indirect-call", "mem-op-size", "vtable"}

func (p *profilePrinter) printLLVMCounters(at *analyze.Point) {
	highest := uint64(0)
	for _, o := range at.Outcomes {
		highest = max(highest, o.Count)
	}
	fmt.Fprintf(p.w, "  %s, the highest %d\n", p.headText(at), highest)
	p.printRows(at)
}

func (p *profilePrinter) printAllocations(m reader.Method) {
	if p.err != nil || !p.s.Header().Domain.LLVM() {
		return
	}
	if p.allocations == nil {
		p.allocations, p.err = listing.ReadAllocations(p.s)
	}
	if p.err != nil {
		return
	}
	all, err := p.allocations.OfFunction(m)
	p.err = err
	for _, a := range all {
		fmt.Fprintf(p.w, "  allocates %s in %s, alive for %s on average, %s\n    %s\n", cli.FormatSize(int64(a.Bytes)),
			cli.Amount(a.Count, "allocation"), cli.FormatDuration(a.Lifetime), a.Type,
			escape.Printable(a.Stack))
	}
}
