package llvm

import (
	"io"

	"github.com/profarc/profarc/builder"
)

// A Kind is a form of profiles.
type Kind uint8

// The forms.
const (
	KindRaw Kind = iota + 1
	KindIndexed
	KindText
)

func (k Kind) String() string {
	return [...]string{"", "raw", "indexed", "text"}[k&3]
}

// ReadOptions say how a profile is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config is what the archive says of itself. Of its Params those that the
	// file shows are set; ParamLLVMVersion of the caller stands, where it is
	// not 0, for raw files and text: they do not say which LLVM made them
	// exactly.
	Config builder.Config
	// Into is the builder that the profiles are added to, nil for a new one.
	Into *builder.Builder
	// After is the report of the last file that was read into Into. With it
	// the two are held against each other, and what both have of the process
	// as a whole is not added twice.
	After *Report
	// Run is the run that the profiles are of. It begins anew with each file
	// that is read into Into, and with each module of a raw file.
	Run builder.Run
}

// Read reads a profile of any form into a builder. The error is an [*Error]
// where the file is not what LLVM writes, and matches builder.ErrMismatch where
// its kind does not fit what Into has: profiles of another instrumentation, or
// counts together with coverage of single bytes.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	panic("x")
}

// Check reads a profile as Read does and keeps nothing. It needs the memory of
// one module of a raw file, and no more than a buffer for the other forms.
func Check(r io.Reader, o ReadOptions) (*Report, error) {
	panic("x")
}

// Detect tells the form of a file from its first bytes, which should be some
// 64 KiB if the file has so many.
func Detect(head []byte) (k Kind, ok bool) {
	panic("x")
}
