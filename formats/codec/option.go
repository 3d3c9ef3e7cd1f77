package codec

import (
	"strconv"
	"strings"
)

// An Option is a field of an importer or exporter that a user can set by name.
// Commands make flags of options, and their help of Usage.
type Option struct {
	Name  string // as a flag spells it, for instance "profdata-version"
	Usage string
	// Value is the field, set from text: a [flag.Value] that names its type.
	Value interface {
		String() string
		Set(text string) error
		Type() string // bool, int, string, or stringArray if each Set adds one
	}
	// Check returns an error if the value is invalid. It may be nil.
	Check func() error
}

// NewOption declares a field. Each Set of a list adds one text to it.
func NewOption[T bool | int | string | []string](name string, field *T, usage string) Option {
	o := Option{Name: name, Usage: usage}
	switch field := any(field).(type) {
	case *bool:
		o.Value = (*boolValue)(field)
	case *int:
		o.Value = (*intValue)(field)
	case *string:
		o.Value = (*stringValue)(field)
	case *[]string:
		o.Value = (*stringsValue)(field)
	}
	return o
}

type boolValue bool

func (v *boolValue) String() string { return strconv.FormatBool(bool(*v)) }
func (v *boolValue) Type() string   { return "bool" }
func (v *boolValue) Set(text string) error {
	b, err := strconv.ParseBool(text)
	*v = boolValue(b)
	return err
}

type intValue int

func (v *intValue) String() string { return strconv.Itoa(int(*v)) }
func (v *intValue) Type() string   { return "int" }
func (v *intValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 0, strconv.IntSize)
	*v = intValue(n)
	return err
}

type stringValue string

func (v *stringValue) String() string { return string(*v) }
func (v *stringValue) Type() string   { return "string" }
func (v *stringValue) Set(text string) error {
	*v = stringValue(text)
	return nil
}

type stringsValue []string

func (v *stringsValue) String() string { return strings.Join(*v, ", ") }
func (v *stringsValue) Type() string   { return "stringArray" }
func (v *stringsValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}

// AsLLVM declares the option to merge as llvm-profdata does, which several formats have.
func AsLLVM(field *bool) Option {
	return NewOption("llvm-compat", field,
		"merge as llvm-profdata merge --num-threads=1 does, of the release of the files or of the option llvm-release: of "+
			"what does not go together the first stays, values new to a site have no weight, those without a name are paired "+
			"by their places")
}
