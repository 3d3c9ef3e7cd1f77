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
	rec   recording
	name  string // file name
	last  string // last key
	item  int    // number of items in its section
	odd   int    // number of omitted items in the section
	whole int64  // end offset of the last complete item or key
	seen  [sectionKinds]bool
	keys  map[string]bool // unknown keys
	small int             // number of skipped short items

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
	if err := p.expectToken('{'); err != nil {
		return err
	}
	for c, err := p.peekByte(); c != '}'; c, err = p.peekByte() {
		if err != nil {
			return err
		}
		if len(p.rec.sections) > 0 {
			if err := p.expectToken(','); err != nil {
				return err
			}
		}
		if err := p.readSection(); err != nil {
			return err
		}
	}
	p.pos++
	if _, err := p.peekByte(); !errors.Is(err, ErrCut) {
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

func (p *parser) readSection() error {
	key, err := p.readSectionKey()
	if err != nil {
		return err
	}
	kind, known := kindOf[key]
	if old, ok := oldKeys[key]; ok && p.rec.old {
		kind, known = old, true
	}
	c, err := p.peekByte()
	if err != nil {
		return err
	}
	if known && c != openingByte(kind, key) {
		kind = foreign
	}
	if kind == foreign && p.keys[key] || kind != foreign && p.seen[kind] {
		return p.syntaxError(fmt.Sprintf("a second %q", key))
	}
	p.last, p.item, p.odd, p.whole = key, 0, 0, p.textOffset()
	p.rec.sections = append(p.rec.sections, section{kind: kind, key: key, first: len(p.rec.records)})
	err = p.readContent(&p.rec.sections[len(p.rec.sections)-1])
	switch {
	case kind != foreign:
		p.seen[kind] = true
		if kind == methods && p.seen[types] {
			p.arrived()
		}
	case err != nil:
		p.rec.sections = p.rec.sections[:len(p.rec.sections)-1]
	default:
		p.keys[key] = true
		if len(p.keys) > parse.MaxKeys {
			err = p.newError(parse.Exceeded("more than %d keys that no profile has", parse.MaxKeys), "")
		}
	}
	return err
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

func (p *parser) readContent(sec *section) error {
	switch sec.kind {
	case foreign:
		return p.readElement(func() bool { return false }, func(text []byte) { sec.text = string(text) })
	case version:
		return p.readVersion()
	}
	var err error
	if sec.key == oldMonitors {
		err = p.readItems(sec, p.readObject)
	} else {
		err = p.readItems(sec, p.readArray)
	}
	sec.items = p.item - p.odd
	sec.count = len(p.rec.records) - sec.first
	return err
}

func (p *parser) readItems(sec *section, each func(one func() error) error) error {
	fast := p.recordReader(sec)
	switch sec.kind {
	case types:
		fast = p.readType
	case methods:
		fast = p.readMethod
	}
	odd := func(text []byte) { p.readOddItem(sec, text, fast) }
	return each(func() error { return p.readElement(fast, odd) })
}

// readObject reads the only item of a section without an array.
func (p *parser) readObject(one func() error) error {
	if err := one(); err != nil {
		return err
	}
	p.item++
	return nil
}

func (p *parser) readArray(one func() error) error {
	if err := p.expectToken('['); err != nil {
		return err
	}
	for {
		c, err := p.peekByte()
		if err != nil {
			return err
		}
		if c == ']' {
			p.pos++
			return nil
		}
		if p.item > 0 {
			if err := p.expectToken(','); err != nil {
				return err
			}
		}
		if err := one(); err != nil {
			return err
		}
		p.item++
		p.whole = p.textOffset()
	}
}

// readElement reads one item. fast reads a valid item and otherwise has no effect. Then readElement calls odd with the
// item's text.
func (p *parser) readElement(fast func() bool, odd func(text []byte)) error {
	for {
		p.skipBlanks()
		mark := p.pos
		if fast() {
			return nil
		}
		if p.pos != p.end {
			p.pos = mark
			if p.skipValue() {
				odd(p.buf[mark:p.pos])
				return p.countSmall(p.pos - mark)
			}
			if p.exceeded != nil {
				return p.newError(p.exceeded, "")
			}
			if p.pos != p.end {
				return p.syntaxError("")
			}
		}
		if !p.readMore(mark) {
			return p.cutError()
		}
	}
}

// countSmall counts skipped short items, and rejects a file with too many of them early.
func (p *parser) countSmall(size int) error {
	if size >= parse.SmallItem {
		return nil
	}
	if p.small++; p.small > parse.MaxSmallItems {
		return p.newError(parse.Exceeded("more than %d items that are not what an iprof file has there",
			parse.MaxSmallItems), "")
	}
	return nil
}

// peekByte returns the next byte that is not blank, without consuming it.
func (p *parser) peekByte() (byte, error) {
	for {
		p.skipBlanks()
		if p.pos != p.end {
			return p.buf[p.pos], nil
		}
		if !p.readMore(p.pos) {
			return 0, p.cutError()
		}
	}
}

func (p *parser) expectToken(c byte) error {
	found, err := p.peekByte()
	if err != nil {
		return err
	}
	if found != c {
		return p.syntaxError(fmt.Sprintf("expected %q", c))
	}
	p.pos++
	return nil
}

func (p *parser) readSectionKey() (key string, err error) {
	found := false
	err = p.readElement(func() bool {
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
	if err == nil && !found {
		err = p.syntaxError("expected a key and a colon")
	}
	return key, err
}

// readVersion reads the version and rejects unknown major versions.
func (p *parser) readVersion() error {
	err := p.readElement(func() bool {
		t, plain, ok := p.readStringToken()
		if ok && plain {
			p.rec.version = string(t)
		}
		return ok && plain
	}, func([]byte) {})
	if err != nil {
		return err
	}
	m := versionText().FindStringSubmatch(p.rec.version)
	switch {
	case m == nil:
		return p.newError(ErrNoProfile, fmt.Sprintf("version %q", p.rec.version))
	case m[1] != "0" && m[1] != "1":
		return p.newError(ErrVersion, fmt.Sprintf("version %q", p.rec.version))
	}
	p.rec.old = oldVersion(p.rec.version)
	return nil
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
