package layout

import (
	"fmt"
	"time"
)

// A BaseArchive identifies the base of a layer, the archive with the profiles that the layer lacks. Archives with
// equal DumpID can differ, such as an archive and a reduced copy. Sum tells them apart.
type BaseArchive struct {
	DumpID   [16]byte
	Sum      uint64    // Header.Sum
	Time     time.Time // time of the dump; zero if unknown
	Producer string
}

// AsBase returns the identity of the archive for layers on it.
func (h *Header) AsBase() BaseArchive {
	return BaseArchive{DumpID: h.DumpID, Sum: h.Sum, Time: h.Time(), Producer: h.Producer}
}

// ID returns DumpID and Sum in hexadecimal, for messages.
func (b BaseArchive) ID() string { return fmt.Sprintf("%x/%016x", b.DumpID, b.Sum) }
