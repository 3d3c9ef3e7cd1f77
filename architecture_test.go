package profarc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/profarc/profarc/"

// mayImport lists, for each package, the packages of this module that its code may
// import. Imports point one way: from the command down to the bytes.
var mayImport = map[string][]string{
	"internal/words":      {},
	"internal/cputime":    {},
	"internal/fast":       {"internal/words"},
	"layout":              {"internal/fast"},
	"internal/disk":       {"layout", "internal/fast"},
	"internal/mmap":       {},
	"internal/sparsebits": {},
	"internal/refindex":   {"internal/mmap"},
	"internal/secrets":    {},
	"internal/libstdcxx":  {},
	"internal/procfs":     {},
	"internal/poll":       {},
	"internal/paired":     {},
	"internal/warmup":     {},
	"internal/escape":     {},
	"internal/relocate":   {"layout"},
	"internal/rawreader":  {"layout"},
	"internal/publish":    {"layout"},
	"internal/spill":      {"internal/publish", "internal/mmap", "internal/words"},
	"archive":             {"layout", "internal/mmap", "internal/fast", "internal/sparsebits"},
	"reader":              {"layout", "internal/relocate", "archive", "internal/rawreader", "internal/sparsebits", "internal/mmap"},
	"builder":             {"layout", "archive", "reader", "internal/archivewriter", "internal/profileset", "internal/intern", "internal/spill"},
	"merge":               {"layout", "reader", "builder", "internal/copier", "internal/profileset", "internal/methoddata", "internal/intern", "internal/poll"},
	"reduce":              {"layout", "reader", "builder", "internal/copier", "internal/dump", "internal/profileset", "internal/weigh", "internal/poll"},
	"internal/weigh":      {"layout", "reader", "internal/poll"},

	// What builder, merge, reduce and fit are made of.
	"internal/intern":        {"internal/mmap", "internal/fast", "layout", "internal/refindex"},
	"internal/methoddata":    {"layout", "internal/libstdcxx"},
	"internal/profileset":    {"layout", "internal/intern", "internal/methoddata", "internal/refindex", "internal/spill"},
	"internal/archivewriter": {"layout", "internal/spill", "internal/mmap", "internal/relocate", "internal/publish", "internal/intern", "internal/methoddata", "internal/profileset", "internal/fast"},
	"internal/copier":        {"layout", "reader", "internal/methoddata", "internal/profileset", "internal/poll"},

	// The module of tests in a browser, with dependencies of its own.
	"webtest":             {"layout", "builder", "internal/specimen"},
	"webtest/screenshots": {"webtest"},

	// The module of fleets, with dependencies of its own.
	"fleet/internal/registry":     {},
	"fleet/internal/testregistry": {},
	"fleet/internal/tests3":       {},
	"fleet/internal/signature":    {},
	"fleet/internal/artifact":     {"layout", "reader", "internal/jvm/build", "internal/publish"},
	"fleet/internal/ship": {"layout", "archive", "reader", "fit", "formats/hotspot/program", "internal/cli", "internal/jvm/build", "internal/publish", "internal/verify",
		"fleet/internal/artifact", "fleet/internal/registry", "fleet/internal/signature"},
	"fleet/cmd/profarc-fleet":      {"internal/cli", "fleet/internal/ship", "fleet/internal/mergecommands"},
	"fleet/internal/mergecommands": {"internal/cli", "fleet/internal/mergejob", "fleet/internal/blobs"},
	"fleet/internal/mergejob":      {"layout", "archive", "reader", "builder", "merge", "fleet/internal/blobs"},
	"fleet/internal/blobs":         {},
	"fleet/internal/manyarchives":  {"layout", "archive", "reader", "builder"},
	"fleet/bench/archives":         {"fleet/internal/manyarchives"},
	"fleet/bench/merge":            {},

	// A VM that an author of VMs copies: it has what every user has.
	"example": {"layout", "archive", "reader", "builder", "merge"},

	"internal/annotate": {"layout"},

	// Pages.
	"internal/web": {"layout", "reader", "archive", "analyze", "compare", "fit", "formats/llvm", "formats/stacks", "internal/escape", "internal/facts", "internal/naming", "formats/hotspot/program", "internal/annotate",
		"internal/poll", "internal/ranking", "internal/report", "internal/weigh", "internal/listing", "formats/hotspot", "formats/llvm/coverage", "internal/flame"},

	"internal/flame": {},

	"compare":              {"layout", "archive", "reader", "internal/poll"},
	"internal/loaders":     {"layout", "reader"},
	"fit":                  {"layout", "archive", "reader", "builder", "internal/loaders", "internal/copier", "internal/profileset", "internal/poll", "internal/jvm/names", "formats/stacks"},
	"analyze":              {"layout", "reader", "formats/jamaica", "internal/naming", "internal/poll"},
	"internal/ranking":     {"layout", "reader", "analyze", "internal/facts", "internal/escape", "internal/naming", "internal/poll"},
	"internal/facts":       {"layout", "reader", "internal/weigh", "formats/llvm", "formats/stacks", "internal/poll"},
	"internal/naming":      {"layout", "reader", "formats/llvm", "internal/escape", "internal/jvm/names"},
	"internal/demangled":   {"internal/naming"},
	"internal/listing":     {"layout", "reader", "analyze", "formats/hotspot", "internal/naming", "internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names"},
	"internal/report":      {"layout", "reader", "analyze", "compare", "fit", "internal/escape", "internal/facts", "internal/loaders", "internal/naming"},
	"internal/gate":        {"layout", "reader", "analyze", "compare", "fit", "internal/poll", "internal/report", "internal/weigh"},
	"internal/watch":       {"layout", "archive", "reader", "builder", "merge", "formats", "internal/copier", "internal/profileset", "internal/runfiles"},
	"internal/runfiles":    {"builder", "internal/publish"},
	"internal/dump":        {"layout", "archive", "reader", "internal/escape"},
	"internal/verify":      {"layout", "internal/relocate", "archive", "reader", "internal/rawreader", "internal/poll", "internal/words"},
	"internal/specimen":    {"layout", "builder"},
	"internal/forgery":     {"layout"},
	"internal/cprogram":    {"archive", "reader", "internal/forgery", "internal/specimen"},
	"internal/hexdump":     {"layout", "internal/annotate"},
	"internal/training":    {"internal/procfs"},
	"agent":                {}, // C sources, and so c
	"c":                    {},
	"internal/cli":         {"layout", "archive", "reader", "internal/escape", "internal/publish"},
	"internal/agentlib":    {"agent", "c", "internal/publish"},
	"internal/memstore":    {"archive", "reader", "builder"},
	"internal/llvmreader":  {"layout", "reader", "internal/cputime"},
	"internal/testarchive": {"layout", "archive", "reader", "builder", "merge", "internal/dump", "internal/profileset", "internal/specimen"},
	"internal/testprofile": {"reader", "formats", "internal/memstore"},
	"internal/compartment": {},
	"internal/parse":       {},
	"formats":              {"layout", "archive", "reader", "builder", "merge", "internal/parse"}, // and what is below it
	"formats/*":            {"layout", "archive", "reader", "builder", "formats/codec", "internal/refindex", "internal/libstdcxx", "internal/parse"},
	"formats/codec":        {"builder", "reader"},
	"formats/jsondump":     {"formats/codec", "reader", "internal/dump"},
	"formats/hotspot": {"layout", "archive", "reader", "builder", "formats/codec", "internal/refindex", "internal/libstdcxx", "internal/parse",
		"internal/jvm/bytecode", "internal/jvm/names", "internal/jvm/sketch"},
	"internal/jvm/bytecode":      {},
	"internal/jvm/sketch":        {"layout", "internal/jvm/bytecode", "internal/jvm/names"},
	"internal/jvm/classfile":     {"internal/jvm/bytecode", "internal/jvm/names"},
	"internal/jvm/names":         {},
	"internal/jvm/build":         {},
	"internal/jvm/testjvm":       {},
	"formats/hotspot/compilelog": {"internal/parse", "internal/jvm/names"},
	"formats/hotspot/live": {"layout", "archive", "builder", "formats/hotspot/compilelog", "internal/compartment", "internal/procfs", "internal/secrets",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names", "internal/jvm/sketch"},
	"formats/llvm/coverage":       {"layout", "reader", "formats/llvm", "internal/parse"},
	"formats/stacks/lcov":         {"layout", "reader", "formats/codec", "formats/stacks", "formats/llvm/coverage"},
	"formats/stacks/pprof/source": {"layout", "fit"},
	"formats/hotspot/program": {"layout", "fit",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names", "formats/hotspot/live", "internal/jvm/sketch"},
	"formats/hotspot/replay": {"layout", "reader", "builder", "formats/codec", "internal/parse",
		"internal/jvm/bytecode", "internal/jvm/classfile", "internal/jvm/names"},
}

// mayBeUnsafe lists the only places that may import unsafe.
var mayBeUnsafe = []string{"internal/words/", "internal/mmap/"}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	eachImport(t, func(file, imported string) {
		inside, ok := strings.CutPrefix(imported, module)
		if !ok || strings.HasSuffix(file, "_test.go") {
			return
		}
		rules, ruled := mayImport[rulesOf(path.Dir(file))]
		if !ruled && !strings.HasPrefix(file, "cmd/") && !strings.HasPrefix(file, "bench/") {
			t.Errorf("%s: its package has no row in mayImport; add one", file)
		}
		if slices.Contains(rules, "layout") && (inside == "internal/disk" || inside == "internal/words") {
			return // a package that may use the vocabulary of the format may use its bytes
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

// rulesOf returns the row of mayImport for a directory. The formats share a row,
// except for those with their own.
func rulesOf(dir string) string {
	if _, own := mayImport[dir]; !own && strings.HasPrefix(dir, "formats/") {
		return "formats/*"
	}
	return dir
}

func TestUnsafeIsConfined(t *testing.T) {
	t.Parallel()
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

// mayUseStandardStreams lists the only files that may use the standard streams:
// one escapes what is printed, the other passes them to the command that train
// runs.
var mayUseStandardStreams = []string{"internal/cli/streams.go", "cmd/profarc/internal/train/train.go"}

// TestOnePlacePrints checks that no other code prints to a standard stream: it
// would not escape foreign text, which a terminal obeys.
func TestOnePlacePrints(t *testing.T) {
	t.Parallel()
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

// commandWords are what only the command may say: a flag within a sentence, or the name of
// a subcommand.
var commandWords = regexp.MustCompile(`[\s(,;:]--[a-z]|\bprofarc (demo|train|dump|import|merge|reduce|info|show|top|lookup|diff|check|verify|bench)\b`)

// otherTools are the names of tools whose own flags a text may show.
var otherTools = regexp.MustCompile(`llvm-profdata |native-image `)

// ofTheCommand lists packages that the command alone imports, and that may speak as it does.
var ofTheCommand = []string{"internal/agentlib/", "internal/cli/", "internal/gate/", "internal/report/", "internal/web/", "fleet/"}

func isOfTheCommand(name string) bool {
	return strings.HasPrefix(name, "cmd/") || slices.ContainsFunc(ofTheCommand, func(p string) bool { return strings.HasPrefix(name, p) })
}

// TestLibraryKnowsNoFlags checks that no text of the library tells its caller to use a flag
// or a subcommand: the command adds that where it prints an error.
func TestLibraryKnowsNoFlags(t *testing.T) {
	t.Parallel()
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || file.Name.Name == "main" || isOfTheCommand(name) || strings.HasPrefix(name, "bench/") {
			return
		}
		for _, i := range file.Imports {
			if inside := strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), module) + "/"; isOfTheCommand(inside) {
				t.Errorf("%s imports %s, which is the command's", name, inside)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && commandWords.MatchString(text.Value) && !otherTools.MatchString(text.Value) {
				t.Errorf("%s: only the command names flags and subcommands: %s", name, text.Value)
			}
			return true
		})
	})
}

// standardStream returns the name of the standard stream that a node uses, or of
// the function that prints to one; "" for other nodes.
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

// eachImport calls yield for every import of every Go file of the module.
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

// eachFile calls yield for every Go file of the module.
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
