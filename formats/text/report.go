package text

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
)

// What writing a text loses.
const (
	LossMeaningless codec.LossKind = "flags of wide entries that mean nothing"
	LossMisplaced   codec.LossKind = "wide entries that are not among the data entries"
)

// A Report says what was read or written.
type Report struct {
	Domain   layout.Domain
	Lines    int
	Methods  int
	Profiles int
	Entries  int
	Lost     codec.Losses
}
