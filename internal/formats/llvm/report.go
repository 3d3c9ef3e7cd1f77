package llvm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Dropped is the start of the message for functions that are lost completely. The reason follows.
const Dropped = "functions dropped because "

// Losses of reading a file.
const (
	LossUnnamed codec.LossKind = Dropped + "the file does not have their name"
	LossMemProf codec.LossKind = "memory profiles (memprof) of a version that is not known: write them with llvm-profdata merge --memprof-version=3"
	LossUniform codec.LossKind = "uniform counters of a GPU"
	LossCounter codec.LossKind = Dropped + "a counter is above 2^56, as no count is"
	LossNoOwner codec.LossKind = "counters that no function of the file has"

	// Parts of a truncated file.
	LossCut       codec.LossKind = Dropped + "their counters are behind the end of the file"
	LossCutCounts codec.LossKind = "counters behind the end of the file, which are taken as 0"
	LossCutBitmap codec.LossKind = "MC/DC bitmaps behind the end of the file"
	LossCutValues codec.LossKind = "value sites behind the end of the file"
)

// A Report describes a file that was read. Its methods are records, each for a name and a FuncHash.
type Report struct {
	codec.Report
	Kind    Kind
	Version int // format version of the file; 0 for text
	// Params merge the parameters of the file and of the builder.
	Params  layout.Params
	Modules int // number of programs and libraries in a raw file; otherwise 1
	Traces  int // number of temporal traces
	// Records counts functions with a memory profile. Allocations counts their allocation sites by stack.
	Records, Allocations int
}

// Sentinels that an [*Error] matches.
var (
	// ErrNotProfile is returned for a file in none of the three formats.
	ErrNotProfile = errors.New("not an LLVM instrumentation profile (.profraw, .profdata, .proftext)")
	// ErrCut is returned for a truncated file.
	ErrCut = errors.New("the profile is cut off: what wrote it was killed, or the disk was full; make it again, or " +
		"leave it out")
	// ErrMalformed is returned for invalid data.
	ErrMalformed = errors.New("malformed profile")
	// ErrVersion is returned for an unsupported version of the file.
	ErrVersion = errors.New("unsupported version of an LLVM profile")
	// ErrCounter is returned for a counter of a raw file that llvm-profdata refuses, too.
	ErrCounter = errors.New("a counter above 2^56, as no count is: the profile is damaged; make it again")
	// ErrCorrelated is returned if the functions and names are in a program that is missing or does not match.
	ErrCorrelated = errors.New("a profile that needs its program to be read")
)

// An Error describes an error in a profile and where it is.
type Error struct {
	Name   string // file name, or ""
	Line   int    // 1-based line of a text; 0 in other formats
	Offset int64  // byte offset in the decompressed file
	Kind   error  // sentinel that the error matches
	Detail string // description of the fault, or ""
	After  string // last complete function before the error, or ""
}

// Error returns, for example, `a.profraw: byte 345: the profile is cut off: ...: counters (last whole function: main)`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, ", e.Line)
	}
	fmt.Fprintf(&b, "byte %d: %v", e.Offset, e.Kind)
	if e.Kind == ErrMalformed && e.Line == 0 { // people write texts themselves
		b.WriteString(": it was changed or overwritten after it was written; make it again")
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.After != "" {
		fmt.Fprintf(&b, " (last whole function: %.200s)", e.After)
	}
	return b.String()
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Losses of writing a profile.
const (
	LossNoRecord   codec.LossKind = "names without a profile that LLVM has a place for"
	LossContext    codec.LossKind = "profiles of one calling context: LLVM has no place for them"
	LossNoCounters codec.LossKind = "profiles without counters"
	LossEntry      codec.LossKind = "profile entries that LLVM does not have"
	LossStacks     codec.LossKind = "allocations whose stack is no frames"
	LossSparse     codec.LossKind = "values of functions that never ran, which are left out"
	LossValues     codec.LossKind = "values of a site beyond the 255 most frequent"

	// Parts that only newer versions of the indexed format hold.
	LossBinaryIDs      codec.LossKind = "binary ids: the version cannot hold them (version 9 or higher can)"
	LossMemProfVersion codec.LossKind = "memory profiles: the version cannot hold them (version 8 or higher can)"
	LossTraces         codec.LossKind = "temporal traces: the version cannot hold them (version 10 or higher can)"
	LossBitmaps        codec.LossKind = "MC/DC bitmaps: the version cannot hold them (version 11 or higher can)"
	LossVTableSites    codec.LossKind = "vtable value sites: the version cannot hold them (version 12 or higher can)"
	LossVTableNames    codec.LossKind = "names of vtables: left out, as llvm-profdata does (version 12 or higher can hold " +
		"them)"

	// Parts that text does not hold.
	LossTextBinaryIDs codec.LossKind = "binary ids: text has no place for them"
	LossTextMemProf   codec.LossKind = "functions with memory profiles: text has no place for them"
	LossTextVTables   codec.LossKind = "names of vtables: left out, as llvm-profdata does (text can hold those that " +
		"sites have)"
	LossTextName      codec.LossKind = "functions whose names text cannot hold"
	LossTextTrace     codec.LossKind = "functions of temporal traces whose names are not known"
	LossTextEntryOnly codec.LossKind = "marks that function entries alone are covered: text cannot say it"
	LossTextByte      codec.LossKind = "marks that counters are of coverage: text of this LLVM cannot say it"
)

func checkDomain(s *reader.Store) error {
	if d := s.Header().Domain; !d.LLVM() {
		return fmt.Errorf("profiles of domain %s are not LLVM's: export them in the format of their own domain", d)
	}
	return nil
}

func variantOf(s *reader.Store) Variant { return Variant(s.Header().Params.LLVMVariant) }

// producerVersion returns the indexed version that the producing LLVM writes, or 0 if unknown.
func producerVersion(s *reader.Store) int { return int(s.Header().Params.LLVMVersion) }
