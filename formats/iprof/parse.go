package iprof

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/parse"
)

// ReadOptions say how a file is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config is what the archive says of itself.
	Config builder.Config
	// Unordered forgets the order of the file, its ids, and items that are more
	// than profiles.
	Unordered bool
	// Salvage takes what is whole of a file that is cut off or damaged.
	Salvage bool
}

// Read reads an iprof file, decompressed, into a builder of its own. The error
// is an [*Error] where the file is not what GraalVM writes.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report := &Report{}
	p := newParser(r, o.Name)
	build := newBuild(&p.rec, o, report)
	p.salvage, p.arrived = o.Salvage, build.arrive
	if err := p.file(); err != nil {
		if report.Salvage = p.salvaged(err); report.Salvage == nil {
			build.stop()
			return nil, nil, err
		}
		p.rec.require(types, methods)
	}
	report.Version = p.rec.version
	b, err := build.finish()
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return b, report, err
}

// salvaged says what was not read of a damaged file, nil if nothing of it is to
// be used: without a version, what is whole has no meaning.
func (p *parser) salvaged(err error) *Salvage {
	var damage *Error
	if !errors.As(err, &damage) || !p.salvage || !errors.Is(err, ErrCut) && !errors.Is(err, ErrSyntax) && !errors.Is(err, parse.ErrLimit) {
		return nil
	}
	if p.rec.version == "" {
		damage.Detail += ": there is nothing to salvage, for what is whole has no version"
		return nil
	}
	return &Salvage{Offset: p.whole, Last: damage.Last, Left: damage.Offset + p.rest() - p.whole, Reason: damage}
}

// require adds sections that a profile must have.
func (rec *recording) require(kinds ...sectionKind) {
	for _, k := range kinds {
		if !slices.ContainsFunc(rec.sections, func(s section) bool { return s.kind == k }) {
			rec.sections = append(rec.sections, section{kind: k, key: sectionKeys[k]})
		}
	}
}

// A parser reads a file into a recording.
type parser struct {
	scanner
	rec   recording
	name  string // of the file
	last  string // of the sections: the last key
	item  int    // items of that section
	whole int64  // where the last whole item, or key, ends
	seen  [sectionKinds]bool
	keys  map[string]bool // that are foreign
	small int             // short items that are kept as text
	kept  texts

	salvage bool // what is whole is taken, whatever follows

	arrived func() // is called when the recording has all types, and another batch of methods

	id     int64   // of a type or method
	called []byte  // its name, in the spelling of a key
	ids    []int64 // of a signature, or the integers of a record
	path   []frame // of a record, leaf first
	spoken []byte  // scratch of unescape
}

func newParser(r io.Reader, name string) *parser {
	return &parser{scanner: newScanner(r), name: name, keys: map[string]bool{}, arrived: func() {}}
}

// file reads the one object that a file is. If there is an error, rec holds what
// was whole before.
func (p *parser) file() error {
	if err := p.expect('{'); err != nil {
		return err
	}
	for c, err := p.next(); c != '}'; c, err = p.next() {
		if err != nil {
			return err
		}
		if len(p.rec.sections) > 0 {
			if err := p.expect(','); err != nil {
				return err
			}
		}
		if err := p.section(); err != nil {
			return err
		}
	}
	p.pos++
	if _, err := p.next(); !errors.Is(err, ErrCut) {
		return p.syntax("text behind the end of the object")
	}
	if p.err != io.EOF {
		return p.failed()
	}
	return p.complete()
}

// complete checks that a file is a profile.
func (p *parser) complete() error {
	for _, k := range []sectionKind{version, types, methods} {
		if !p.seen[k] {
			return p.error(ErrNoProfile, fmt.Sprintf("no %q", sectionKeys[k]))
		}
	}
	return nil
}

// section reads a key and what stands under it.
func (p *parser) section() error {
	key, err := p.sectionKey()
	if err != nil {
		return err
	}
	kind, known := kindOf[key]
	if old, ok := oldKeys[key]; ok && p.rec.old {
		kind, known = old, true
	}
	c, err := p.next()
	if err != nil {
		return err
	}
	if known && c != opening(kind, key) {
		kind = foreign
	}
	if kind == foreign && p.keys[key] || kind != foreign && p.seen[kind] {
		return p.syntax(fmt.Sprintf("a second %q", key))
	}
	p.last, p.item, p.whole = key, 0, p.offset()
	p.rec.sections = append(p.rec.sections, section{kind: kind, key: key, first: len(p.rec.records)})
	err = p.content(&p.rec.sections[len(p.rec.sections)-1])
	switch {
	case kind != foreign:
		p.seen[kind] = true
		if kind == methods && p.seen[types] {
			p.arrived()
		}
	case err != nil:
		p.rec.sections = p.rec.sections[:len(p.rec.sections)-1]
	default:
		if p.keys[key] = true; len(p.keys) > parse.MaxKeys {
			err = p.error(parse.Exceeded("more than %d keys that no profile has", parse.MaxKeys), "")
		}
	}
	return err
}

// opening is the first byte of what should stand under a key.
func opening(k sectionKind, key string) byte {
	switch {
	case k == version:
		return '"'
	case key == oldMonitors:
		return '{'
	}
	return '['
}

func (p *parser) content(sec *section) error {
	switch sec.kind {
	case foreign:
		return p.element(func() bool { return false }, func(text []byte) { sec.text = string(text) })
	case version:
		return p.readVersion()
	}
	var err error
	if sec.key == oldMonitors {
		err = p.items(sec, p.object)
	} else {
		err = p.items(sec, p.array)
	}
	sec.items, sec.count = p.item, len(p.rec.records)-sec.first
	return err
}

// items reads the items of a section, which each goes through.
func (p *parser) items(sec *section, each func(one func() error) error) error {
	fast := p.recordItem(sec)
	switch sec.kind {
	case types:
		fast = p.typeItem
	case methods:
		fast = p.methodItem
	}
	odd := func(text []byte) { p.odd(sec, text, fast) }
	return each(func() error { return p.element(fast, odd) })
}

// object is the one item of a section that is no array.
func (p *parser) object(one func() error) error {
	if err := one(); err != nil {
		return err
	}
	p.item++
	return nil
}

func (p *parser) array(one func() error) error {
	if err := p.expect('['); err != nil {
		return err
	}
	for {
		c, err := p.next()
		if err != nil {
			return err
		}
		if c == ']' {
			p.pos++
			return nil
		}
		if p.item > 0 {
			if err := p.expect(','); err != nil {
				return err
			}
		}
		if err := one(); err != nil {
			return err
		}
		p.item++
		p.whole = p.offset()
	}
}

// element reads one item. fast takes it if it is as it should be, and must have
// no effect otherwise; then odd is given its text.
func (p *parser) element(fast func() bool, odd func(text []byte)) error {
	for {
		p.blanks()
		mark := p.pos
		if fast() {
			return nil
		}
		if p.pos != p.end {
			p.pos = mark
			if p.value(0) {
				odd(p.buf[mark:p.pos])
				return p.tooManySmall(p.pos - mark)
			}
			if p.exceeded != nil {
				return p.error(p.exceeded, "")
			}
			if p.pos != p.end {
				return p.syntax("")
			}
		}
		if !p.more(mark) {
			return p.cut()
		}
	}
}

// tooManySmall counts items that are kept as text: one that is short takes many
// times its size.
func (p *parser) tooManySmall(size int) error {
	if size >= parse.SmallItem {
		return nil
	}
	if p.small++; p.small > parse.MaxSmallItems {
		return p.error(parse.Exceeded("more than %d items that are not what an iprof file has there", parse.MaxSmallItems), "")
	}
	return nil
}

// next is the next byte that is not blank; it is not read yet.
func (p *parser) next() (byte, error) {
	for {
		p.blanks()
		if p.pos != p.end {
			return p.buf[p.pos], nil
		}
		if !p.more(p.pos) {
			return 0, p.cut()
		}
	}
}

func (p *parser) expect(c byte) error {
	found, err := p.next()
	if err != nil {
		return err
	}
	if found != c {
		return p.syntax(fmt.Sprintf("expected %q", c))
	}
	p.pos++
	return nil
}

func (p *parser) sectionKey() (key string, err error) {
	found := false
	err = p.element(func() bool {
		t, plain, ok := p.text()
		if !ok || !p.token(':') {
			return false
		}
		key, found = string(t), true
		if !plain {
			key = strings.ToValidUTF8(string(unescape(nil, t)), "\uFFFD")
		}
		return true
	}, func([]byte) {})
	if err == nil && !found {
		err = p.syntax("expected a key and a colon")
	}
	return key, err
}

// readVersion reads the version, and refuses those that are laid out in another
// way.
func (p *parser) readVersion() error {
	err := p.element(func() bool {
		t, plain, ok := p.text()
		if ok && plain {
			p.rec.version = string(t)
		}
		return ok && plain
	}, func([]byte) {})
	if err != nil {
		return err
	}
	m := versionText.FindStringSubmatch(p.rec.version)
	switch {
	case m == nil:
		return p.error(ErrNoProfile, fmt.Sprintf("version %q", p.rec.version))
	case m[1] != "0" && m[1] != "1":
		return p.error(ErrVersion, fmt.Sprintf("version %q", p.rec.version))
	}
	p.rec.old = oldVersion(p.rec.version)
	return nil
}

var versionText = regexp.MustCompile(`^([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}$`)

func (p *parser) syntax(detail string) error {
	if found := p.buf[p.pos:min(p.end, p.pos+20)]; detail == "" || len(found) > 0 {
		detail = strings.TrimPrefix(fmt.Sprintf("%s, found %q", detail, found), ", ")
	}
	return p.error(ErrSyntax, detail)
}

// What to do about a text that ends too early.
const (
	adviceAgain   = "let the program exit by itself and dump again"
	adviceSalvage = ", or import what is whole with --salvage"
)

// cut is the error of a text that ends too early. Of one that was packed, the
// reader says what is to be done.
func (p *parser) cut() error {
	if p.exceeded != nil {
		return p.error(p.exceeded, "")
	}
	advice := adviceAgain
	if p.err != io.EOF {
		if !errors.Is(p.err, io.ErrUnexpectedEOF) {
			return p.failed()
		}
		advice = strings.TrimPrefix(p.err.Error(), p.name+": ")
	}
	if !p.salvage {
		advice += adviceSalvage
	}
	p.pos = p.end
	return p.error(ErrCut, advice)
}

// failed is the error of the reader.
func (p *parser) failed() error {
	if p.name != "" {
		return fmt.Errorf("%s: %w", p.name, p.err)
	}
	return p.err
}

func (p *parser) error(kind error, detail string) error {
	return &Error{Name: p.name, Offset: p.offset(), Last: p.lastWhole(), Kind: kind, Detail: detail}
}

// lastWhole names the last record that was read.
func (p *parser) lastWhole() string {
	switch {
	case p.last == "":
		return ""
	case p.item == 0:
		return fmt.Sprintf("the key %q", p.last)
	}
	return fmt.Sprintf("record %d of %q", p.item, p.last)
}
