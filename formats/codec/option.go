package codec

import (
	"strconv"
	"strings"
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
