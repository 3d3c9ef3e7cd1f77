package disk

// A BlockSection is a part of a block that holds entries, or the point directory.
type BlockSection int

// The sections of a block, in order.
const (
	SectionData BlockSection = iota
	SectionExtra
	SectionParameters
	SectionHandlers
	SectionDirectory
)

var blockSectionNames = [...]string{"data", "extra", "parameters", "handlers", "directory"}

func (s BlockSection) String() string { return blockSectionNames[s] }
