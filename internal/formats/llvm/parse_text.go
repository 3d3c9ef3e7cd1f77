package llvm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

const (
	commentMark  = '#'
	headingMark  = ':'
	bitmapMark   = '$'
	externalName = "** External Symbol **"
	tracesMark   = "temporal_prof_traces"
)

// textVariants has the headings of a text and their variant bits.
var textVariants = map[string]Variant{
	"ir": VariantIR, "fe": 0, "csir": VariantIR | VariantContextSensitive, "entry_first": VariantEntryFirst,
	"not_entry_first":      0,
	"single_byte_coverage": VariantByteCoverage, "instrument_loop_entries": VariantLoopEntries,
	tracesMark: VariantTemporal,
}

type textScan struct {
	*scan
	lines *parse.Lines
	line  []byte // current line, valid until nextLine
	ended bool   // the input has no more lines, or one of them is invalid
	err   error  // first error of a line
	f     function

	tracesRead []trace
	stream     uint64          // number of traces from which tracesRead were sampled
	targets    map[string]bool // names of called functions already added
}

func (s *scan) readTextProfile() error {
	t := &textScan{scan: s, lines: parse.NewLines(s.source, s.name), targets: map[string]bool{}}
	t.nextLine()
	if err := t.readHeadings(); err != nil {
		return err
	}
	var before []byte
	hash := uint64(0)
	for !t.ended {
		place := t.lines.Place
		t.readFunction()
		if t.err != nil {
			return t.err
		}
		// Texts are normally sorted. An unsorted one may repeat a function, which is then merged.
		if c := bytes.Compare(t.f.name, before); c < 0 || c == 0 && t.f.hash <= hash {
			if err := t.beginRun(); err != nil {
				return err
			}
		}
		before = append(before[:0], t.f.name...)
		hash = t.f.hash
		if err := t.f.checkLimits(); err != nil {
			return t.errorAt(place, ErrMalformed, err.Error())
		}
		t.countFunction(&t.f)
		if err := t.intake.addFunction(&t.f); err != nil {
			return err
		}
	}
	return t.readError()
}

// nextLine moves to the next line that is neither empty nor a comment.
func (t *textScan) nextLine() {
	for {
		line, err := t.lines.Next()
		if err == nil && (len(line) == 0 || line[0] == commentMark) {
			continue
		}
		t.line, t.ended = line, err != nil
		if t.ended {
			t.endInput(err)
		}
		return
	}
}

// endInput sets the source to the end of the input, or to the error of its lines.
func (t *textScan) endInput(err error) {
	if tooLong := (*parse.Error)(nil); errors.As(err, &tooLong) {
		err = t.errorAt(tooLong.Place, tooLong.Kind, "")
	}
	t.source = &source{Reader: t.Reader, offset: t.lines.Offset, err: err}
}

func (t *textScan) errorAt(place parse.Place, kind error, detail string) error {
	return &Error{Name: t.name, Line: place.Line, Offset: place.Offset, Kind: kind, Detail: detail, After: string(t.last)}
}

// fail ends the reading with an error, unless an earlier one has ended it.
func (t *textScan) fail(err error) {
	t.err = cmp.Or(t.err, err)
	t.ended = true
}

// failExpected ends the reading at a line that is not the expected part.
func (t *textScan) failExpected(what string) {
	if t.ended {
		t.fail(t.cutError(what))
	} else {
		t.fail(t.errorAt(t.lines.Place, ErrMalformed, fmt.Sprintf("expected %s, found %.80q", what, t.line)))
	}
}

// readNumber reads a line with a number. After an error it returns 0.
func (t *textScan) readNumber(limit uint64, what string) uint64 {
	n, ok := parseNumber(t.line)
	if t.ended || !ok || n > limit {
		t.failExpected(what)
		return 0
	}
	t.nextLine()
	return n
}

func (t *textScan) readHeadings() error {
	var v Variant
	for !t.ended && t.line[0] == headingMark {
		word := strings.ToLower(string(t.line[1:]))
		bits, ok := textVariants[word]
		if !ok {
			t.failExpected("one of the headings of a profile, as :ir")
			break
		}
		v |= bits
		t.nextLine()
		if word == tracesMark {
			t.readTraces()
		}
	}
	if t.err != nil {
		return t.err
	}
	if err := t.beginModule(heading{kind: KindText, variant: v}); err != nil {
		return err
	}
	for _, trace := range t.tracesRead {
		t.addTrace(trace.weight, trace.ids)
	}
	t.addStreamSize(t.stream)
	return nil
}

// parseNumber parses a decimal number, or a hexadecimal one with the prefix 0x.
func parseNumber(b []byte) (n uint64, ok bool) {
	base := 10
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		b, base = b[2:], 16
	}
	n, err := strconv.ParseUint(string(b), base, 64)
	return n, err == nil
}

// readFunction reads
//
//	name, hash, number of counters, counters
//	[ $number of bytes, bytes ]
//	[ number of kinds, { kind, number of sites, { number of values, { name or number:count } } } ]
//
// a line each.
func (t *textScan) readFunction() {
	t.f.clearContent()
	t.f.name = append(t.f.name[:0], t.line...)
	t.nextLine()
	t.f.hash = t.readNumber(math.MaxUint64, "the hash of a function")
	t.f.line = t.lines.Line
	if n, _ := parseNumber(t.line); n == 0 {
		t.failExpected("a number of counters, at least 1")
	}
	for number := t.readNumber(math.MaxUint64, "a number of counters"); number > 0 && t.err == nil; number-- {
		t.f.counts = append(t.f.counts, t.readNumber(math.MaxUint64, "a counter"))
	}
	t.readBitmap()
	t.readValues()
}

// readBitmap reads an optional bitmap. The name of the next function can also start with a dollar sign.
func (t *textScan) readBitmap() {
	if t.ended || t.line[0] != bitmapMark {
		return
	}
	number, ok := parseNumber(t.line[1:])
	if !ok {
		return
	}
	for t.nextLine(); number > 0 && t.err == nil; number-- {
		t.f.bitmap = append(t.f.bitmap, byte(t.readNumber(math.MaxUint8, "a byte of a bitmap")))
	}
}

// readValues reads optional values. A name instead of a number begins the next function.
func (t *textScan) readValues() {
	kinds, ok := parseNumber(t.line)
	if t.ended || !ok {
		return
	}
	if kinds == 0 || kinds > valueKindsKnown {
		t.failExpected("a number of kinds of values, 1 to 3")
		return
	}
	var had [valueKindsKnown]bool
	for t.nextLine(); kinds > 0 && t.err == nil; kinds-- {
		kind, ok := parseNumber(t.line)
		if !ok || kind >= valueKindsKnown || had[kind] {
			t.failExpected("a kind of values, 0 to 2 and each once")
			return
		}
		had[kind] = true
		t.nextLine()
		t.readSites(layout.Sub(kind))
	}
}

func (t *textScan) readSites(kind layout.Sub) {
	place := t.lines.Place
	sites := t.readNumber(math.MaxInt32, "a number of value sites")
	if sites > parse.MaxValueSites {
		t.fail(t.errorAt(place, tooManySites, ""))
	}
	for i := uint64(0); i < sites && t.err == nil; i++ {
		values := t.readNumber(math.MaxUint32, "the number of values of a site")
		for ; values > 0 && t.err == nil; values-- {
			v, ok := t.parseValue(kind)
			if t.ended || !ok {
				t.failExpected("a value with its count, as name:123")
				return
			}
			t.f.values = append(t.f.values, v)
			t.nextLine()
		}
		t.f.sites = append(t.f.sites, site{kind, int32(i), len(t.f.values)})
	}
}

func (t *textScan) parseValue(kind layout.Sub) (v builder.Value, ok bool) {
	colon := bytes.LastIndexByte(t.line, ':')
	if colon < 0 {
		return v, false
	}
	what := t.line[:colon]
	v.Count, ok = parseNumber(t.line[colon+1:])
	if !ok {
		return v, false
	}
	if kind == layout.SubMemOpSize {
		v.Value, ok = parseNumber(what)
		return v, ok
	}
	if string(what) == externalName {
		return v, true
	}
	if len(what) == 0 || len(what) > disk.MaxName || bytes.IndexByte(what, 0) >= 0 {
		return v, false
	}
	v.Value = disk.NameRef(string(what))
	t.addValueName(kind, what)
	return v, true
}

// addValueName adds the name of a value, because its site keeps only the NameRef.
func (t *textScan) addValueName(kind layout.Sub, what []byte) {
	if kind == layout.SubVTable {
		t.addVTable(string(what), 0, 0)
	} else if !t.targets[string(what)] {
		t.targets[string(what)] = true
		t.intake.b.Seen(t.intake.b.Method(layout.Key{Name: string(what)}))
	}
}

// readTraces reads the number of traces, the size of their stream, and two lines for each trace with its weight and
// names.
func (t *textScan) readTraces() {
	number := t.readNumber(math.MaxUint64, "a number of temporal traces")
	t.stream = t.readNumber(math.MaxUint64, "the size of the stream of traces")
	for ; number > 0 && t.err == nil; number-- {
		weight := t.readNumber(math.MaxUint64, "the weight of a trace")
		if t.ended {
			t.failExpected("the functions of a trace")
			return
		}
		t.tracesRead = append(t.tracesRead, trace{weight, traceFunctions(t.line)})
		t.nextLine()
	}
}

func traceFunctions(line []byte) (refs []uint64) {
	for name := range bytes.SplitSeq(line, []byte{','}) {
		name = bytes.TrimSpace(name)
		if len(name) > 0 {
			refs = append(refs, disk.NameRef(string(name)))
		}
	}
	return refs
}
