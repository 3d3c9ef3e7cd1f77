package hotspot

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
)

// An Importer reads the output of PrintMethodData.
type Importer struct {
	// Salvage imports the intact part of a truncated or damaged text.
	Salvage bool
	// ClassPath has the class files of the program, for the code ids of methods whose bytecodes the text lacks.
	ClassPath []string
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "what java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData prints",
		Options: []codec.Option{parse.SalvageOption(&i.Salvage), parse.ClassPathOption(&i.ClassPath)}}
}

// Detect reports whether a text has method data. It accepts any text longer than head, because programs can print
// before their VM does. Import reports missing parts.
func (*Importer) Detect(head []byte, whole bool) bool {
	return Detect(head) || !whole && bytes.IndexByte(head, 0) < 0
}

// Import reads the text of one dump. The error is a [*TextError] for invalid text.
//
// If several class loaders define a class, its methods appear several times. All are kept, and the second gets the
// loader "text#2".
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	codes, err := parse.OpenCodes(i.ClassPath)
	if err != nil {
		return nil, err
	}
	defer codes.Close()
	dump, report, err := parseText(in, in.Name, i.Salvage)
	if err != nil {
		return nil, err
	}
	report.Lost.Add(parse.LossLoaders, report.Methods)
	return report, parse.WithName(in.Name, dump.buildArchive(in, codes, report))
}

// An Exporter writes text as PrintMethodData prints it. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "text as java -XX:+PrintMethodData prints it (domain hotspot)",
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.BranchCounts, ledger.TypeCounts}}
}

// Losses of reading a text.
const (
	LossBytecodes     codec.LossKind = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   codec.LossKind = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   codec.LossKind = "entries of an unknown kind"
	LossUnknownReason codec.LossKind = "unknown trap reasons"
	LossOffset        codec.LossKind = "entries whose printed offset differs from their position"
	LossLoader        codec.LossKind = "methods printed more than once: their class loaders are unknown"
	LossFront         codec.LossKind = "bytes of method data that the VM counted and the text lacks: its beginning may " +
		"be missing"
	LossMixed codec.LossKind = "bytes of method data in excess of what the VM counted: the text joins a truncated " +
		"dump and another one"
	LossExtra         codec.LossKind = "ArgInfo and SpeculativeTrap entries: PrintMethodData has no such lines"
	LossMethodRows    codec.LossKind = "called methods of calls"
	LossCounters      codec.LossKind = "counters and sizes of methods: the text has none, and they are not known"
	LossDecompiles    codec.LossKind = "decompile counts of methods: VMs before JDK 17 do not print them"
	LossCompiledCalls codec.LossKind = "calls of compiled code, which debug builds count apart from all others"
	LossEnd           codec.LossKind = "end of the method data: without \"Total MDO size\", methods can be missing"
	LossDamaged       codec.LossKind = "parts of methods that are cut off or damaged"
	LossContents      codec.LossKind = "profiles of methods: this VM prints none of them (JDK-8382777)"
	LossLaterDump     codec.LossKind = "lines of further dumps after the first, which ends with \"Total MDO size\""
)

// Losses of writing a text.
const (
	LossContext      codec.LossKind = "calling contexts of profiles: a profile in a context is printed like one without"
	LossCode         codec.LossKind = "code ids of profiles"
	LossUnexecuted   codec.LossKind = "unexecuted methods"
	LossNoClass      codec.LossKind = "methods without a class"
	LossArgInfo      codec.LossKind = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     codec.LossKind = "exception handler entries: PrintMethodData does not show them"
	LossHeader       codec.LossKind = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   codec.LossKind = "class loaders of methods: only the methods' names are printed"
	LossHiddenTrap   codec.LossKind = "extra entries at a bci for which no data entry, or another entry, is printed"
	LossWide         codec.LossKind = "entries of kinds that HotSpot lacks"
	LossUndecoded    codec.LossKind = "raw words of entries that the dump did not know: what comes before them is printed"
	LossHighCount    codec.LossKind = "counts of methods above 2^63-1: written as 2^63-1"
	LossFreeRows     codec.LossKind = "rows without a type or a bytecode"
	LossWideRows     codec.LossKind = "entries with more rows than HotSpot has: all rows are printed"
	LossTypeWithMore codec.LossKind = "types of values that another type made unknown later"
)

// Sentinels that a [*TextError] matches.
var (
	// ErrNoMethodData is returned for a text without method data.
	ErrNoMethodData = errors.New("no PrintMethodData text in it")
	// ErrTextCut is returned for a text without the last line, "Total MDO size".
	ErrTextCut = errors.New("method data is cut off")
	// ErrTextSyntax is returned for a line that no VM prints there.
	ErrTextSyntax = errors.New("not what PrintMethodData prints here")
)

// A TextError has the Name, Line and Column of a fault, its Kind to match, and the Expected and Found text.
type TextError = parse.Error

// rule is the line before every method and before the last line.
var rule = []byte(strings.Repeat("-", 72))

const (
	totalPrefix = "Total MDO size: "
	totalSuffix = " bytes"
)

// firstCounter is the prefix of the line after a header.
const firstCounter = "  interpreter_invocation_count:"

// Detect reports whether PrintMethodData text, possibly in an XML log, begins within prefix.
func Detect(prefix []byte) bool {
	l := newLineReader(bytes.NewReader(prefix), "")
	for {
		if l.isMethodNext() {
			return true
		}
		if _, ok := l.nextLine(); !ok {
			return false
		}
	}
}

// isMethodNext reports whether the next two lines begin a method. Otherwise a rule before them is output of the
// program, or part of a string constant that JDK 17 prints literally.
func (l *lineReader) isMethodNext() bool {
	header, ok := l.peekLine(0)
	if !ok || bytes.HasPrefix(header.text, rule) {
		return false
	}
	if !header.bare {
		counter, ok := l.peekLine(1)
		if !ok || !bytes.HasPrefix(counter.text, []byte(firstCounter)) {
			return false
		}
	}
	_, ok = parseHeader(header.text)
	return ok
}

func (l *lineReader) peekTotal() (total uint64, ok bool) {
	line, there := l.peekLine(0)
	c := newCursor(line.text)
	c.Expect(totalPrefix)
	total = c.Number(1 << 62)
	c.Expect(totalSuffix)
	c.End()
	return total, there && c.OK()
}

// A textLine is one line without its end. The text is valid until three more lines have been read.
type textLine struct {
	parse.Place
	text []byte
	bare bool // header of a method without counters
	cut  bool // last line of the text, without a line end
}

// lookahead is the number of lines that identify a method: the rule, the header and the first counter.
const lookahead = 3

// maxLine limits the kept part of a line in bytes. Output of the program can have longer lines. Their ends are kept,
// because they can be rules.
const maxLine = 4 << 20

// A lineReader reads lines with lookahead. In an XML log it skips tags and unescapes all other lines.
type lineReader struct {
	in    *parse.Lines
	ring  [lookahead + 1]textLine
	head  int // index of the next line in ring
	ahead int // number of lines read ahead
	taken int // number of lines that nextLine has returned
	xml   bool
	err   error // error that ended the lines, io.EOF at the end
	respeller
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{in: parse.NewLinesLimited(r, name, maxLine, parse.OverlongKeepEnd)}
}

// peekLine returns the line i lines ahead. Line 0 is the next one. ok is false if the text ends before it.
func (l *lineReader) peekLine(i int) (line textLine, ok bool) {
	for l.ahead <= i && l.err == nil {
		l.readAhead()
	}
	if i >= l.ahead {
		return textLine{}, false
	}
	return l.ring[(l.head+i)%len(l.ring)], true
}

func (l *lineReader) nextLine() (line textLine, ok bool) {
	line, ok = l.peekLine(0)
	if ok {
		l.head = (l.head + 1) % len(l.ring)
		l.ahead--
		l.taken++
	}
	return line, ok
}

func (l *lineReader) readError() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

func (l *lineReader) readAhead() {
	text, err := l.in.Next()
	for err == nil && l.isLogTag(text) {
		text, err = l.in.Next()
	}
	if l.err = err; err != nil {
		return
	}
	if l.xml = l.xml || isEscapedHeader(text); l.xml && bytes.IndexByte(text, '&') >= 0 {
		text = []byte(unescapes.Replace(string(text)))
	}
	text, bare := l.respell(text)
	slot := &l.ring[(l.head+l.ahead)%len(l.ring)]
	slot.Place, slot.text, slot.bare, slot.cut = l.in.Place, append(slot.text[:0], text...), bare, !l.in.Whole
	l.ahead++
}

// logTags are prefixes of lines that identify an XML log.
var logTags = [][]byte{[]byte("<?xml "), []byte("<hotspot_log "), []byte("<tty>"), []byte("<writer thread=")}

func (l *lineReader) isLogTag(line []byte) bool {
	if len(line) == 0 || line[0] != '<' {
		return false
	}
	for _, t := range logTags {
		l.xml = l.xml || bytes.HasPrefix(line, t)
	}
	return l.xml
}

// unescapes replaces the escapes in HotSpot's XML logs.
var unescapes = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'")
