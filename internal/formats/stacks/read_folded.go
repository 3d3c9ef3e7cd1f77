package stacks

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
)

// ErrSyntax means that no line is a stack.
var ErrSyntax = errors.New("not a stack in collapsed form, as root;caller;leaf 12")

// Losses of the import.
const (
	LossLines     codec.LossKind = "lines that are not a stack with a count"
	LossComments  codec.LossKind = "comments, which are lines that begin with # and a blank"
	LossNegative  codec.LossKind = "stacks with a count below 0, as of a difference of profiles"
	LossFractions codec.LossKind = "fractions of counts, which are rounded down"
	LossCut       codec.LossKind = "digits of the last count, if the file was cut off: no line feed ends the line, which is kept"
	LossBefore    codec.LossKind = "first counts of lines with two, as of a difference of profiles: the second are kept"
)

// An Importer reads stacks in collapsed form. It has no options.
type Importer struct{}

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "folded", About: "sampled stacks in collapsed form, a line each: root;caller;leaf 12"}
}

// commentStart begins a comment. A stack can begin with # and another byte.
var commentStart = []byte("# ")

type foldedLine struct {
	frames   []byte
	count    uint64 // magnitude, without its fraction
	negative bool
	fraction bool
}

// splitLine splits off the count after the last space. It reports whether there is one, and a stack before it.
func splitLine(line []byte) (of foldedLine, ok bool) {
	at := bytes.LastIndexByte(line, ' ')
	if at < 1 {
		return of, false
	}
	of.frames = line[:at]
	digits := line[at+1:]
	digits, of.negative = bytes.CutPrefix(digits, []byte("-"))
	digits, fraction, _ := bytes.Cut(digits, []byte("."))
	of.fraction = len(bytes.Trim(fraction, "0")) > 0
	n, err := strconv.ParseUint(string(digits), 10, 64)
	of.count = n
	return of, err == nil && !slices.ContainsFunc(fraction, func(c byte) bool { return c < '0' || c > '9' })
}

// detectedLines is the maximum number of lines that decide what a file is.
const detectedLines = 32

type foldedHead struct{ stacks, withCallers, withTwoCounts, others int }

func (h foldedHead) isDifference() bool { return h.stacks > 0 && h.stacks == h.withTwoCounts }

func scanHead(head []byte, whole bool) (of foldedHead) {
	for n := 0; n < detectedLines && len(head) > 0; n++ {
		line, rest, complete := bytes.Cut(head, []byte("\n"))
		if !complete && !whole {
			break
		}
		head = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if isBlank(line) || bytes.HasPrefix(line, commentStart) {
			continue
		}
		of.addLine(line)
	}
	return of
}

func (h *foldedHead) addLine(line []byte) {
	stack, ok := splitLine(line)
	if !ok {
		h.others++
		return
	}
	h.stacks++
	if bytes.IndexByte(stack.frames, ';') > 0 {
		h.withCallers++
	}
	if _, ok := splitLine(stack.frames); ok {
		h.withTwoCounts++
	}
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// Detect implements [codec.Importer]. Among the first lines, stacks with a caller must be at least half of the lines
// that end with a number, since logs have such lines too, and as many as the other lines.
func (*Importer) Detect(head []byte, whole bool) bool {
	h := scanHead(head, whole)
	return h.withCallers >= max(1, h.others, h.stacks/2)
}

type foldedReader struct {
	*parse.Lines
	*Recorder
	difference bool // lines have two counts
	stacks     int
	stack      []NamedFrame
}

// Import reads all lines. The points of frames are 0. Lines that are not stacks are lost. The error matches ErrSyntax
// if all are. If each of the first 32 stacks has two counts, the file is a difference of two profiles, of which the
// second is kept.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	buffered := bufio.NewReaderSize(in, headSize)
	start, err := buffered.Peek(headSize)
	r := foldedReader{Lines: parse.NewLines(buffered, in.Name), Recorder: NewRecorder(in.Config),
		difference: scanHead(start, err != nil).isDifference()}
	var failed error
	for line, err := range r.All() {
		if err == nil && !isBlank(line) {
			err = r.addLine(line)
			if !r.Whole {
				r.lose(LossCut, line, 0)
			}
		}
		if errors.Is(err, ErrSyntax) {
			if failed == nil {
				failed = err
			}
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	if r.stacks == 0 && failed != nil {
		return nil, failed
	}
	return r.Record(map[string]any{"stacks": r.stacks})
}

// addLine adds a stack, or a loss. The error matches ErrSyntax if the line is not a stack.
func (r *foldedReader) addLine(line []byte) error {
	if bytes.HasPrefix(line, commentStart) {
		r.lose(LossComments, line, 0)
		return nil
	}
	of, ok := splitLine(line)
	before := foldedLine{}
	if ok && r.difference {
		before, ok = splitLine(of.frames)
		of.frames = before.frames
	}
	if !ok {
		r.lose(LossLines, line, 0)
		return r.Fail(ErrSyntax)
	}
	r.stacks++
	r.Report.Totals[ledger.Samples] += of.count + before.count
	if r.difference {
		r.lose(LossBefore, line, before.count)
	}
	if of.fraction {
		r.lose(LossFractions, line, 0)
	}
	if of.negative {
		r.lose(LossNegative, line, of.count)
		return nil
	}
	return r.addStack(of)
}

func (r *foldedReader) addStack(of foldedLine) error {
	r.stack = r.stack[:0]
	for name := range bytes.SplitSeq(of.frames, []byte(";")) {
		if string(name) == unknownFunction {
			name = nil
		}
		r.stack = append(r.stack, NamedFrame{Name: string(name)})
	}
	slices.Reverse(r.stack)
	return r.Add(r.stack, of.count)
}

func (r *foldedReader) lose(what codec.LossKind, line []byte, samples uint64) {
	loss := codec.Loss{What: what, Count: 1, Line: r.Line, Amount: samples,
		First: []string{LostLine(r.Place, line)}}
	if samples > 0 {
		loss.Unit = ledger.Samples
	}
	r.Report.Lost.AddLoss(loss)
}

// LostLine describes a lost line, shortened.
func LostLine(at parse.Place, line []byte) string {
	return at.Describe(strings.ToValidUTF8(parse.Shorten(line), "?"))
}
