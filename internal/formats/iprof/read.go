package iprof

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// ReadOptions say how a file is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config is what the archive says of itself.
	Config builder.Config
	// Into, if not nil, is what the profiles are added to: a builder of the same
	// domain, in which the file is a run of its own. See builder.NextRun for
	// profiles that it has already. Neither the order of the file nor keys that
	// mean nothing here are kept then.
	Into *builder.Builder
	// After is the report of the last file that was read into Into, nil for the
	// first: with it the sampled stacks of the two are kept apart.
	After *Report
	// Unordered forgets the order of the file, its ids, and items that are more
	// than profiles.
	Unordered bool
	// Salvage takes what is whole of a file that is cut off or damaged.
	Salvage bool
}

// Read reads an iprof file, decompressed, into a builder of its own or into
// that of the options. With an error nothing was added to that one. The error
// is an [*Error] where the file is not what GraalVM writes, and matches
// builder.ErrMismatch if the builder is of another domain.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	if o.Into != nil && o.Into.Domain() != layout.DomainGraal {
		return nil, nil, fmt.Errorf("%w: an iprof file is of domain %s, the builder of %s", builder.ErrMismatch, layout.DomainGraal, o.Into.Domain())
	}
	rec, p, err := parse(r, o.Name)
	report := &Report{Version: rec.version}
	if err != nil {
		damage, ok := errors.AsType[*Error](err)
		if !ok || !o.Salvage || rec.version == "" || !errors.Is(err, ErrCut) && !errors.Is(err, ErrSyntax) {
			return nil, nil, err
		}
		rec.require(types, methods)
		report.Salvage = &Salvage{Offset: p.whole, Last: damage.Last, Left: damage.Offset + p.rest() - p.whole, Reason: damage}
	}
	b, err := rec.build(o, report)
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return b, report, err
}

// Detect reports whether a file that begins with head is likely one. Types and
// methods alone do not tell it from other JSON, behind keys that it does not have.
func Detect(head []byte) bool {
	s := scanner{buf: append(head[:len(head):len(head)], 0), end: len(head)}
	if !s.token('{') {
		return false
	}
	for others := false; ; {
		key, ok := s.key()
		if !ok {
			return false
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

// require adds sections that a profile must have.
func (rec *recording) require(kinds ...sectionKind) {
	for _, k := range kinds {
		if !slices.ContainsFunc(rec.sections, func(s section) bool { return s.kind == k }) {
			rec.sections = append(rec.sections, section{kind: k, key: sectionKeys[k]})
		}
	}
}
