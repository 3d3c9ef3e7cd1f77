package lint

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
)

// TestReadmeListsTheFormats compares the table of formats in README.md with the registered importers and exporters.
func TestReadmeListsTheFormats(t *testing.T) {
	startInRoot(t)
	imported, exported := readmeFormats(t)
	for _, i := range formats.Importers() {
		checkListed(t, imported, i.Format().Name, "import")
	}
	for _, e := range formats.Exporters() {
		checkListed(t, exported, e.Format().Name, "export")
	}
	for name := range imported {
		t.Errorf("README.md says that %s is imported; no importer has that name", name)
	}
	for name := range exported {
		t.Errorf("README.md says that %s is exported; no exporter has that name", name)
	}
}

// checkListed removes a name from listed, the names in README.md. It is an error if the name is missing there.
func checkListed(t *testing.T, listed map[string]bool, name, direction string) {
	t.Helper()
	if !listed[name] {
		t.Errorf("the table of formats in README.md does not have the %s of %s", direction, name)
	}
	delete(listed, name)
}

// readmeFormats returns the formats that README.md marks for import and for export.
func readmeFormats(t *testing.T) (imported, exported map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| format | import | export | content |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("README.md has no table of formats")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	imported, exported = map[string]bool{}, map[string]bool{}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			if strings.Contains(cells[2], "✓") {
				imported[name[1]] = true
			}
			if strings.Contains(cells[3], "✓") {
				exported[name[1]] = true
			}
		}
	}
	return imported, exported
}

// TestReadmeShowsTheExamples checks that the Go code in README.md is part of the compiled and tested examples.
func TestReadmeShowsTheExamples(t *testing.T) {
	startInRoot(t)
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Error("README.md shows no Go code")
	}
	for _, block := range blocks {
		if !strings.Contains(string(examples), block[1]) {
			t.Errorf("example_test.go does not have this code of README.md:\n%s", block[1])
		}
	}
}
