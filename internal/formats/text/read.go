package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Detect reports whether head begins the text of an archive, of any version.
func Detect(head []byte) bool { return bytes.HasPrefix(head, []byte(firstWords)) }

// readText reads a text into a new builder. The error is an [*Error] if the text is malformed, or the error of the
// input.
func (*Importer) readText(in *codec.Input) (*Report, error) {
	p := &parser{in: in, lines: parse.NewLines(in, in.Name), head: headerLines{seen: map[string]bool{}},
		profiles: map[profileKey]profileset.ProfileRef{}, tables: map[disk.TableKind]bool{}}
	p.refOf = p.cellRef
	err := p.readText()
	if e := (*Error)(nil); err != nil && in.Name != "" && !errors.As(err, &e) {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	if err != nil {
		return nil, err
	}
	p.report.Lines = p.lines.Line
	p.takeAccount()
	p.report.Dumps = []*builder.Builder{p.b}
	return &p.report, nil
}

type parser struct {
	cursor
	in         *codec.Input
	lines      *parse.Lines
	report     Report
	head       headerLines      // parsed header
	b          *builder.Builder // nil before the end of the header
	shape      disk.Shape
	refs       refCache
	ended      bool  // the line "end" was read
	failure    error // error of a line with valid syntax
	misordered bool  // the line begins an order table of another domain

	method   builder.MethodRef // open method, or 0
	profile  openProfile
	profiles map[profileKey]profileset.ProfileRef
	table    openTable
	tables   map[disk.TableKind]bool // kinds that occurred
	stack    stackRow
	frames   []builder.Frame
	counts   ledger.Counter // counts of the text

	entry openEntry
	refOf func(cell int, kind disk.CellKind) uint64 // cellRef
	bytes []byte                                    // scratch
}

func (p *parser) readText() error {
	if err := p.readFirstLine(); err != nil {
		return err
	}
	for {
		line, err := p.lines.Next()
		if err == io.EOF && !p.ended {
			return p.lines.Fail(ErrCut)
		}
		if err == io.EOF {
			return p.b.Err()
		}
		if err != nil {
			return err
		}
		if err := p.readLine(line); err != nil {
			return err
		}
	}
}

// takeAccount completes the account that the text carries. A text is an archive in another form, so an import adds no
// account to one without. A user who changed counts has not changed the account, so it gets a row for the difference.
func (p *parser) takeAccount() {
	p.report.Totals = p.counts.Totals
	set := p.b.Internal()
	account := set.Account()
	for _, d := range account.Residual(p.counts.Totals) {
		set.AddLoss(ledger.Loss{Operation: ledger.OperationImport, Reason: "counts that were changed in the text",
			Unit: d.Unit, Gained: d.Gained, Amount: d.Amount})
	}
}

func (p *parser) readFirstLine() error {
	line, err := p.lines.Next()
	if err != nil && err != io.EOF {
		return err
	}
	p.cursor = newCursor(line)
	if !Detect(line) {
		return p.lines.FailAt(&p.Cursor, ErrFormat)
	}
	p.Expect(firstLine)
	if p.expectLineEnd(); !p.OK() {
		return p.lines.FailAt(&p.Cursor, ErrVersion)
	}
	return nil
}

func (p *parser) readLine(line []byte) error {
	p.cursor = newCursor(line)
	if p.nextToken() {
		p.readLineByWord()
	} else if p.expectLineEnd(); p.At == len(line) {
		p.closeMethod() // if the next method line was deleted, its profiles must not join this method
	}
	p.expectLineEnd()
	if p.failure != nil {
		return p.failure
	}
	if err := p.lines.Missing(&p.Cursor, p.mismatchKind()); err != nil || p.b == nil {
		return err
	}
	if err := p.b.Err(); err != nil {
		return p.lines.Fail(err)
	}
	return nil
}

// mismatchKind returns the sentinel for a mismatch in the line.
func (p *parser) mismatchKind() error {
	if p.misordered {
		return ErrOrder
	}
	return ErrSyntax
}

// recordFailure records the builder's error about the item that began at line.
func (p *parser) recordFailure(line parse.Place, err error) {
	if err != nil && p.failure == nil {
		p.failure = line.Fail(err)
	}
}

// readLineByWord selects the reader of the line by its first word and the open method, profile or table.
func (p *parser) readLineByWord() {
	start := p.At
	if p.ended {
		p.Miss("nothing after the line \"end\"")
		return
	}
	if p.Line[p.At] == '@' {
		p.readEntryLine(start, disk.SectionData)
		return
	}
	word := p.takeWord("a word")
	if p.b == nil {
		if p.readHeaderLine(word) {
			return
		}
		p.beginArchive()
	}
	if p.b == nil || p.readProfileLine(start, word) || p.readMethodLine(word) || p.readRowLine(word) {
		return
	}
	p.readTopLine(start, word)
}

// readTopLine closes the open method or table and reads a line that can only follow it.
func (p *parser) readTopLine(start int, word []byte) {
	before := p.describeValidLines()
	p.closeMethod()
	switch string(word) {
	case "type":
		p.readTypeLine()
	case "method":
		p.readNewMethodLine()
	case "table":
		p.readNewTableLine()
	case "end":
		p.ended = true
	default:
		p.MissAt(start, before)
	}
}

func (p *parser) describeValidLines() string {
	switch {
	case p.profile.Profile != nil:
		return "an entry (@ and a point), a field of the profile, or context, profile, method, type, table, end"
	case p.method != 0:
		return "context, profile, method, type, table, end"
	case p.table.columns != nil:
		return "row, or table, method, type, end"
	}
	return "method, type, table, end; a blank line ends a method and a table"
}

type headerLines struct {
	config builder.Config
	domain layout.Domain
	shapes []layout.EntryShape
	seen   map[string]bool // words that occurred
}

func (p *parser) readHeaderLine(word []byte) bool {
	read := headerReaders[string(word)]
	if read == nil {
		return false
	}
	p.rejectRepeated(string(word))
	read(p)
	return true
}

var headerReaders = map[string]func(*parser){
	"domain":      (*parser).readDomainLine,
	"producer":    func(p *parser) { p.nextToken(); p.head.config.Producer = string(p.takeName()) },
	"producer-id": func(p *parser) { p.takeID(&p.head.config.ProducerID) },
	"shape":       (*parser).readShapeLine,
	"cell":        func(p *parser) { p.readShapeCell(func(s *layout.EntryShape) *[]layout.CellShape { return &s.Cells }) },
	"row":         func(p *parser) { p.readShapeCell(func(s *layout.EntryShape) *[]layout.CellShape { return &s.Rows }) },
	"fingerprint": func(p *parser) { p.takeID(&p.head.config.Fingerprint) },
	"dump-id":     func(p *parser) { p.takeID(&p.head.config.DumpID) },
	"time":        (*parser).readTimeLine,
	"flags":       func(p *parser) { p.nextToken(); p.head.config.Flags = p.takeBits(archiveFlags, math.MaxUint64) },
	"param":       (*parser).readParamLine,
}

var repeatableWords = map[string]bool{"param": true, "shape": true, "cell": true, "row": true}

func (p *parser) rejectRepeated(word string) {
	if !repeatableWords[word] && p.head.seen[word] {
		p.MissAt(p.At-len(word), "no second "+word)
	}
	p.head.seen[word] = true
}

func (p *parser) readDomainLine() {
	p.nextToken()
	start := p.At
	word := string(p.takeWord("a domain"))
	for d := layout.DomainHotSpot; disk.KnownDomain(d); d++ {
		if d.String() == word {
			p.head.domain = d
			return
		}
	}
	p.MissAt(start, "a domain: hotspot, llvm-ir, llvm-frontend, graal, jamaica, custom or sampled")
}

func (p *parser) takeID(id *[16]byte) {
	p.nextToken()
	start := p.At
	p.bytes = p.takeHexBytes(p.bytes[:0])
	if len(p.bytes) != len(id) {
		p.MissAt(start, "32 hexadecimal digits")
		return
	}
	copy(id[:], p.bytes)
}

// readTimeLine reads a time, which must fit 64 bits of nanoseconds since 1970. Archives use 0 for an unknown time.
func (p *parser) readTimeLine() {
	p.nextToken()
	start := p.At
	t, err := time.Parse(time.RFC3339Nano, string(p.takeWord("a time")))
	if err != nil || t.Before(time.Unix(0, math.MinInt64)) || t.After(time.Unix(0, math.MaxInt64)) {
		p.MissAt(start, "a time as 2006-01-02T15:04:05.999999999Z, from 1677 to 2262")
		return
	}
	if t.UnixNano() != 0 {
		p.head.config.DumpTime = t
	}
}

func (p *parser) readParamLine() {
	p.nextToken()
	i := p.takeListedWord(paramWords, uint64(len(disk.Settings(&p.head.config.Params)))-1, "a setting")
	p.nextToken()
	v := uint32(p.takeUint(math.MaxUint32))
	if p.OK() && *disk.Settings(&p.head.config.Params)[i] != 0 {
		p.Miss("no second line for this setting")
	}
	if p.OK() {
		*disk.Settings(&p.head.config.Params)[i] = v
	}
}

// takeListedWord consumes a word of the list, or a number of at most limit.
func (p *parser) takeListedWord(list wordList, limit uint64, what string) uint64 {
	start := p.At
	if p.atDigit() {
		return p.takeUint(limit)
	}
	n, ok := list.numberOf(p.takeWord(what))
	if !ok && p.OK() {
		p.MissAt(start, what+": "+list.joinWords()+", or a number")
	}
	return uint64(n)
}

// takeBits consumes words or numbers with commas between them, and returns their union.
func (p *parser) takeBits(words wordList, limit uint64) (bits uint64) {
	for {
		bits |= p.takeBit(words, limit)
		if !p.Skip(",") {
			return bits
		}
	}
}

func (p *parser) takeBit(words wordList, limit uint64) uint64 {
	return p.takeBitUntil(",]", words, limit, "a flag that has a name here, or a number")
}

// takeBitUntil consumes a word, up to one of the bytes of ends, or a number. Errors call it expected.
func (p *parser) takeBitUntil(ends string, words wordList, limit uint64, expected string) uint64 {
	if p.atDigit() {
		return p.takeUint(limit)
	}
	start := p.At
	for p.OK() && !p.atTokenEnd() && strings.IndexByte(ends, p.Line[p.At]) < 0 {
		p.At++
	}
	n, ok := words.numberOf(p.Line[start:p.At])
	if !ok {
		p.MissAt(start, expected)
		return 0
	}
	return 1 << n
}

// beginArchive creates the builder at the first line after the header.
func (p *parser) beginArchive() {
	domain := p.head.domain
	if domain == 0 {
		p.MissAt(0, "a line of the header: domain and its name")
		return
	}
	if domain == layout.DomainCustom && p.builderConfig().ProducerID == [16]byte{} {
		p.MissAt(0, "a line of the header: producer-id and 32 hexadecimal digits")
		return
	}
	p.shape = disk.ShapeOfParams(&p.head.config.Params)
	p.report.Domain = domain
	p.b = builder.New(domain, p.builderConfig())
	if err := p.declareShapes(); err != nil {
		p.failure = p.lines.Fail(err)
	}
	p.counts = ledger.Counter{Domain: domain, Shape: p.shape, Totals: ledger.Totals{}}
}

// builderConfig merges the header of the text with the configuration of the import.
func (p *parser) builderConfig() builder.Config {
	c := p.in.Config
	head := &p.head.config
	c.Params = head.Params
	c.Flags = head.Flags
	c.Producer = cmp.Or(c.Producer, head.Producer)
	c.ProducerID = cmp.Or(c.ProducerID, head.ProducerID)
	c.Fingerprint = cmp.Or(c.Fingerprint, head.Fingerprint)
	c.DumpID = cmp.Or(c.DumpID, head.DumpID)
	if c.DumpTime.IsZero() {
		c.DumpTime = head.DumpTime
	}
	return c
}
