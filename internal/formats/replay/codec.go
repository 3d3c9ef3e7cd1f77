// Package replay imports the replay files of HotSpot's compilers, which a VM writes when a compiler crashes, and jhsdb
// and the option DumpReplay on request. The lines of a method's profile are
//
//	ciMethod CLASS NAME SIGNATURE N N INVOCATIONS ...
//	ciMethodData CLASS NAME SIGNATURE STATE N orig N {byte} data N {word} oops N {INDEX CLASS} methods N {INDEX METHOD}
//
// The words are the cells of the MethodData. oops and methods name the classes and methods of those that are pointers.
// A hidden class is described instead of named: @bci or @cpi, several words, and a semicolon. The line instanceKlass of
// this description ends with its name. All other lines are for the compiler.
//
// Files are not trusted. Memory is proportional to the bytes read.
package replay

import (
	"bytes"
	"errors"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
)

// An Importer reads replay files.
type Importer struct {
	Salvage   bool     // leave out truncated and malformed lines
	ClassPath []string // class files of the program, for code ids
}

// Losses of [Importer].
const (
	LossCounters codec.LossKind = "counters of methods: a VM writes that of calls alone, and jhsdb none"
	LossData     codec.LossKind = "profiles whose words are not those of a MethodData of 64 bits"
	LossTwice    codec.LossKind = "further profiles of methods that the file has twice"
	LossDamaged  codec.LossKind = "lines that are cut off or malformed"
)

// Errors that a [*parse.Error] matches.
var (
	ErrNoMethodData = errors.New("no line of ciMethodData in it: the compiler had no profiles")
	ErrSyntax       = errors.New("not what a replay file has here")
)

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "replay", About: "the file replay_pid*.log of a JVM whose compiler crashed",
		Options: []codec.Option{parse.SalvageOption(&i.Salvage), parse.ClassPathOption(&i.ClassPath)}}
}

// Detect looks for a line of each replay file, since those with profiles may come late.
func (*Importer) Detect(head []byte, _ bool) bool {
	for line := range bytes.Lines(head) {
		for _, front := range []string{"JvmtiExport can_", "ciMethodData ", "ciInstanceKlass "} {
			if bytes.HasPrefix(bytes.TrimPrefix(line, []byte(prompt)), []byte(front)) {
				return true
			}
		}
	}
	return false
}

// Import reads one file, which is one dump.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	codes, err := parse.OpenCodes(i.ClassPath)
	if err != nil {
		return nil, err
	}
	defer codes.Close()
	f, err := readFile(in, i.Salvage)
	if err != nil {
		return nil, err
	}
	b, err := f.build(in, codes)
	f.report.Dumps = []*builder.Builder{b}
	return &f.report, err
}
