package archive

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// Expect says what an archive must be to be of use. Zero fields are not
// compared. What does not match is an error that matches [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	Fingerprint [16]byte
	Params      *layout.Params // compared in those settings that shape entries
}

// shaping are the settings that shape entries.
var shaping = []struct {
	param int
	name  string
}{
	{layout.ParamTypeProfileWidth, "TypeProfileWidth"},
	{layout.ParamBciProfileWidth, "BciProfileWidth"},
	{layout.ParamReceiverGap, "cells between a receiver entry's count and its rows"},
}

// check holds the header of an archive against what was expected.
func (e *Expect) check(h *layout.Header) error {
	if e.Domain != 0 && e.Domain != h.Domain {
		return mismatch("its domain is %s, expected is %s: name an archive of that profiler", h.Domain, e.Domain)
	}
	if e.Fingerprint != [16]byte{} && e.Fingerprint != h.Fingerprint {
		return mismatch("it was recorded with the program %x, this one is %x: record it again with this program", h.Fingerprint, e.Fingerprint)
	}
	if e.Params == nil {
		return nil
	}
	for _, s := range shaping {
		if has, want := h.Params[s.param], e.Params[s.param]; has != want {
			return mismatch("%s is %d in it, expected is %d: run with the setting it was recorded with, or record it again", s.name, has, want)
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return &layout.Error{Offset: -1, Kind: layout.ErrIdentity, Detail: fmt.Sprintf(format, args...)}
}
