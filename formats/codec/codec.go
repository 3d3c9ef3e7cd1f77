// Package codec declares the interfaces of a format, which are [Importer] and [Exporter]. It also declares their
// options, and the list of a conversion's losses. Its example is a whole importer.
//
// Package formats contains the formats of this module, runs importers and exporters, and explains how to add a format.
package codec

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Format describes a format to users.
type Format struct {
	Name   string // in reports and the flag -t, for instance "profdata"
	About  string // one line that names the tools which write or read such files
	Binary bool   // the format is not text, and must not be printed to a terminal
	// Options are the fields of the importer or exporter that a user can set by name. Nil means no options.
	Options []Option
	// Units are the units of the counts that a written format can hold, keys of Report.Totals. Nil means all units. Counts
	// in other units are reported as lost by Export.
	Units []string
}

// An Importer reads one format. Its fields are the options of the format, and the zero value has the defaults. An
// importer keeps nothing from one input to the next.
//
// An importer may also have a method DetectNear(head []byte) bool, which reports whether an input can only be of this
// format but has a mistake where the format begins. It is asked if no importer detects the input, so that the error
// names the mistake.
type Importer interface {
	Format() Format
	// Detect reports whether the importer handles an input that begins with head. head is the first mebibyte, or the whole
	// input if whole is set.
	Detect(head []byte, whole bool) bool
	// Import reads the whole input into a builder, and returns it in the report.
	Import(in *Input) (*Report, error)
}

// An Exporter writes one format. Its fields are the options of the format, and the zero value has the defaults.
type Exporter interface {
	Format() Format
	// Export writes the profiles of an archive. Of the report it sets Totals, Lost and Notes.
	Export(w io.Writer, s *reader.Store) (*Report, error)
}

// An Input is the input of an Importer.
type Input struct {
	io.Reader        // the bytes, decompressed
	Name      string // name in errors
	Several   bool   // the import has further inputs
	// Config configures the builder. The importer also sets the fields of Config.Params that the input determines.
	Config builder.Config
	// SkipBad asks to leave out single damaged profiles of the input, as losses, instead of failing.
	SkipBad bool
	// Unordered asks to forget the order of the profiles, so that inputs that differ only in it give the same archive.
	Unordered bool
	// Sum and Weight are for importers that set Report.Sum. Sum is the builder with the inputs before this one, nil for
	// the first. Weight multiplies the counts of this input; 0 is layout.WeightOne.
	Sum    *builder.Builder
	Weight layout.Weight
}

// A Report has the profiles of one input, and facts about it. An exporter returns one without profiles.
type Report struct {
	// Totals has the total of the counts by unit, such as 1200 "samples", of everything that the file holds. An importer
	// adds up what it reads before it leaves anything out, and an exporter what it writes. Totals is required; an empty
	// map means that there were no counts. Import and Export compare it with the counts of the archive, and report a
	// difference that Lost does not explain. The units are the names that profarc info --losses prints.
	Totals map[string]uint64
	// RunTotals has the totals of each of several Dumps.
	RunTotals []map[string]uint64
	// HasAccount means that the input carried the account of an archive, which is that of Dumps[0] now. Import adds no
	// input to it.
	HasAccount bool
	// Salvaged is the reason why only a part of the input was read, or "" if it was read as a whole.
	Salvaged string
	// Dumps are builders with the profiles, one for each dump of a process; most inputs hold one. The dumps of several
	// inputs are merged like archives, and none counts twice.
	Dumps []*builder.Builder
	// Sum replaces Dumps if a training run leaves many inputs, as LLVM's do by the thousand. The importer adds the
	// profiles of this input to Input.Sum, or to a new builder if that is nil, and returns it here.
	Sum *builder.Builder
	// AsLLVM merges the input with others as llvm-profdata does; see merge.Run.
	AsLLVM bool

	Methods int // methods with a profile
	Entries int // profile entries
	// Facts are further facts about the input, by their key in JSON. It may be nil.
	Facts map[string]any
	Lost  Losses // nil if nothing was lost
	// Notes are sentences for users about facts that the archive keeps in another form.
	Notes []string
}

// An Option is a field of an importer or exporter that a user can set by name. Commands make a flag of each.
type Option struct {
	Name  string // in lower case with hyphens, for instance "profdata-version"
	Usage string // help text of the flag
	// Value reads and sets the field as text, like a [flag.Value].
	Value interface {
		String() string
		Set(text string) error
		Type() string // bool, int, string, or stringArray if each Set adds one
	}
	// Check returns an error if the value is invalid. Nil accepts all values.
	Check func() error
}

// NewOption declares a field as an option. If the field is a slice, each Set appends one string.
func NewOption[T bool | int | string | []string](name string, field *T, usage string) Option {
	var flags pflag.FlagSet
	switch field := any(field).(type) {
	case *bool:
		flags.BoolVar(field, name, *field, usage)
	case *int:
		flags.Var((*intValue)(field), name, usage)
	case *string:
		flags.StringVar(field, name, *field, usage)
	case *[]string:
		flags.Var((*stringsValue)(field), name, usage)
	}
	return Option{Name: name, Usage: usage, Value: flags.Lookup(name).Value}
}

// An intValue takes only numbers of the size of int, unlike the one of pflag.
type intValue int

func (v *intValue) String() string { return strconv.Itoa(int(*v)) }
func (v *intValue) Type() string   { return "int" }
func (v *intValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 0, strconv.IntSize)
	*v = intValue(n)
	return err
}

type stringsValue []string

func (v *stringsValue) String() string { return strings.Join(*v, ", ") }
func (v *stringsValue) Type() string   { return "stringArray" }
func (v *stringsValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}

// A LossKind names a kind of information that a conversion loses, in words for users. Each format declares its kinds.
type LossKind string

// A Loss counts the losses of one kind and unit.
type Loss struct {
	What  LossKind `json:"what"`
	Count int      `json:"count"`          // number of lost functions, entries, lines or rows
	Line  int      `json:"line,omitempty"` // line of the first occurrence, from 1; 0 if it has no line
	// Unit is the unit of Amount, a key of Report.Totals; "" if no counts were lost.
	Unit   string   `json:"unit,omitempty"`
	Amount uint64   `json:"amount,omitempty"` // lost counts
	First  []string `json:"first,omitempty"`  // the first few different lost things, as "run.proftext:9: foo: the reason"
}

// Losses lists the losses of a conversion, one item for each kind and unit, sorted by What and Unit. The zero value is
// empty.
type Losses []Loss

// firstKept is the maximum length of Loss.First.
const firstKept = 3

// Add counts n losses of a kind in which no counts were lost. Add on a nil *Losses does nothing.
func (l *Losses) Add(what LossKind, n int) { l.AddLoss(Loss{What: what, Count: n}) }

// AddLoss counts a loss. Counts and amounts of one kind and unit are added up, and the first lines and things are kept.
// AddLoss on a nil *Losses does nothing.
func (l *Losses) AddLoss(loss Loss) {
	if l == nil || loss.Count == 0 && loss.Amount == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(*l, loss, func(x, y Loss) int {
		return cmp.Or(cmp.Compare(x.What, y.What), cmp.Compare(x.Unit, y.Unit))
	})
	if !ok {
		*l = slices.Insert(*l, i, Loss{What: loss.What, Line: loss.Line, Unit: loss.Unit})
	}
	sum := &(*l)[i]
	sum.Count += loss.Count
	sum.Amount += loss.Amount // modulo 2^64, as totals
	for _, thing := range loss.First {
		if len(sum.First) < firstKept && !slices.Contains(sum.First, thing) {
			sum.First = append(sum.First, thing)
		}
	}
}

// Count returns the number of losses of a kind.
func (l Losses) Count(what LossKind) (n int) {
	for _, item := range l {
		if item.What == what {
			n += item.Count
		}
	}
	return n
}
