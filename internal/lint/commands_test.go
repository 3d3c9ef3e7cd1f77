package lint

import (
	"slices"
	"strings"
	"testing"
)

// formatUsers lists the files of cmd and fleet that import internal/file/... Commands use reader, builder,
// experimental/analyze and internal/names instead, so the list may only shrink.
var formatUsers = []string{
	"cmd/profarc/internal/dump/command.go",
	"cmd/profarc/internal/mergecmd/inputs.go",
	"cmd/profarc/internal/runfiles/spool.go",
	"cmd/profarc/internal/show/table.go",
	"cmd/profarc/internal/train/write.go",
	"cmd/profarc/internal/view/facts/allocations.go",
	"cmd/profarc/internal/view/facts/facts.go",
	"cmd/profarc/internal/view/facts/summary.go",
	"cmd/profarc/internal/view/listing/tables.go",
	"fleet/internal/artifact/facts.go",
	"fleet/internal/artifact/pack.go",
	"fleet/internal/artifact/volume.go",
	"fleet/internal/manyarchives/manyarchives.go",
	"fleet/internal/mergejob/survey.go",
	"fleet/internal/ship/base.go",
	"fleet/internal/ship/fit.go",
	"fleet/internal/ship/pull.go",
}

// mergesRecords is a folder of fleet that copies records, as internal/recording does.
const mergesRecords = "fleet/internal/partmerge/"

func TestCommandsAvoidTheEncoding(t *testing.T) {
	startInRoot(t)
	importing := map[string]bool{}
	eachImport(t, func(file, imported string) {
		room, _, _ := strings.Cut(file, "/")
		if (room == "cmd" || room == "fleet") && !strings.HasSuffix(file, "_test.go") &&
			!strings.HasPrefix(file, mergesRecords) && strings.HasPrefix(imported, module+"internal/file/") {
			importing[file] = true
		}
	})
	for file := range importing {
		if !slices.Contains(formatUsers, file) {
			t.Errorf("%s imports internal/file/...: use reader, builder, experimental/analyze or internal/names", file)
		}
	}
	for _, file := range formatUsers {
		if !importing[file] {
			t.Errorf("%s does not import internal/file/... any more: remove it from the list", file)
		}
	}
}
