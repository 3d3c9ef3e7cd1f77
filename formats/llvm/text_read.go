package llvm

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/profarc/profarc/internal/parse"
)

// The marks of text.
const (
	commentMark  = '#'
	headingMark  = ':'
	bitmapMark   = '$'
	externalName = "** External Symbol **"
	tracesMark   = "temporal_prof_traces"
)

// textVariants are the headings of a text, and the bits that they set.
var textVariants = map[string]Variant{
	"ir": VariantIR, "fe": 0, "csir": VariantIR | VariantContextSensitive, "entry_first": VariantEntryFirst, "not_entry_first": 0,
	"single_byte_coverage": VariantByteCoverage, "instrument_loop_entries": VariantLoopEntries, tracesMark: VariantTemporal,
}

// A textScan reads a text.
type textScan struct {
	*scan
	line    int    // number of the line in text
	lineAt  int64  // its offset
	text    []byte // the line that is next, valid until the one after it is read
	ended   bool   // there is none
	f       function
	targets map[string]bool // names of called functions
}

// text reads a text.
func (s *scan) text() error {
	t := &textScan{scan: s, targets: map[string]bool{}}
	t.advance()
	if err := t.headings(); err != nil {
		return err
	}
	var before []byte
	hash := uint64(0)
	for !t.ended {
		offset, line := t.lineAt, t.line
		if err := t.function(); err != nil {
			return err
		}
		// Texts are sorted; one that is not may have a function twice, which
		// is merged with itself.
		if c := bytes.Compare(t.f.name, before); c < 0 || c == 0 && t.f.hash <= hash {
			if err := t.nextRun(); err != nil {
				return err
			}
		}
		before, hash = append(before[:0], t.f.name...), t.f.hash
		if err := t.f.possible(); err != nil {
			return t.faultAt(offset, line, err.Error())
		}
		if err := t.intake.function(&t.f); err != nil {
			return err
		}
	}
	return t.failure()
}

// advance goes to the next line that is not empty and no comment.
func (t *textScan) advance() {
	for {
		t.lineAt = t.offset()
		b, ok := t.source.line()
		t.line++
		if exceeded, tooLong := t.err.(*parse.LimitError); tooLong && !ok {
			t.err = &Error{Name: t.name, Line: t.line, Offset: t.lineAt, Kind: exceeded, After: string(t.last)}
		}
		t.text, t.ended = b, !ok
		if !ok || len(b) > 0 && b[0] != commentMark {
			return
		}
	}
}

func (t *textScan) faultAt(offset int64, line int, detail string) error {
	return &Error{Name: t.name, Line: line, Offset: offset, Kind: ErrMalformed, Detail: detail, After: string(t.last)}
}

// miss is the error of a line that is not what must stand there.
func (t *textScan) miss(what string) error {
	if t.ended {
		return t.cut(what)
	}
	return t.faultAt(t.lineAt, t.line, fmt.Sprintf("expected %s, found %.80q", what, t.text))
}

// number takes a line that is a number of at most limit.
func (t *textScan) number(limit uint64, what string) (uint64, error) {
	n, ok := parseNumber(t.text)
	if t.ended || !ok || n > limit {
		return 0, t.miss(what)
	}
	t.advance()
	return n, nil
}

// headings reads the lines that begin with a colon.
func (t *textScan) headings() error {
	var v Variant
	var traces []textTrace
	var stream uint64
	for !t.ended && t.text[0] == headingMark {
		word := strings.ToLower(string(t.text[1:]))
		bits, ok := textVariants[word]
		if !ok {
			return t.miss("one of the headings of a profile, as :ir")
		}
		v |= bits
		t.advance()
		if word == tracesMark {
			var err error
			if traces, stream, err = t.traces(traces); err != nil {
				return err
			}
		}
	}
	if err := t.begin(heading{kind: KindText, variant: v}); err != nil {
		return err
	}
	for _, trace := range traces {
		t.trace(trace.weight, trace.functions)
	}
	t.stream(stream)
	return nil
}

// parseNumber reads a decimal number, or a hexadecimal one that begins with 0x.
func parseNumber(b []byte) (n uint64, ok bool) {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		return parseHex(b[2:])
	}
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = 10*n + d
	}
	return n, len(b) > 0
}

func parseHex(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		d := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if d < 0 || c < '0' || n > math.MaxUint64>>4 {
			return 0, false
		}
		n = n<<4 | uint64(d)
	}
	return n, true
}
