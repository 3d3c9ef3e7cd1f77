package archive

import (
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
)

// Options are the options for opening an archive. The zero value maps the file and checks each page on first access.
type Options struct {
	Heap      bool // read the file into ordinary memory, which the race detector sees, instead of mapping it
	CheckAll  bool // check all pages on opening, which reads the whole file
	Unchecked bool // never compare pages with their sums: only bounds are checked
	Drafts    bool // open archives of drafts 7 and 8 too, to convert them
	Expect    Expect
	// OnReject, if not nil, is called with the error if the archive cannot be opened, so
	// that a VM can log it and go on without a profile.
	OnReject func(error)
}

// Expect describes the archive that is expected. Zero fields are not compared. A mismatch is an error that matches
// [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte       // of DomainCustom: what profile points, keys and shapes mean
	Producer    string         // compared in full, as "numbat 1.4.2"
	Fingerprint [16]byte       // of its VM and class path, see docs/format.md
	Params      *layout.Params // compared in those settings that shape entries
	// Program is the program that will use the archive. Without it look profiles up with the id of the
	// method's code, not with layout.CodeAny, so that only those that fit are found.
	Program *Program
}

// A Program is a build of a VM with a class path.
type Program struct {
	VM string // build, in full, as a layout.Provenance has it
	// ClassPath is the content of the class path; see SumContent. Paths do not matter.
	ClassPath []layout.ClassPathEntry
	// Appended accepts an archive of a class path with which ClassPath begins, as CDS archives do: entries that
	// are appended change no recorded class.
	Appended bool
}

func (o *Options) mapped() mapped.Options {
	e := &o.Expect
	to := mapped.Options{Heap: o.Heap, OnReject: o.OnReject, Drafts: o.Drafts, Expect: mapped.Expect{Domain: e.Domain,
		ProducerID: e.ProducerID, Producer: e.Producer, Fingerprint: e.Fingerprint, Params: e.Params,
		Program: (*mapped.Program)(e.Program)}}
	switch {
	case o.CheckAll:
		to.Check = mapped.CheckAll
	case o.Unchecked:
		to.Check = mapped.CheckNone
	}
	return to
}
