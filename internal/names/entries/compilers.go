package entries

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// CompilerData is what HotSpot's compilers recorded about a method. A nil part is missing.
type CompilerData struct {
	Compile *disk.Compile
	History *disk.History
	Escape  *disk.Escape
}

// CompilerDataOf returns the data of the compilers in a profile.
func CompilerDataOf(p reader.Profile) (d CompilerData) {
	b := disk.Block(p.Bytes())
	if c, ok := b.Compile(); ok {
		d.Compile = &c
	}
	if h, ok := b.History(); ok {
		d.History = &h
	}
	if e, ok := b.Escape(); ok {
		d.Escape = &e
	}
	return d
}
