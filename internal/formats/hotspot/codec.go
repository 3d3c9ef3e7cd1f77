package hotspot

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
)

// An Importer reads the output of PrintMethodData.
type Importer struct {
	// Salvage imports the intact part of a truncated or damaged text.
	Salvage bool
	// ClassPath has the class files of the program, for the code ids of methods whose bytecodes the text lacks.
	ClassPath []string
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "what java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData prints",
		Options: []codec.Option{parse.SalvageOption(&i.Salvage), parse.ClassPathOption(&i.ClassPath)}}
}

// Detect reports whether a text has method data. It accepts any text longer than head, because programs can print
// before their VM does. Import reports missing parts.
func (*Importer) Detect(head []byte, whole bool) bool {
	return Detect(head) || !whole && bytes.IndexByte(head, 0) < 0
}

// Import reads the text of one dump. The error is a [*TextError] for invalid text.
//
// If several class loaders define a class, its methods appear several times. All are kept, and the second gets the
// loader "text#2".
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	codes, err := parse.OpenCodes(i.ClassPath)
	if err != nil {
		return nil, err
	}
	defer codes.Close()
	dump, report, err := parseText(in, in.Name, i.Salvage)
	if err != nil {
		return nil, err
	}
	report.Lost.Add(parse.LossLoaders, report.Methods)
	err = dump.buildArchive(in, codes, report)
	if err != nil && in.Name != "" {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return report, err
}

// An Exporter writes text as PrintMethodData prints it. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "text as java -XX:+PrintMethodData prints it (domain hotspot)",
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.BranchCounts, ledger.TypeCounts}}
}

// Losses of reading a text.
const (
	LossBytecodes     codec.LossKind = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   codec.LossKind = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   codec.LossKind = "entries of an unknown kind"
	LossUnknownReason codec.LossKind = "unknown trap reasons"
	LossOffset        codec.LossKind = "entries whose printed offset differs from their position"
	LossLoader        codec.LossKind = "methods printed more than once: their class loaders are unknown"
	LossFront         codec.LossKind = "bytes of method data that the VM counted and the text lacks: its beginning may " +
		"be missing"
	LossMixed codec.LossKind = "bytes of method data in excess of what the VM counted: the text joins a truncated " +
		"dump and another one"
	LossExtra         codec.LossKind = "ArgInfo and SpeculativeTrap entries: PrintMethodData has no such lines"
	LossMethodRows    codec.LossKind = "called methods of calls"
	LossCounters      codec.LossKind = "counters and sizes of methods: the text has none, and they are not known"
	LossDecompiles    codec.LossKind = "decompile counts of methods: VMs before JDK 17 do not print them"
	LossCompiledCalls codec.LossKind = "calls of compiled code, which debug builds count apart from all others"
	LossEnd           codec.LossKind = "end of the method data: without \"Total MDO size\", methods can be missing"
	LossDamaged       codec.LossKind = "parts of methods that are cut off or damaged"
	LossContents      codec.LossKind = "profiles of methods: this VM prints none of them (JDK-8382777)"
	LossLaterDump     codec.LossKind = "lines of further dumps after the first, which ends with \"Total MDO size\""
)

// Losses of writing a text.
const (
	LossContext      codec.LossKind = "calling contexts of profiles: a profile in a context is printed like one without"
	LossCode         codec.LossKind = "code ids of profiles"
	LossUnexecuted   codec.LossKind = "unexecuted methods"
	LossNoClass      codec.LossKind = "methods without a class"
	LossArgInfo      codec.LossKind = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     codec.LossKind = "exception handler entries: PrintMethodData does not show them"
	LossHeader       codec.LossKind = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   codec.LossKind = "class loaders of methods: only the methods' names are printed"
	LossHiddenTrap   codec.LossKind = "extra entries at a bci for which no data entry, or another entry, is printed"
	LossWide         codec.LossKind = "entries of kinds that HotSpot lacks"
	LossUndecoded    codec.LossKind = "raw words of entries that the dump did not know: what comes before them is printed"
	LossHighCount    codec.LossKind = "counts of methods above 2^63-1: written as 2^63-1"
	LossFreeRows     codec.LossKind = "rows without a type or a bytecode"
	LossWideRows     codec.LossKind = "entries with more rows than HotSpot has: all rows are printed"
	LossTypeWithMore codec.LossKind = "types of values that another type made unknown later"
)

// Sentinels that a [*TextError] matches.
var (
	// ErrNoMethodData is returned for a text without method data.
	ErrNoMethodData = errors.New("no PrintMethodData text in it")
	// ErrTextCut is returned for a text without the last line, "Total MDO size".
	ErrTextCut = errors.New("method data is cut off")
	// ErrTextSyntax is returned for a line that no VM prints there.
	ErrTextSyntax = errors.New("not what PrintMethodData prints here")
)

// A TextError has the Name, Line and Column of a fault, its Kind to match, and the Expected and Found text.
type TextError = parse.Error
