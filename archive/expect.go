package archive

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Expect says what an archive must be to be of use. Zero fields are not
// compared. What does not match is an error that matches [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	Fingerprint [16]byte       // of its VM and class path, see docs/format.md
	Params      *layout.Params // compared in those settings that shape entries
	// Program is the program that is to use the archive, and Match how closely
	// it must be the one that was recorded.
	Program *Program
	Match   Match
}

// A Program is a build of a VM with a class path.
type Program struct {
	VM string // build, in full, as a layout.Provenance has it
	// ClassPath is the content of the class path; see SumContent. Paths do not
	// matter.
	ClassPath []layout.ClassPathEntry
}

// A Match says how closely a program must be the one that was recorded.
type Match int

// The matches.
const (
	// MatchStrict: the same build of the VM and the same content of the class
	// path.
	MatchStrict Match = iota
	// MatchPrefix: the same build, and the class path of the recorded program is
	// that of the program or a prefix of it, as CDS has it: what is appended
	// changes nothing of what was recorded.
	MatchPrefix
	// MatchMethods: any program. Whether a profile fits is decided method by
	// method: ask for it with the id of the method's code, not with layout.CodeAny.
	MatchMethods
)

// matches reports whether a program with that fingerprint was recorded.
func (p *Program) matches(recorded [16]byte, match Match) bool {
	switch {
	case match == MatchMethods:
		return true
	case recorded == [16]byte{}:
		return false
	case match == MatchStrict:
		return recorded == disk.Fingerprint(p.VM, p.ClassPath)
	}
	for f := range disk.Fingerprints(p.VM, p.ClassPath) {
		if f == recorded {
			return true
		}
	}
	return false
}

// check holds the header of an archive against what was expected.
func (e *Expect) check(h *layout.Header) error {
	if e.Domain != 0 && e.Domain != h.Domain {
		return mismatch("its domain is %s, expected is %s: name an archive of that profiler", h.Domain, e.Domain)
	}
	if e.Fingerprint != [16]byte{} && e.Fingerprint != h.Fingerprint {
		return mismatch("it was recorded with the program %x, this one is %x: record it again with this program", h.Fingerprint, e.Fingerprint)
	}
	if e.Program != nil && !e.Program.matches(h.Fingerprint, e.Match) {
		if h.Fingerprint == [16]byte{} {
			return mismatch("it does not say which program it was recorded with: record it again, or match by methods")
		}
		return mismatch("it was recorded with another build of the VM or another class path (%x): record it again with this program, or match by methods", h.Fingerprint)
	}
	if e.Params == nil {
		return nil
	}
	return checkShaping(&h.Params, e.Params)
}

// checkShaping compares the settings that shape entries.
func checkShaping(has, want *layout.Params) error {
	for _, s := range []struct {
		name      string
		has, want uint32
	}{
		{"TypeProfileWidth", has.TypeProfileWidth, want.TypeProfileWidth},
		{"BciProfileWidth", has.BciProfileWidth, want.BciProfileWidth},
		{"cells between a receiver entry's count and its rows", has.ReceiverGap, want.ReceiverGap},
	} {
		if s.has != s.want {
			return mismatch("%s is %d in it, expected is %d: run with the setting it was recorded with, or record it again", s.name, s.has, s.want)
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return &layout.Error{Offset: -1, Kind: layout.ErrIdentity, Detail: fmt.Sprintf(format, args...)}
}
