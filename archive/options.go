package archive

// A Mode says where the bytes of an open archive lie.
type Mode int

// The modes.
const (
	ModeMap  Mode = iota // mapped from the file: nothing is read before it is touched
	ModeHeap             // read into ordinary memory, which the race detector sees
)

// A Check says when pages are checked against their sums.
type Check int

// The choices.
const (
	CheckOnTouch Check = iota // each page at its first touch
	CheckAll                  // all pages on opening, which reads the whole file
	CheckNone                 // never: bounds alone are checked
)

// Options say how to open an archive. The zero value maps the file and checks
// each page at its first touch.
type Options struct {
	Mode   Mode
	Check  Check
	Expect Expect
	// OnReject, if not nil, is told why an archive could not be opened, so
	// that a VM can go on without a profile and still say so.
	OnReject func(error)
}

// reject tells OnReject and gives the error back.
func (o *Options) reject(err error) error {
	if o.OnReject != nil {
		o.OnReject(err)
	}
	return err
}
