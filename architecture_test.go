package profarc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
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
	"internal/words":       {},
	"internal/fast":        {"internal/words"},
	"layout":               {"internal/fast"},
	"internal/disk":        {"layout", "internal/fast"},
	"internal/mmap":        {},
	"internal/sparsebits":  {},
	"internal/refindex":    {},
	"internal/secrets":     {},
	"internal/prefetch":    {},
	"internal/libstdcxx":   {},
	"internal/procfs":      {},
	"internal/poll":        {},
	"internal/escape":      {},
	"relocate":             {"layout"},
	"archive":              {"layout", "internal/mmap", "internal/prefetch", "internal/sparsebits"},
	"reader":               {"layout", "relocate", "archive", "internal/sparsebits"},
	"builder":              {"layout", "relocate", "archive", "reader", "internal/poll", "internal/prefetch", "internal/refindex", "internal/libstdcxx"},
	"compare":              {"layout", "archive", "reader", "internal/poll"},
	"fit":                  {"layout", "archive", "reader", "builder", "internal/poll"},
	"analyze":              {"layout", "reader", "builder", "formats/jamaica", "formats/llvm", "formats/stacks", "internal/escape", "internal/naming", "internal/poll"},
	"internal/naming":      {"layout", "reader", "formats/llvm", "internal/escape"},
	"internal/report":      {"layout", "reader", "analyze", "compare", "fit", "internal/escape"},
	"internal/runfiles":    {"archive", "builder"},
	"internal/dump":        {"layout", "archive", "reader", "internal/escape"},
	"internal/verify":      {"layout", "relocate", "archive", "reader", "internal/poll"},
	"internal/specimen":    {"layout", "builder"},
	"internal/forgery":     {"layout"},
	"internal/hexdump":     {"layout"},
	"internal/training":    {"internal/procfs"},
	"internal/memstore":    {"archive", "reader", "builder"},
	"internal/compartment": {},
	"internal/parse":       {},
	"formats":              {"layout", "archive", "reader", "builder", "internal/parse"}, // and what is below it
	"formats/*":            {"layout", "archive", "reader", "builder", "formats/codec", "internal/refindex", "internal/libstdcxx", "internal/parse"},
	"formats/codec":        {"builder", "reader"},
	"formats/jsondump":     {"formats/codec", "reader", "internal/dump"},
	"formats/hotspot": {"layout", "archive", "reader", "builder", "formats/codec", "internal/refindex", "internal/libstdcxx", "internal/parse",
		"internal/jvm/bytecode", "internal/jvm/names", "internal/jvm/sketch"},
	"internal/jvm/bytecode":  {},
	"internal/jvm/sketch":    {"layout", "internal/jvm/bytecode"},
	"internal/jvm/classfile": {"internal/jvm/bytecode", "internal/jvm/names"},
	"internal/jvm/names":     {},
	"formats/hotspot/live": {"layout", "archive", "builder", "internal/compartment", "internal/procfs", "internal/secrets",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names", "internal/jvm/sketch"},
	"formats/hotspot/program": {"layout", "fit",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names", "formats/hotspot/live", "internal/jvm/sketch"},
	"formats/hotspot/replay": {"layout", "reader", "builder", "formats/codec", "internal/parse",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names"},
}

// mayBeUnsafe are the only places where unsafe may stand.
var mayBeUnsafe = []string{"internal/words/", "internal/mmap/"}

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
		if slices.Contains(rules, "layout") && (inside == "internal/disk" || inside == "internal/words") {
			return // what knows the words of the format may know its bytes
		}
		if slices.Contains(rules, inside) || strings.HasPrefix(file, inside+"/") {
			return // a part of a format may use the format's own package
		}
		if path.Dir(file) == "formats" && strings.HasPrefix(inside, "formats/") {
			return // the registry knows all formats
		}
		if ruled {
			t.Errorf("%s imports %s", file, inside)
		}
	})
}

// rulesOf is the row of mayImport for a folder: the formats share one, but for
// parts that have their own.
func rulesOf(dir string) string {
	if _, own := mayImport[dir]; !own && strings.HasPrefix(dir, "formats/") {
		return "formats/*"
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

// mayUseStandardStreams are the only files whose code may name the standard
// streams: the one that escapes what is printed, and the one that passes them on
// to the command that train runs.
var mayUseStandardStreams = []string{"cmd/profarc/internal/app/streams.go", "cmd/profarc/internal/train/train.go"}

// TestOnePlacePrints: whatever else printed to a standard stream would print
// foreign text as it is, for a terminal to obey.
func TestOnePlacePrints(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") || file.Name.Name == "main" && !strings.HasPrefix(name, "cmd/") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if used := standardStream(n); used != "" {
				seen[name] = true
				if !slices.Contains(mayUseStandardStreams, name) {
					t.Errorf("%s uses %s", name, used)
				}
			}
			return true
		})
	})
	if len(seen) != len(mayUseStandardStreams) {
		t.Errorf("only %v use standard streams", slices.Collect(maps.Keys(seen)))
	}
}

// standardStream is what in a node of the code is a standard stream, or prints
// to one; empty if nothing is.
func standardStream(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		of, _ := n.X.(*ast.Ident)
		if of == nil {
			return ""
		}
		name := of.Name + "." + n.Sel.Name
		if slices.Contains([]string{"os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "syscall.Stdout", "syscall.Stderr"}, name) || of.Name == "log" {
			return name
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "println" {
			return f.Name
		}
	}
	return ""
}

// eachImport goes through the imports of all Go files of the module.
func eachImport(t *testing.T, yield func(file, imported string)) {
	t.Helper()
	seen := 0
	eachFile(t, parser.ImportsOnly, func(name string, file *ast.File) {
		for _, i := range file.Imports {
			seen++
			yield(name, strings.Trim(i.Path.Value, `"`))
		}
	})
	if seen == 0 {
		t.Fatal("no imports seen")
	}
}

// eachFile goes through all Go files of the module.
func eachFile(t *testing.T, mode parser.Mode, yield func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, mode)
		if err == nil {
			yield(filepath.ToSlash(name), parsed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
