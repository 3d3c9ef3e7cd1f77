package convert

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// The help of a flag that is of some formats alone begins with their names, as
// "profdata, proftext: ...". Other formats refuse the flag, so that nobody takes
// for done what was not.

// A formatFlag is a flag that was given and is of some formats alone.
type formatFlag struct {
	name    string
	formats []string
}

// givenFormatFlags are those of a command whose formats have these names.
func givenFormatFlags(flags *pflag.FlagSet, names []string) (given []formatFlag) {
	flags.Visit(func(f *pflag.Flag) {
		of, _, _ := strings.Cut(f.Usage, ":")
		formats := strings.Split(of, ", ")
		if !slices.ContainsFunc(formats, func(name string) bool { return !slices.Contains(names, name) }) {
			given = append(given, formatFlag{f.Name, formats})
		}
	})
	return given
}

// refuseFlags is the error of flags that are not of a format; subject has it.
func refuseFlags(given []formatFlag, subject, format string) error {
	for _, f := range given {
		if !slices.Contains(f.formats, format) {
			return app.Usagef("--%s is of the format %s, %s %s: leave it out", f.name, strings.Join(f.formats, " or "), subject, format)
		}
	}
	return nil
}
