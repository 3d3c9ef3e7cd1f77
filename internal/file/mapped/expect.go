package mapped

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Expect has the requirements on an archive; see archive.Expect.
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte
	Producer    string
	Fingerprint [16]byte
	Params      *layout.Params
	Program     *Program
}

// A Program is a VM build with a class path; see archive.Program.
type Program struct {
	VM        string
	ClassPath []layout.ClassPathEntry
	Appended  bool
}

func (p *Program) matchesFingerprint(recorded [16]byte) bool {
	switch {
	case recorded == [16]byte{}:
		return false
	case !p.Appended:
		return recorded == disk.Fingerprint(p.VM, p.ClassPath)
	}
	for f := range disk.Fingerprints(p.VM, p.ClassPath) {
		if f == recorded {
			return true
		}
	}
	return false
}

func (e *Expect) checkHeader(h *layout.Header) error {
	if e.Domain != 0 && e.Domain != h.Domain {
		return mismatch("its domain is %s, expected is %s: name an archive of that profiler", h.Domain, e.Domain)
	}
	if e.ProducerID != [16]byte{} && e.ProducerID != h.ProducerID {
		return mismatch("it is of the producer %x (%s), expected is %x: name an archive of that producer", h.ProducerID,
			h.Producer, e.ProducerID)
	}
	if e.Producer != "" && e.Producer != h.Producer {
		return mismatch("its producer is %q, expected is %q: record it again with that one", h.Producer, e.Producer)
	}
	if e.Fingerprint != [16]byte{} && e.Fingerprint != h.Fingerprint {
		return mismatch("it was recorded with the program %x, this one is %x: record it again with this program",
			h.Fingerprint, e.Fingerprint)
	}
	if e.Program != nil && !e.Program.matchesFingerprint(h.Fingerprint) {
		if h.Fingerprint == [16]byte{} {
			return mismatch("it does not say which program it was recorded with: record it again, or expect no program")
		}
		return mismatch("it was recorded with another build of the VM or another class path (%x): record it again with "+
			"this program, or expect none", h.Fingerprint)
	}
	if e.Params == nil {
		return nil
	}
	return compareShapingSettings(&h.Params, e.Params)
}

func compareShapingSettings(has, want *layout.Params) error {
	for _, s := range []struct {
		name      string
		has, want uint32
	}{{"TypeProfileWidth", has.TypeProfileWidth, want.TypeProfileWidth},
		{"BciProfileWidth", has.BciProfileWidth, want.BciProfileWidth},
		{"cells between a receiver entry's count and its rows", has.ReceiverGap, want.ReceiverGap}} {
		if s.has != s.want {
			return mismatch("%s is %d in it, expected is %d: run with the setting it was recorded with, or record it again",
				s.name, s.has, s.want)
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return &layout.Error{Offset: -1, Kind: layout.ErrIdentity, Detail: fmt.Sprintf(format, args...)}
}
