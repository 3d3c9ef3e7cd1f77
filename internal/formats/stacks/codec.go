package stacks

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes sampled stacks in collapsed form.
type Exporter struct {
	// Value is the value of lines, "samples" or "nanoseconds". The default is samples, or nanoseconds if the archive has
	// no samples.
	Value string
}

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	value := codec.NewOption("folded-value", &e.Value,
		"samples or nanoseconds: the value of lines (default samples, if the archive has them)")
	value.Check = func() error {
		if e.Value != "" && e.Value != ledger.Samples && e.Value != ledger.Nanoseconds {
			return fmt.Errorf("use %s or %s", ledger.Samples, ledger.Nanoseconds)
		}
		return nil
	}
	return codec.Format{Name: "folded",
		About:   "sampled stacks for flame graphs, a line each, root first (domains graal and sampled)",
		Options: []codec.Option{value}, Units: []string{ledger.Samples, ledger.Nanoseconds}}
}

// Export writes the sampled stacks of an archive in collapsed form with a line per stack.
//
//	root;caller;leaf samples
//
// A frame is Class.method, without signature and point. Export merges equal stacks and sorts the lines. It replaces
// semicolons in names by commas and line breaks by spaces. The error matches ErrNoSamples if there are no stacks.
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	report := &codec.Report{Totals: ledger.Totals{}}
	f := &folding{lines: map[string]uint64{}, named: NewNamed(s), names: map[string]string{}, report: report,
		times: e.Value == ledger.Nanoseconds}
	if e.Value == "" {
		counts, err := hasCounts(s)
		if err != nil {
			return nil, err
		}
		f.times = !counts
	}
	f.dropped = codec.Loss{What: LossOtherValue, Unit: ledger.Nanoseconds}
	if f.times {
		f.dropped.Unit = ledger.Samples
	}
	f.foldStacks(s)
	if f.Err != nil {
		return nil, f.Err
	}
	if len(f.lines) == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNoSamples)
	}
	report.Lost.AddLoss(f.dropped)
	if err := LosePoints(s, &report.Lost); err != nil {
		return nil, err
	}
	return report, f.writeLines(w)
}

// Losses of the export.
const (
	LossOtherValue codec.LossKind = "the other value of samples, since a line has one: choose it with folded-value"
	LossFrames     codec.LossKind = "stacks that differ only in what a frame does not show: lines, parameters"
	LossNames      codec.LossKind = "names with a semicolon, a line break, or the form of a comment or count: it is replaced"
)

// A folding has the lines of an export.
type folding struct {
	lines   map[string]uint64 // values of stacks in collapsed form
	times   bool              // values are nanoseconds
	named   *Named
	names   map[string]string // frames by name
	report  *codec.Report
	dropped codec.Loss
	parse.FirstError
}

// headSize is the number of bytes in which an importer looks for the first lines.
const headSize = 1 << 16

func (f *folding) writeLines(w io.Writer) error {
	lines := f.sortedLines()
	var head []byte
	whole := true
	for _, line := range lines {
		if len(head) > headSize {
			whole = false
			break
		}
		head = f.appendLine(head, line)
	}
	if scanHead(head[:min(len(head), headSize)], whole).isDifference() {
		f.spoilDifference(lines)
		lines = f.sortedLines()
	}
	out := bufio.NewWriter(w)
	var b []byte
	if parse.BeginsWithTextMark(lines[0]) {
		_, _ = out.WriteString(parse.UTF8Mark) // a mark to skip; Flush returns the error
	}
	for _, line := range lines {
		b = f.appendLine(b[:0], line)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (f *folding) sortedLines() []string { return slices.Sorted(maps.Keys(f.lines)) }

func (f *folding) appendLine(b []byte, line string) []byte {
	b = append(append(b, line...), ' ')
	return append(strconv.AppendUint(b, f.lines[line], 10), '\n')
}

// spoilDifference changes the names of leaves that end in a number, since the importer would take the file for the
// difference of two profiles.
func (f *folding) spoilDifference(lines []string) {
	for _, line := range lines {
		if _, ok := splitLine([]byte(line)); !ok {
			continue
		}
		n := f.lines[line]
		delete(f.lines, line)
		f.report.Totals[f.unit()] -= n
		at := strings.LastIndexByte(line, ' ')
		f.loseName(line)
		f.addToLine(line[:at]+"_"+line[at+1:], n)
	}
}

func (f *folding) loseName(name string) {
	f.report.Lost.AddLoss(codec.Loss{What: LossNames, Count: 1, First: []string{name}})
}

func (f *folding) addToLine(line string, n uint64) {
	have, again := f.lines[line]
	if again {
		f.report.Lost.Add(LossFrames, 1)
	}
	sum := disk.SaturatingAdd(have, n)
	if over := have + n - sum; over != 0 { // modulo 2^64
		f.report.Lost.AddLoss(codec.Loss{What: LossSaturated, Count: 1, Unit: f.unit(), Amount: over})
	}
	f.report.Totals[f.unit()] += sum - have
	f.lines[line] = sum
}

// LossSaturated has the parts of values above the highest one.
const LossSaturated codec.LossKind = "values above 2^64-1"

func (f *folding) unit() ledger.Unit {
	if f.times {
		return ledger.Nanoseconds
	}
	return ledger.Samples
}

// frameReplacer replaces what ends a frame or line. A reader drops a carriage return only at the end of a line.
var frameReplacer = strings.NewReplacer(";", ",", "\n", " ", "\r", " ")

func (f *folding) frameOf(m reader.Method) string {
	name, err := f.named.Of(m)
	f.Fail(err)
	text := cmp.Or(name.String(), unknownFunction)
	frame, ok := f.names[text]
	if !ok {
		frame = frameReplacer.Replace(text)
		if frame != text {
			f.loseName(text)
		}
		f.names[text] = frame
	}
	return frame
}

func (f *folding) foldStacks(s *reader.Store) {
	var b []byte
	for stack := range poll.Values(Sampled(s), &f.Err) {
		n := stack.Count
		other := stack.Time
		if f.times {
			n, other = other, n
		}
		if other > 0 {
			f.dropped.Count++
			f.dropped.Amount += other
			if n == 0 {
				continue
			}
		}
		b = b[:0]
		for i, frame := range slices.Backward(stack.Frames) {
			b = append(b, f.frameOf(frame.Method)...)
			if i > 0 {
				b = append(b, ';')
			}
		}
		if string(b) == "#" || bytes.HasPrefix(b, commentStart) {
			f.loseName(string(b))
			b = append([]byte("#_"), bytes.TrimPrefix(b[1:], []byte(" "))...)
		}
		f.addToLine(string(b), n)
	}
}

// hasCounts reports whether a stack has samples, and not only a time.
func hasCounts(s *reader.Store) (bool, error) {
	none := true
	for stack, err := range Sampled(s) {
		if err != nil || stack.Count > 0 {
			return true, err
		}
		none = none && stack.Time == 0
	}
	return none, nil
}

// ErrNoSamples means that the archive has no sampled stacks.
var ErrNoSamples = errors.New("no sampled stacks: import a CPU profile of pprof's (domain sampled), or an .iprof " +
	"file that has samplingProfiles (domain graal)")

// A Stack is a sampled stack. Its frames are valid until the next iteration.
type Stack struct {
	Frames []Frame // leaf first
	Count  uint64  // samples
	Time   uint64  // processor time in nanoseconds, 0 if unknown
	// Context has the callers in an archive of domain sampled.
	Context reader.Context
}

// A Frame is a method on a stack. The method of an unknown function is invalid.
type Frame struct {
	Method reader.Method
	Point  int32
}

// Sampled iterates over the sampled stacks of an archive. An error ends the iteration.
func Sampled(s *reader.Store) iter.Seq2[Stack, error] {
	return func(yield func(Stack, error) bool) {
		if s.Header().Domain == layout.DomainSampled {
			eachContext(s, yield)
			return
		}
		t, err := s.TableOrEmpty(disk.TableSamples)
		if err != nil {
			yield(Stack{}, disk.WithFileName(err, s.Mapping().Name()))
			return
		}
		eachStack(s, &t, yield)
	}
}

// eachStack yields the stacks of the table samples. Adjacent rows with the same number form a stack.
func eachStack(s *reader.Store, t *reader.Table, yield func(Stack, error) bool) {
	var stack Stack
	for row := 0; row < t.Rows; {
		number := t.Cell(0, row)
		stack.Frames = stack.Frames[:0]
		stack.Count = t.Cell(3, row)
		for ; row < t.Rows && t.Cell(0, row) == number; row++ {
			m, err := s.MethodAt(layout.Ref(t.Cell(1, row)))
			if err != nil && !errors.Is(err, reader.ErrNotFound) {
				yield(Stack{}, err)
				return
			}
			stack.Frames = append(stack.Frames, Frame{m, int32(t.Cell(2, row))})
		}
		if !yield(stack, nil) {
			return
		}
	}
}
