package formats

import (
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/replay"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/lcov"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/formats/text"
)

// Importers returns an importer of each format with the default options, in the order in which Import tries them.
func Importers() []codec.Importer {
	return []codec.Importer{
		&llvm.Importer{},
		&pprof.Importer{},
		&gopgo.Importer{},
		&text.Importer{},
		&iprof.Importer{},
		&jamaica.Importer{},
		&replay.Importer{},
		&perf.Importer{},
		&stacks.Importer{},
		&hotspot.Importer{}, // accepts any text that no other format claims
	}
}

// withDefaults returns Importers(), in which a given importer replaces the default one of its format. Given importers
// of other formats come first.
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

// Exporters returns an exporter of each format with the default options. Format gives their names.
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

// namesOf returns the names of the formats of importers or exporters.
func namesOf[F interface{ Format() codec.Format }](all []F) []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Format().Name
	}
	return names
}
