package text

import (
	"github.com/profarc/profarc/internal/lost"
	"github.com/profarc/profarc/layout"
)

// What writing a text loses.
const (
	LossMeaningless lost.Kind = "flags of wide entries that mean nothing"
	LossMisplaced   lost.Kind = "wide entries that are not among the data entries"
)

// A Report says what was read or written.
type Report struct {
	Domain   layout.Domain
	Lines    int
	Methods  int
	Profiles int
	Entries  int
	Lost     lost.List
}
