// Package durations has the flags of the commands that take a duration.
package durations

import (
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// AddFlag adds a duration flag. Its help prints ten minutes as 10m, not 10m0s.
func AddFlag(f *pflag.FlagSet, to *time.Duration, name string, value time.Duration, usage string) {
	f.DurationVar(to, name, value, usage)
	if added := f.Lookup(name); strings.HasSuffix(added.DefValue, "m0s") {
		added.DefValue = strings.TrimSuffix(added.DefValue, "0s")
	}
}
