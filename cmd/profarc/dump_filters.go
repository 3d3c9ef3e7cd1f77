package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/formats/hotspot/live"
)

// dumpFilters say which profiles of a JVM are taken.
type dumpFilters struct {
	class        string
	compiledOnly bool
	calls        uint64
}

func (d *dumpFilters) addTo(f *pflag.FlagSet) {
	f.BoolVar(&d.compiledOnly, "compiled-only", false, "only methods that were compiled at any time of the run")
	f.Uint64Var(&d.calls, "min-invocations", 0, "only methods that were invoked so often")
	f.StringVar(&d.class, "class", "", "only methods of classes with this in their name, or of this pattern with * and ?")
}

// options are what the reader of a live VM is told.
func (d *dumpFilters) options() live.Options {
	o := live.Options{CompiledOnly: d.compiledOnly, MinInvocations: d.calls, Selection: d.text()}
	if d.class != "" {
		o.Class = methods.NewPattern(d.class).Matches
	}
	return o
}

// text is the filters as they stand on a command line, empty if there are none.
func (d *dumpFilters) text() string {
	var flags []string
	if d.class != "" {
		flags = append(flags, fmt.Sprintf("--class '%s'", d.class))
	}
	if d.compiledOnly {
		flags = append(flags, "--compiled-only")
	}
	if d.calls > 0 {
		flags = append(flags, fmt.Sprintf("--min-invocations %d", d.calls))
	}
	return strings.Join(flags, " ")
}
