package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/lcov"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/formats/text"
)

// Importers returns an importer of each format, with the default options, in the
// order in which they are asked whether an input is theirs.
func Importers() []codec.Importer {
	return []codec.Importer{
		&llvm.Importer{},
		&pprof.Importer{},
		&text.Importer{},
		&iprof.Importer{},
		&jamaica.Importer{},
		&perf.Importer{},
		&stacks.Importer{},
		&hotspot.Importer{}, // takes any text whose beginning says nothing else
	}
}

// withDefaults returns Importers() with some in the place of importers of the same
// format. Those of other formats come first.
func withDefaults(given []codec.Importer) []codec.Importer {
	all := Importers()
	names := namesOf(all)
	var others []codec.Importer
	for _, i := range given {
		if at := slices.Index(names, i.Format().Name); at >= 0 {
			all[at] = i
		} else {
			others = append(others, i)
		}
	}
	return append(others, all...)
}

// Exporters returns an exporter of each format, with the default options.
func Exporters() []codec.Exporter {
	return []codec.Exporter{
		&hotspot.Exporter{},
		&jsondump.Exporter{},
		&text.Exporter{},
		&llvm.IndexedExporter{},
		&iprof.Exporter{},
		&llvm.TextExporter{},
		&jamaica.Exporter{},
		&stacks.Exporter{},
		&pprof.Exporter{},
		&gopgo.Exporter{},
		&lcov.Exporter{},
	}
}

// NewExporter returns the exporter of the format with a name, with the default options.
func NewExporter(name string) (codec.Exporter, error) {
	all := Exporters()
	i := slices.IndexFunc(all, func(e codec.Exporter) bool { return e.Format().Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no format %q to export: use one of %s", name, strings.Join(namesOf(all), ", "))
	}
	return all[i], nil
}

// namesOf returns the names of the formats of importers or exporters.
func namesOf[F interface{ Format() codec.Format }](all []F) []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Format().Name
	}
	return names
}
