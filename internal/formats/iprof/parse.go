package iprof

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

// readProfile reads a decompressed iprof file into a new builder. The error for an invalid file is an [*Error].
func (i *Importer) readProfile(in *codec.Input) (*Report, error) {
	report := &Report{Report: codec.Report{Totals: ledger.Totals{}}}
	p := newParser(in, in.Name)
	p.rec.lost = ledger.Totals{}
	build := &build{recording: &p.rec, b: builder.New(layout.DomainGraal, in.Config), options: in, report: report,
		ordinals: map[int]int{}}
	p.salvage = i.Salvage
	p.arrived = build.internArrived
	if err := p.readFile(); err != nil {
		report.Salvage = p.salvaged(err)
		if report.Salvage == nil {
			build.waitForIntake()
			return nil, err
		}
		p.rec.requireSections(types, methods)
	}
	report.Version = p.rec.version
	b, err := build.addRecording()
	report.Dumps = []*builder.Builder{b}
	return report, parse.WithName(in.Name, err)
}

// salvaged describes the unread part of a damaged file. It returns nil if nothing is usable, for example without a
// version.
func (p *parser) salvaged(err error) *Salvage {
	var damage *Error
	if !errors.As(err, &damage) || !p.salvage || !errors.Is(err, ErrCut) && !errors.Is(err, ErrSyntax) &&
		!errors.Is(err, parse.ErrLimit) {
		return nil
	}
	if p.rec.version == "" {
		damage.Detail += ": there is nothing to salvage, for what is whole has no version"
		return nil
	}
	return &Salvage{Offset: p.whole, Last: damage.Last, Left: damage.Offset + p.countRest() - p.whole, Reason: damage}
}

func (rec *recording) requireSections(kinds ...sectionKind) {
	for _, k := range kinds {
		if !slices.ContainsFunc(rec.sections, func(s section) bool { return s.kind == k }) {
			rec.sections = append(rec.sections, section{kind: k, key: sectionKeys[k]})
		}
	}
}

type parser struct {
	scanner
	parse.FirstError // its methods then read nothing
	rec              recording
	name             string // file name
	last             string // last key
	item             int    // number of items in its section
	odd              int    // number of omitted items in the section
	whole            int64  // end offset of the last complete item or key
	seen             [sectionKinds]bool
	keys             map[string]bool // unknown keys
	small            int             // number of skipped short items

	salvage bool // use complete items before an error

	arrived func() // called after all types and after each full batch of methods

	id     int64   // id of the current type or method
	called []byte  // its name, as spelled in keys
	ids    []int64 // ids of a signature, or integers of a record
	path   []frame // frames of a record, leaf first
	spoken []byte  // buffer for unescape
}

func newParser(r io.Reader, name string) *parser {
	return &parser{scanner: newScanner(r), name: name, keys: map[string]bool{}, arrived: func() {}}
}

// readFile reads the object of a file. After an error, rec holds the complete items before it.
func (p *parser) readFile() error {
	p.expectToken('{')
	for p.peekByte() != '}' && p.Err == nil {
		if len(p.rec.sections) > 0 {
			p.expectToken(',')
		}
		p.readSection()
	}
	if p.Err != nil {
		return p.Err
	}
	p.pos++
	p.peekByte()
	if !errors.Is(p.Err, ErrCut) {
		return p.syntaxError("text after the end of the object")
	}
	if p.err != io.EOF {
		return p.readerError()
	}
	return p.checkComplete()
}

func (p *parser) checkComplete() error {
	for _, k := range []sectionKind{version, types, methods} {
		if !p.seen[k] {
			return p.newError(ErrNoProfile, fmt.Sprintf("no %q", sectionKeys[k]))
		}
	}
	return nil
}

func (p *parser) readSection() {
	key := p.readSectionKey()
	kind, known := kindOf[key]
	if old, ok := oldKeys[key]; ok && p.rec.old {
		kind, known = old, true
	}
	first := p.peekByte()
	if known && first != openingByte(kind, key) {
		kind = foreign
	}
	if kind == foreign && p.keys[key] || kind != foreign && p.seen[kind] {
		p.Fail(p.syntaxError(fmt.Sprintf("a second %q", key)))
	}
	if p.Err != nil {
		return
	}
	p.last, p.item, p.odd, p.whole = key, 0, 0, p.textOffset()
	p.rec.sections = append(p.rec.sections, section{kind: kind, key: key, first: len(p.rec.records)})
	p.readContent(&p.rec.sections[len(p.rec.sections)-1])
	switch {
	case kind != foreign:
		p.seen[kind] = true
		if kind == methods && p.seen[types] {
			p.arrived()
		}
	case p.Err != nil:
		p.rec.sections = p.rec.sections[:len(p.rec.sections)-1]
	default:
		p.keys[key] = true
		if len(p.keys) > parse.MaxKeys {
			p.Fail(p.newError(parse.Exceeded("more than %d keys that no profile has", parse.MaxKeys), ""))
		}
	}
}

func openingByte(k sectionKind, key string) byte {
	switch {
	case k == version:
		return '"'
	case key == oldMonitors:
		return '{'
	}
	return '['
}

func (p *parser) readContent(sec *section) {
	switch {
	case sec.kind == foreign:
		p.readElement(func() bool { return false }, func(text []byte) { sec.text = string(text) })
		return
	case sec.kind == version:
		p.readVersion()
		return
	case sec.key == oldMonitors:
		p.readItems(sec, p.readObject)
	default:
		p.readItems(sec, p.readArray)
	}
	sec.items = p.item - p.odd
	sec.count = len(p.rec.records) - sec.first
}

func (p *parser) readItems(sec *section, each func(one func())) {
	fast := p.recordReader(sec)
	switch sec.kind {
	case types:
		fast = p.readType
	case methods:
		fast = p.readMethod
	}
	odd := func(text []byte) { p.readOddItem(sec, text, fast) }
	each(func() { p.readElement(fast, odd) })
}

// readObject reads the only item of a section without an array.
func (p *parser) readObject(one func()) {
	one()
	if p.Err == nil {
		p.item++
	}
}

func (p *parser) readArray(one func()) {
	p.expectToken('[')
	for p.peekByte() != ']' && p.Err == nil {
		if p.item > 0 {
			p.expectToken(',')
		}
		one()
		if p.Err == nil {
			p.item++
			p.whole = p.textOffset()
		}
	}
	if p.Err == nil {
		p.pos++
	}
}

// readElement reads one item. fast reads a valid item and otherwise has no effect. Then readElement calls odd with the
// item's text.
func (p *parser) readElement(fast func() bool, odd func(text []byte)) {
	for p.Err == nil {
		p.skipBlanks()
		mark := p.pos
		if fast() {
			return
		}
		if p.pos != p.end {
			p.pos = mark
			switch {
			case p.skipValue():
				odd(p.buf[mark:p.pos])
				p.countSmall(p.pos - mark)
				return
			case p.exceeded != nil:
				p.Fail(p.newError(p.exceeded, ""))
			case p.pos != p.end:
				p.Fail(p.syntaxError(""))
			}
		}
		if p.Err == nil && !p.readMore(mark) {
			p.Fail(p.cutError())
		}
	}
}

// countSmall counts skipped short items, and rejects a file with too many of them early.
func (p *parser) countSmall(size int) {
	if size >= parse.SmallItem {
		return
	}
	if p.small++; p.small > parse.MaxSmallItems {
		p.Fail(p.newError(parse.Exceeded("more than %d items that are not what an iprof file has there",
			parse.MaxSmallItems), ""))
	}
}

// peekByte returns the next byte that is not blank, without consuming it, and 0 after an error.
func (p *parser) peekByte() byte {
	for p.Err == nil {
		p.skipBlanks()
		if p.pos != p.end {
			return p.buf[p.pos]
		}
		if !p.readMore(p.pos) {
			p.Fail(p.cutError())
		}
	}
	return 0
}

func (p *parser) expectToken(c byte) {
	if p.peekByte() == c {
		p.pos++
		return
	}
	p.Fail(p.syntaxError(fmt.Sprintf("expected %q", c)))
}

func (p *parser) readSectionKey() (key string) {
	found := false
	p.readElement(func() bool {
		t, plain, ok := p.readStringToken()
		if !ok || !p.readToken(':') {
			return false
		}
		key = string(t)
		found = true
		if !plain {
			key = strings.ToValidUTF8(string(unescape(nil, t)), "\uFFFD")
		}
		return true
	}, func([]byte) {})
	if !found {
		p.Fail(p.syntaxError("expected a key and a colon"))
	}
	return key
}

// readVersion reads the version and rejects unknown major versions.
func (p *parser) readVersion() {
	p.readElement(func() bool {
		t, plain, ok := p.readStringToken()
		if ok && plain {
			p.rec.version = string(t)
		}
		return ok && plain
	}, func([]byte) {})
	m := versionText().FindStringSubmatch(p.rec.version)
	switch {
	case m == nil:
		p.Fail(p.newError(ErrNoProfile, fmt.Sprintf("version %q", p.rec.version)))
	case m[1] != "0" && m[1] != "1":
		p.Fail(p.newError(ErrVersion, fmt.Sprintf("version %q", p.rec.version)))
	default:
		p.rec.old = oldVersion(p.rec.version)
	}
}

var versionText = lazyregexp.New(`^([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}$`)

func (p *parser) syntaxError(detail string) error {
	if found := p.buf[p.pos:min(p.end, p.pos+20)]; detail == "" || len(found) > 0 {
		detail = strings.TrimPrefix(fmt.Sprintf("%s, found %q", detail, found), ", ")
	}
	return p.newError(ErrSyntax, detail)
}

const adviceAgain = "let the program exit by itself and dump again"

// cutError returns the error of a truncated text. For a compressed one, the error of the reader has the advice.
func (p *parser) cutError() error {
	if p.exceeded != nil {
		return p.newError(p.exceeded, "")
	}
	advice := adviceAgain
	if p.err != io.EOF {
		if !errors.Is(p.err, io.ErrUnexpectedEOF) {
			return p.readerError()
		}
		advice = strings.TrimPrefix(p.err.Error(), p.name+": ")
	}
	p.pos = p.end
	err := p.newError(ErrCut, advice)
	err.salvageable = !p.salvage
	return err
}

func (p *parser) readerError() error {
	return parse.WithName(p.name, p.err)
}

func (p *parser) newError(kind error, detail string) *Error {
	return &Error{Name: p.name, Offset: p.textOffset(), Last: p.lastWhole(), Kind: kind, Detail: detail}
}

// lastWhole names the last complete record.
func (p *parser) lastWhole() string {
	switch {
	case p.last == "":
		return ""
	case p.item == 0:
		return fmt.Sprintf("the key %q", p.last)
	}
	return fmt.Sprintf("record %d of %q", p.item, p.last)
}
