package archive

import (
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
)

// Options are the options for opening an archive. The zero value maps the file and checks each page on first access.
type Options struct {
	Heap      bool // read the file into ordinary memory, which the race detector sees, instead of mapping it
	CheckAll  bool // check all pages on opening, which reads the whole file
	Unchecked bool // check only bounds, not the checksums of pages
	Drafts    bool // also open archives of drafts 7 and 8, to convert them
	Expect    Expect
	// OnReject may be nil. It is called with the error of opening, so that a VM can log it and continue without a profile.
	OnReject func(error)
}

// Expect describes the archive that is expected. Zero fields are not compared. A mismatch matches [layout.ErrIdentity].
type Expect struct {
	Domain      layout.Domain
	ProducerID  [16]byte       // see layout.Header
	Producer    string         // complete string, such as "numbat 1.4.2"
	Fingerprint [16]byte       // fingerprint of VM and class path, see docs/format.md
	Params      *layout.Params // only settings that determine the cells of entries are compared
	// Program is the program that will use the archive. If it is nil, look up profiles with code ids instead of
	// layout.CodeAny, so that profiles of other code are not found.
	Program *Program
}

// A Program is a build of a VM with a class path.
type Program struct {
	VM string // complete build string, as in layout.Provenance
	// ClassPath has the entries of the class path, see SumContent. Their paths are not compared.
	ClassPath []layout.ClassPathEntry
	// Appended also accepts an archive whose class path is a prefix of ClassPath, like CDS.
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
