package profarc

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/profarc/profarc/"

// mayImport says which packages of this module a package's code may import.
// Imports point one way: from the command down to the bytes.
var mayImport = map[string][]string{
	"layout":              {},
	"internal/mmap":       {},
	"internal/sparsebits": {},
	"internal/refindex":   {},
	"internal/prefetch":   {},
	"internal/procfs":     {},
	"relocate":            {"layout"},
	"archive":             {"layout", "internal/mmap", "internal/prefetch", "internal/sparsebits"},
	"reader":              {"layout", "relocate", "archive", "internal/sparsebits"},
	"builder":             {"layout", "relocate", "archive", "reader", "internal/prefetch", "internal/refindex"},
	"compare":             {"layout", "archive", "reader"},
	"fit":                 {"layout", "archive", "reader", "builder"},
	"internal/dump":       {"layout", "archive", "reader"},
	"internal/verify":     {"layout", "relocate", "archive", "reader"},
	"internal/specimen":   {"layout", "builder"},
	"internal/training":   {"internal/procfs"},
	"internal/memstore":   {"archive", "reader", "builder"},
	"internal/formats":    {"layout", "archive", "reader", "builder", "internal/refindex", "internal/formats/lost"},

	"internal/formats/lost":              {},
	"internal/formats/hotspot/bytecode":  {},
	"internal/formats/hotspot/classfile": {"internal/formats/hotspot/bytecode"},
	"internal/formats/hotspot/live":      {"layout", "builder", "internal/procfs", "internal/formats/hotspot/bytecode"},
	"internal/formats/hotspot/program": {"layout", "fit",
		"internal/formats/hotspot/bytecode", "internal/formats/hotspot/classfile", "internal/formats/hotspot/live"},
	"internal/formats/hotspot/replay": {"layout", "reader", "builder", "internal/formats/lost",
		"internal/formats/hotspot/bytecode", "internal/formats/hotspot/classfile"},
}

// mayBeUnsafe are the only places where unsafe may stand.
var mayBeUnsafe = []string{"layout/words.go", "internal/mmap/"}

func TestImportsPointOneWay(t *testing.T) {
	eachImport(t, func(file, imported string) {
		inside, ok := strings.CutPrefix(imported, module)
		if !ok || strings.HasSuffix(file, "_test.go") {
			return
		}
		rules, ruled := mayImport[rulesOf(path.Dir(file))]
		if !ruled && !strings.HasPrefix(file, "cmd/") && !strings.HasPrefix(file, "bench/") {
			t.Errorf("%s: a package without a rule; say what it may import", file)
		}
		if slices.Contains(rules, inside) || strings.HasPrefix(file, inside+"/") {
			return // a part of a format may use the format's own package
		}
		if ruled {
			t.Errorf("%s imports %s", file, inside)
		}
	})
}

// rulesOf is the row of mayImport for a folder: the formats share one, but for
// parts that have their own.
func rulesOf(dir string) string {
	if _, own := mayImport[dir]; !own && strings.HasPrefix(dir, "internal/formats/") {
		return "internal/formats"
	}
	return dir
}

func TestUnsafeStandsInFewPlaces(t *testing.T) {
	eachImport(t, func(file, imported string) {
		if imported != "unsafe" {
			return
		}
		for _, allowed := range mayBeUnsafe {
			if strings.HasPrefix(file, allowed) {
				return
			}
		}
		t.Errorf("%s imports unsafe", file)
	})
}

// eachImport goes through the imports of all Go files of the module.
func eachImport(t *testing.T, yield func(file, imported string)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			seen++
			yield(filepath.ToSlash(name), strings.Trim(i.Path.Value, `"`))
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d imports seen, %v", seen, err)
	}
}
