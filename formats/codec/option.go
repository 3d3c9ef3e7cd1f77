package codec

import (
	"fmt"
	"strconv"
	"strings"
)

// An Option is a field of an importer or exporter that a user can set by name.
// Commands make flags of options, and their help of Usage.
type Option struct {
	Name  string // as a flag spells it, for instance "profdata-version"
	Usage string
	Value Value
	// Check returns an error if the value is invalid. It may be nil.
	Check func() error
}

// A Value is a field that is set from text. It is a [flag.Value] that names its type.
type Value interface {
	String() string
	Set(text string) error
	Type() string // bool, int, string, or stringArray if each Set adds one
}

// Bool declares a field that is set or not.
func Bool(name string, field *bool, usage string) Option {
	return Option{Name: name, Usage: usage, Value: (*boolValue)(field)}
}

// Int declares a number.
func Int(name string, field *int, usage string) Option {
	return Option{Name: name, Usage: usage, Value: (*intValue)(field)}
}

// String declares a text.
func String(name string, field *string, usage string) Option {
	return Option{Name: name, Usage: usage, Value: (*stringValue)(field)}
}

// Strings declares a list of texts, to which each Set adds one.
func Strings(name string, field *[]string, usage string) Option {
	return Option{Name: name, Usage: usage, Value: (*stringsValue)(field)}
}

// WithCheck returns the option with a check of its value.
func (o Option) WithCheck(check func() error) Option {
	o.Check = check
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

// An OptionError describes an invalid value of an option.
type OptionError struct {
	Option string // its name
	Value  string // as text; empty if it was not set
	Err    error  // why the value is invalid
}

// Error returns `profdata-version 99: use 4 to 13`.
func (e *OptionError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %v", e.Option, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Option, e.Value, e.Err)
}

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }

// CheckOptions returns an [*OptionError] for the first option whose value is refused by its Check.
func CheckOptions(options []Option) error {
	for _, o := range options {
		if o.Check == nil {
			continue
		}
		if err := o.Check(); err != nil {
			return &OptionError{o.Name, o.Value.String(), err}
		}
	}
	return nil
}

// AsLLVM declares the option to merge as llvm-profdata does, which several formats have.
func AsLLVM(field *bool) Option {
	return Bool("llvm-compat", field,
		"merge as llvm-profdata merge --num-threads=1 does, of the release of the files or of the option llvm-release: of "+
			"what does not go together the first stays, values new to a site have no weight, those without a name are paired "+
			"by their places")
}
