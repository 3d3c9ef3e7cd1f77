package iprof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Detect reports whether a file that begins with head is likely one. Types and
// methods alone do not tell it from other JSON, behind keys that it does not have.
func Detect(head []byte) bool {
	s := scanner{buf: append(head[:len(head):len(head)], 0), end: len(head)}
	if !s.token('{') {
		return false
	}
	for others := false; ; {
		from := s.pos
		key, ok := s.key()
		if !ok {
			return !others && cutInKey(bytes.TrimSpace(head[from:]))
		}
		kind := kindOf[string(key)]
		if kind >= calls || oldKeys[string(key)] != foreign || kind > version && !others {
			return true
		}
		others = others || kind == foreign
		if !s.value(0) || !s.token(',') {
			return s.pos == s.end && kind == version
		}
	}
}

// cutInKey reports whether the rest of a head is the beginning of a key that a
// profile has.
func cutInKey(rest []byte) bool {
	for key := range kindOf {
		if strings.HasPrefix(`"`+key+`":`, string(rest)) {
			return true
		}
	}
	return false
}

// require adds sections that a profile must have.
func (rec *recording) require(kinds ...sectionKind) {
	for _, k := range kinds {
		if !slices.ContainsFunc(rec.sections, func(s section) bool { return s.kind == k }) {
			rec.sections = append(rec.sections, section{kind: k, key: sectionKeys[k]})
		}
	}
}
