package layout

import (
	"fmt"
	"time"
)

// A BaseArchive names the archive that another one is a layer on: it has the profiles
// that the other lacks. Two archives with one DumpID can have different contents, as an
// archive and a part of it do; Sum tells them apart.
type BaseArchive struct {
	DumpID   [16]byte
	Sum      uint64    // Header.Sum
	Time     time.Time // of the dump; zero if not known
	Producer string
}

// AsBase names the archive of a header as a base.
func (h *Header) AsBase() BaseArchive {
	return BaseArchive{DumpID: h.DumpID, Sum: h.Sum, Time: h.Time(), Producer: h.Producer}
}

// Is reports whether both name one archive.
func (b BaseArchive) Is(c BaseArchive) bool { return b.DumpID == c.DumpID && b.Sum == c.Sum }

// ID returns the id of the dump and the sum of the bytes, as people are shown them.
func (b BaseArchive) ID() string { return fmt.Sprintf("%x/%016x", b.DumpID, b.Sum) }
