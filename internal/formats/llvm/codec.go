package llvm

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Importer reads LLVM's raw, indexed and text profiles.
type Importer struct {
	// AsLLVM merges several files exactly as llvm-profdata merge does.
	AsLLVM bool
	// Release is the LLVM release that compiled the program, 12 or later; 0 if unknown. Raw files of 14 to 17 and of 19
	// to 22 do not identify it.
	Release int
	// Binary and DebugInfo name the programs and libraries built with -profile-correlate.
	Binary, DebugInfo []string
	// Salvage imports the intact part of a truncated file. Binary then also names the programs that have the names of
	// the functions.
	Salvage bool

	sections sync.Map // last section of names by its description, since all files of a program have the same
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	release := codec.NewOption("llvm-release", &i.Release,
		"release of the LLVM that compiled the program, as 22; raw files of 14 to 17 and of 19 to 22 do not tell it")
	release.Check = i.checkRelease
	return codec.Format{Name: "llvm",
		About: "what programs of clang, rustc or swiftc write (.profraw), and llvm-profdata of it (.profdata, .proftext)",
		Options: []codec.Option{parse.AsLLVMOption(&i.AsLLVM), release,
			parse.BinaryOption(&i.Binary),
			codec.NewOption("debug-info", &i.DebugInfo, "program or library, built with -g, whose raw profiles have no "+
				"functions (-profile-correlate=debug-info); may be given more than once"), parse.SalvageOption(&i.Salvage)}}
}

func (i *Importer) checkRelease() error {
	if i.Release != 0 && VersionOfRelease(i.Release) == 0 {
		return errors.New("it is 12 or higher, as 22")
	}
	return nil
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool {
	_, ok := Detect(head)
	return ok
}

// DetectNear reports whether head resembles a text with a mistake: a misspelled first heading, or one misspelled
// number in the first function.
func (*Importer) DetectNear(head []byte) bool { return nearText(head) }

// Import reads one file, which is part of a dump, in any of the three formats. The error is an [*Error] for invalid
// files. It matches builder.ErrMismatch if the profile and the inputs before it come from different instrumentations,
// or are counts and single-byte coverage.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.readProfiles(in)
	if err != nil {
		return nil, err
	}
	r.AsLLVM = i.AsLLVM
	r.Facts = map[string]any{
		"kind": r.Kind.String(), "version": r.Version, "modules": r.Modules, "traces": r.Traces,
		"llvm_version": r.Params.LLVMVersion, "variant": r.Params.LLVMVariant,
	}
	return &r.Report, nil
}

// heldUnits are the units of the counts that LLVM's formats hold.
var heldUnits = []string{ledger.BlockCounts, ledger.ValueCounts}

// An IndexedExporter writes indexed profiles (.profdata).
type IndexedExporter struct {
	// Version is the indexed version, from WrittenOldest to WrittenNewest. 0 selects the version of the LLVM that made
	// the profiles, or of the oldest candidate. That version holds all of their content, and only that version
	// understands the hashes of its front end.
	Version int
	// Sparse omits unexecuted functions.
	Sparse bool
	// KeepVTableNames keeps the names of vtables, from version 12 on. Names from an indexed file always stay.
	KeepVTableNames bool
}

// Format implements [codec.Exporter].
func (e *IndexedExporter) Format() codec.Format {
	version := codec.NewOption("profdata-version", &e.Version,
		"version of the format, 4 to 13; 7 is read by every LLVM from 12 on (without it: that of the LLVM that made the "+
			"profiles; of several the oldest)")
	version.Check = e.checkVersion
	return codec.Format{Name: "profdata", Binary: true, Units: heldUnits,
		About: "what llvm-profdata merge writes and clang -fprofile-use reads (domains llvm-ir, llvm-frontend)",
		Options: []codec.Option{version, sparseOption(&e.Sparse),
			vtableOption(&e.KeepVTableNames)}}
}

func (e *IndexedExporter) checkVersion() error {
	if v := e.Version; v != 0 && (v < WrittenOldest || v > WrittenNewest) {
		return fmt.Errorf("use %d to %d", WrittenOldest, WrittenNewest)
	}
	return nil
}

// A TextExporter writes LLVM's text (.proftext).
type TextExporter struct {
	Sparse          bool // omits unexecuted functions
	KeepVTableNames bool // names the vtables of sites even if no indexed file had their names
}

// Format implements [codec.Exporter].
func (e *TextExporter) Format() codec.Format {
	return codec.Format{Name: "proftext", Units: heldUnits, About: "what llvm-profdata merge --text writes (domains llvm-ir, llvm-frontend)",
		Options: []codec.Option{sparseOption(&e.Sparse), vtableOption(&e.KeepVTableNames)}}
}

func sparseOption(field *bool) codec.Option {
	return codec.NewOption("sparse", field, "leave out functions that never ran")
}

func vtableOption(field *bool) codec.Option {
	return codec.NewOption("keep-vtable-symbols", field,
		"keep the names of vtables of raw profiles, too, which llvm-profdata drops")
}

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
