// Package formatflags gives the commands import and export a flag per option of a format.
package formatflags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/merge"
)

type format interface {
	Format() codec.Format
}

// Flags maps a flag to the names of the formats with that option. Other formats reject the flag.
type Flags map[string][]string

// AddFlags adds a flag per option name. Options of one name share a flag.
func AddFlags[F format](flags *pflag.FlagSet, all []F) Flags {
	of := Flags{}
	values := map[string]*sharedValue{}
	for _, f := range all {
		for _, o := range f.Format().Options {
			if values[o.Name] == nil {
				values[o.Name] = &sharedValue{}
				added := flags.VarPF(values[o.Name], o.Name, "", o.Usage)
				if o.Value.Type() == "bool" {
					added.NoOptDefVal = "true"
				}
			}
			*values[o.Name] = append(*values[o.Name], o)
			of[o.Name] = append(of[o.Name], f.Format().Name)
		}
	}
	for name, formats := range of {
		flag := flags.Lookup(name)
		flag.Usage = strings.Join(formats, ", ") + ": " + flag.Usage
		flag.DefValue = flag.Value.String()
	}
	return of
}

type sharedValue []codec.Option

func (v *sharedValue) Set(text string) error {
	return lists.Each(*v, func(o codec.Option) error { return o.Value.Set(text) })
}

func (v *sharedValue) String() string {
	if len(*v) == 0 {
		return ""
	}
	return (*v)[0].Value.String()
}

func (v *sharedValue) Type() string {
	if len(*v) == 0 {
		return "string"
	}
	return (*v)[0].Value.Type()
}

// RefuseForeign returns an error if a flag was given that the format lacks. subject is the file or flag that determines
// the format.
func (of Flags) RefuseForeign(flags *pflag.FlagSet, subject, format string) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if has := of[f.Name]; has != nil && !slices.Contains(has, format) && err == nil {
			err = cli.Usagef("--%s is of the format %s, %s %s: leave it out", f.Name, strings.Join(has, " or "), subject, format)
		}
	})
	return err
}

// DescribeFormats returns one line per format.
func DescribeFormats[F format](all []F) string {
	return lists.Join(all, "\n", func(f F) string { return fmt.Sprintf("  %-23s%s", f.Format().Name, f.Format().About) })
}

// ExplainError rewrites an error of package formats in terms of the command line, and marks wrong usage.
func ExplainError(err error) error {
	var (
		option *formats.OptionError
		input  *formats.InputError
	)
	switch {
	case errors.As(err, &option):
		return cli.Usagef("--%w", err)
	case errors.Is(err, formats.ErrMixed):
		return cli.Usagef("%w", err)
	case errors.Is(err, merge.ErrCounted) && errors.As(err, &input):
		return fmt.Errorf("%s says the same as a file before it: leave it out, or count one of them twice with --weighted "+
			"2,%s", input.Name, input.Name)
	case errors.Is(err, formats.ErrArchive) && errors.As(err, &input):
		return fmt.Errorf("%w: see profarc info %s", err, input.Name)
	case err != nil && strings.Contains(err.Error(), formats.ErrUnknown.Error()):
		return fmt.Errorf("%w; see profarc import --help", err)
	}
	return err
}
