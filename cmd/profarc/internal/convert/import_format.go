package convert

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/hotspot"
)

// An importFormat is a format that import reads.
type importFormat struct {
	name  string
	about string // where such files come from
	// recognise looks at the beginning of a file, or all of it.
	recognise func(head []byte, all bool) bool
	// read reads the whole file; name is for errors.
	read func(r io.Reader, name string, c ImportConfig) (*imported, error)
	// check, of a format whose read adds to the builder of the files before,
	// reads a file and keeps nothing. It is nil if each file is read into a
	// builder of its own.
	check func(r io.Reader, name string, c ImportConfig) error
}

// importFormats are asked in this order.
var importFormats = []importFormat{
	{"llvm", "what programs of clang, rustc or swiftc write (.profraw), and llvm-profdata of it (.profdata, .proftext)", recogniseLLVM, readLLVM, checkLLVM},
	{"text", "what profarc export -t text writes, perhaps edited", recogniseText, readText, nil},
	{"replay", "what java -XX:CompileCommand=option,Class::method,bool,DumpReplay,true writes", recogniseReplay, readReplay, nil},
	{"iprof", "what a binary of native-image --pgo-instrument writes at its end", recogniseIprof, readIprof, nil},
	{"jamaica", "the .prof file of a JamaicaVM's profiling run", recogniseJamaica, readJamaica, nil},
	{"methoddata", "what java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData prints", recogniseMethodData, readMethodData, nil},
}

// formatsText is a line for every format.
func formatsText() string {
	var b strings.Builder
	for _, f := range importFormats {
		fmt.Fprintf(&b, "  %-12s%s\n", f.name, f.about)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// importNames are the names of the formats.
func importNames() (names []string) {
	for _, f := range importFormats {
		names = append(names, f.name)
	}
	return names
}

// ImportConfig is what the user says of a file.
type ImportConfig struct {
	builder.Config
	Unordered   bool
	salvage     bool        // take what is whole of a damaged file
	runs        bool        // keep the runs of the file apart
	llvmRelease int         // 0 if not known
	expansion   int64       // how many times its size a compressed file may expand to, see newInput
	several     bool        // it is one of several
	skips       bool        // it is left out if it is bad, and one of several
	into        *imported   // the files before this one, nil for none
	run         builder.Run // how this one is added

	given []formatFlag // by the user
}

// imported is what an importer made of a file, or of several.
type imported struct {
	Builder          *builder.Builder
	runs             []*builder.Builder // instead of builder, where the runs are kept apart
	format, codec    string
	methods, entries int            // of all files
	facts            map[string]any // what else the format says, of the last file
	files            []importedFile
	lost             []app.Loss
	notes            []string // lines on what is kept otherwise than it should be, of all files
}

// recogniseMethodData also takes text that is longer than its head: a program
// may print much before its VM does, and the reader says what it misses.
func recogniseMethodData(head []byte, all bool) bool {
	return hotspot.Detect(head) || !all && bytes.IndexByte(head, 0) < 0
}

func readMethodData(r io.Reader, name string, c ImportConfig) (*imported, error) {
	b, report, err := hotspot.ReadText(r, hotspot.TextOptions{Name: name, Config: c.Config, Unordered: c.Unordered})
	if err != nil {
		return nil, err
	}
	return &imported{
		Builder: b, methods: report.Methods, entries: report.Entries, lost: app.LossesOf(report.Lost),
		facts: map[string]any{"dialect": report.Dialect.String(), "hidden_classes": report.HiddenClasses, "other_lines": report.OtherLines},
	}, nil
}
