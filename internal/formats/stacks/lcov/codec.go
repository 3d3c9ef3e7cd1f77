package lcov

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes tracefiles.
type Exporter struct {
	// Lines adds a DA record for each function, so that line coverage equals function coverage.
	Lines bool
	// Programs are the programs whose source lines are written in place of functions; see [WriteLines].
	Programs []string
}

// LossUnknown counts omitted methods.
const LossUnknown codec.LossKind = "methods that may or may not have run: not known"

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	return codec.Format{Name: "lcov",
		About: "call counts by class and method or, of LLVM's front ends, counts of source lines, for genhtml and lcov",
		Options: []codec.Option{
			codec.NewOption("function-lines", &e.Lines, "give every function one line; lcov and genhtml drop files without lines"),
			parse.BinaryOption(&e.Programs),
		}, Units: []string{ledger.Invocations}}
}

// ErrNoCalls means that the archive has no call counts.
var ErrNoCalls = errors.New("no call counts: import profiles that count calls: invocations (domain hotspot), " +
	"callCountProfiles (graal), PROFILE_INVOKE or PROFILE_NATIVE (jamaica), or counters (llvm-ir, llvm-frontend)")

// unknownFile replaces an unknown source file.
const unknownFile = "unknown"

type function struct {
	name  string
	line  int
	calls uint64
}

// Export writes the call counts of an archive, or its source lines. The error matches ErrNoCalls if the archive has no
// call counts.
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if len(e.Programs) > 0 {
		return WriteLines(w, s, e.Programs...)
	}
	report := &codec.Report{}
	files, err := functionsByFile(s, report)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		list := mergeEqualNames(files[file])
		hit := writeFile(out, file, list)
		if e.Lines {
			writeFunctionLines(out, list, hit)
		}
		fmt.Fprintln(out, "end_of_record")
	}
	return report, out.Flush()
}

func functionsByFile(s *reader.Store, report *codec.Report) (map[string][]function, error) {
	counts, err := newCallCounter(s)
	if err != nil {
		return nil, err
	}
	report.Totals = counts.written
	named := stacks.NewNamed(s)
	files := map[string][]function{}
	for m := range poll.Values(s.Methods(), &err) {
		calls, known, errCalls := counts.countCalls(m)
		name, errName := named.Of(m)
		err = cmp.Or(errCalls, errName)
		if !known {
			report.Lost.AddLoss(codec.Loss{What: LossUnknown, Count: 1, First: []string{name.Full()}})
			continue
		}
		file := sourceFileOf(name)
		files[file] = append(files[file], function{lineBreakReplacer.Replace(name.Short + name.Parameters), 0, calls})
	}
	if err == nil && !counts.any {
		err = fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNoCalls)
	}
	return files, err
}

var lineBreakReplacer = strings.NewReplacer("\n", " ", "\r", " ")

func sourceFileOf(n stacks.Name) string {
	switch {
	case n.File != "":
		return lineBreakReplacer.Replace(n.File)
	case n.Class != "":
		return lineBreakReplacer.Replace(strings.ReplaceAll(n.Class, ".", "/"))
	}
	return unknownFile
}

// mergeEqualNames sorts functions, merges equal names, which occur if several loaders define a class, and numbers the
// functions in place of lines.
func mergeEqualNames(list []function) []function {
	slices.SortFunc(list, func(a, b function) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.calls, b.calls))
	})
	sum := list[:1]
	for _, f := range list[1:] {
		if last := &sum[len(sum)-1]; last.name == f.name {
			last.calls = disk.SaturatingAdd(last.calls, f.calls)
		} else {
			sum = append(sum, f)
		}
	}
	for i := range sum {
		sum[i].line = i + 1
	}
	return sum
}

// writeFile writes the functions of a file, and returns how many of them were called.
func writeFile(w io.Writer, file string, list []function) (hit int) {
	fmt.Fprintf(w, "TN:\nSF:%s\n", file)
	for _, f := range list {
		fmt.Fprintf(w, "FN:%d,%s\n", f.line, f.name)
	}
	for _, f := range list {
		fmt.Fprintf(w, "FNDA:%d,%s\n", f.calls, f.name)
		hit += int(min(f.calls, 1))
	}
	fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", len(list), hit)
	return hit
}

func writeFunctionLines(w io.Writer, list []function, hit int) {
	for _, f := range list {
		fmt.Fprintf(w, "DA:%d,%d\n", f.line, f.calls)
	}
	fmt.Fprintf(w, "LF:%d\nLH:%d\n", len(list), hit)
}

// callCounter computes the number of calls of methods.
type callCounter struct {
	s       *reader.Store
	callers map[layout.Ref]uint64 // calls that the callers of a method recorded
	any     bool                  // a method has a call count
	written ledger.Totals
}

// newCallCounter returns a calls for s. It reads the callers in domain jamaica.
func newCallCounter(s *reader.Store) (*callCounter, error) {
	c := &callCounter{s: s, callers: map[layout.Ref]uint64{}, written: ledger.Totals{}}
	if s.Header().Domain != layout.DomainJamaica {
		return c, nil
	}
	return c, stacks.Edges(s, func(e stacks.Edge) error {
		c.callers[e.Callee.Ref()] = disk.SaturatingAdd(c.callers[e.Callee.Ref()], e.Weight)
		return nil
	})
}

// countCalls returns the number of calls of a method. known is false if it is unknown whether the method ran.
func (c *callCounter) countCalls(m reader.Method) (n uint64, known bool, err error) {
	n, counted := c.callers[m.Ref()]
	ran := false
	native := uint64(0)
	for p := range poll.Values(m.Profiles(), &err) {
		in, ok := c.countInProfile(p, &native)
		n = disk.SaturatingAdd(n, in)
		counted = counted || ok
		ran = ran || c.hasRun(p)
	}
	// The count of a native method includes the counts of its callers.
	if native > 0 {
		counted = true
	}
	if native > 0 && native >= n {
		n = native
		c.written.Add(ledger.NativeCalls, native)
	} else {
		c.written.Add(ledger.CallCounts, c.callers[m.Ref()])
	}
	c.any = c.any || counted
	if n == 0 && ran {
		n = 1
	}
	return n, counted || ran || m.Unexecuted(), err
}

// countInProfile returns the calls that p counted. It adds calls of a native method to native instead.
func (c *callCounter) countInProfile(p reader.Profile, native *uint64) (n uint64, ok bool) {
	if invocations, ok := p.Invocations(); ok {
		c.written.Add(ledger.Invocations, invocations.Trained())
		return invocations.Trained(), true
	}
	for e := range p.Entries() {
		switch {
		case e.Tag() == layout.TagCount && e.Sub() == layout.SubCalls:
			n = disk.SaturatingAdd(n, e.Cell(0).Trained())
			c.written.Add(ledger.Calls, e.Cell(0).Trained())
			ok = true
		case e.Tag() == layout.TagCount && e.Sub() == layout.SubNativeCalls:
			*native = disk.SaturatingAdd(*native, e.Cell(0).Trained())
		case e.Tag() == layout.TagCounters && e.Cells() > 0:
			return c.countEntry(e.Cell(0).Trained()), true
		}
	}
	return n, ok
}

func (c *callCounter) countEntry(n uint64) uint64 {
	if ledger.IsMark(n) {
		return 1
	}
	c.written.Add(ledger.BlockCounts, n)
	return n
}

func (c *callCounter) hasRun(p reader.Profile) bool {
	shape := (*mapped.Mapping)(c.s.Mapping()).Shape()
	for e := range p.Entries() {
		for cell := range shape.Counts(disk.Entry(e.Bytes())) {
			if disk.Entry(e.Bytes()).Cell(cell) != 0 {
				return true
			}
		}
	}
	return false
}
