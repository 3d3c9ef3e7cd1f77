package llvm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
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
			codec.NewOption("binary", &i.Binary,
				"instrumented program or library: import takes functions from it that raw profiles lack "+
					"(-profile-correlate=binary, or salvage), export its coverage mapping for source lines; may be given more than once"),
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
