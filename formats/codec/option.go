package codec

import (
	"strings"

	"github.com/spf13/pflag"
)

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
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch field := any(field).(type) {
	case *bool:
		flags.BoolVar(field, name, *field, usage)
	case *int:
		flags.IntVar(field, name, *field, usage)
	case *string:
		flags.StringVar(field, name, *field, usage)
	case *[]string:
		flags.Var((*stringsValue)(field), name, usage)
	}
	return Option{Name: name, Usage: usage, Value: flags.Lookup(name).Value}
}

type stringsValue []string

func (v *stringsValue) String() string { return strings.Join(*v, ", ") }
func (v *stringsValue) Type() string   { return "stringArray" }
func (v *stringsValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}
