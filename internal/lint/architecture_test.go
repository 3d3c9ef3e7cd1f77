package lint

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

// rooms lists the parts of the module, from the bottom to the top, and the other parts that their code may import. A
// part is a folder at the top or below internal/. Code that only one part uses is inside that part. Tests may import
// anything.
var rooms = []struct{ name, mayImport string }{
	{"layout", ""},
	{"internal/system", ""}, // processes, clocks, caches, secrets, lazy values
	{"internal/file", "layout"},
	{"relocate", "layout internal/file"},
	{"archive", "layout internal/file"},
	{"reader", "layout internal/file relocate archive"},
	{"internal/ledger", "layout internal/file reader"}, // accounts
	{"internal/names", "layout internal/system internal/file reader"},
	{"internal/java", "layout internal/system internal/file internal/names"},
	{"internal/recording", "layout internal/system internal/file internal/ledger relocate reader"},
	{"builder", "layout internal/file internal/ledger internal/recording archive reader"},
	{"merge", "layout internal/system internal/file internal/ledger internal/recording archive reader builder"},
	{"verify", "layout internal/system internal/file relocate reader"},
	{".", "layout internal/file internal/ledger internal/recording archive reader builder merge"}, // the API for embedders
	{"formats", "layout internal/system internal/file internal/ledger internal/names internal/java internal/recording " +
		"reader builder merge"},
	{"experimental/analyze", "layout internal/system internal/file internal/names reader"},
	{"internal/sampling", ""}, // the error of samples
	{"experimental/compare", "layout internal/system internal/file internal/names internal/sampling reader " +
		"experimental/analyze"},
	{"experimental/fit", "layout internal/system internal/file internal/ledger internal/names internal/java internal/recording " +
		"reader builder formats"},
	{"experimental/reduce", "layout internal/system internal/file internal/ledger internal/names internal/recording reader " +
		"builder formats"},

	{"agent", ""}, // C sources
	{"c", ""},
	{"internal/hotspot", // JVMs, their programs, training runs, the agent's library
		"layout internal/system internal/file internal/ledger internal/names internal/java internal/recording archive builder " +
			"formats agent c"},
	{"internal/cli", "layout internal/file internal/names archive reader merge formats"},
	{"example", "layout merge ."}, // imports only public packages
	{"internal/testkit", "layout internal/file internal/names internal/recording archive reader builder merge formats"},
	{"cmd",
		"layout internal/system internal/file internal/ledger internal/names internal/java internal/recording " +
			"internal/hotspot internal/cli internal/sampling archive reader builder merge verify formats " +
			"experimental/analyze experimental/compare experimental/fit experimental/reduce"},

	{".ci", "ci"},

	// Modules of their own.
	{"bench", "layout internal/system internal/file internal/names internal/cli internal/recording archive reader builder " +
		"example ."},
	{"fleet", "layout internal/file internal/ledger internal/names internal/java internal/recording internal/cli " +
		"archive reader builder merge verify formats experimental/fit internal/hotspot"},
	{"webtest", "layout builder internal/testkit"},
}

// mayBeUnsafe lists the only folders that may import unsafe.
var mayBeUnsafe = []string{"internal/file/words/", "internal/file/mmap/"}

func TestImportsPointOneWay(t *testing.T) {
	startInRoot(t)
	mayImport, seen := map[string][]string{}, map[string]bool{}
	for _, r := range rooms {
		mayImport[r.name] = strings.Fields(r.mayImport)
	}
	eachImport(t, func(file, imported string) {
		inside, ok := strings.CutPrefix(imported+"/", module)
		inside = path.Clean(inside)
		if !ok || strings.HasSuffix(file, "_test.go") {
			return
		}
		from, to := roomOf(path.Dir(file)), roomOf(inside)
		seen[from+" "+to] = true
		rules, ruled := mayImport[from]
		switch {
		case !ruled:
			t.Errorf("%s: the room %s has no row in rooms; add one", file, from)
		case from == to && otherFormat(file, inside):
			t.Errorf("%s imports %s: formats do not know each other", file, inside)
		case from != to && !slices.Contains(rules, to):
			t.Errorf("%s imports %s", file, inside)
		}
	})
	for from, rules := range mayImport {
		for _, to := range rules {
			if !seen[from+" "+to] {
				t.Errorf("%s does not import %s any more: its row in rooms may be shorter", from, to)
			}
		}
	}
}

// roomOf returns the part that a directory belongs to. The formats below internal/formats belong to formats, and no
// embedder imports them.
func roomOf(dir string) string {
	parts := strings.Split(dir, "/")
	if strings.HasPrefix(dir+"/", "internal/formats/") {
		return "formats"
	}
	if (parts[0] == "internal" || parts[0] == "experimental") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// formatsTogether has the formats that use another format. lcov uses the coverage mapping of LLVM's programs.
var formatsTogether = map[string]string{"stacks": "llvm"}

// otherFormat reports whether a file below internal/formats imports the registry or another format. Only the registry
// may import all formats. Each format may import codec and internal/formats/parse.
func otherFormat(file, imported string) bool {
	const inside = "internal/formats/"
	from, isFormat := strings.CutPrefix(path.Dir(file), inside)
	to, ofFormat := strings.CutPrefix(imported, inside)
	if !isFormat || !ofFormat {
		return isFormat && imported == "formats"
	}
	from, _, _ = strings.Cut(from, "/")
	to, _, _ = strings.Cut(to, "/")
	return from != to && to != "parse" && formatsTogether[from] != to
}

func TestUnsafeIsConfined(t *testing.T) {
	startInRoot(t)
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

// mayUseStandardStreams lists the only files that may use the standard streams. One escapes the output, and the other
// passes the streams to the command that train runs.
var mayUseStandardStreams = []string{"internal/cli/streams.go", "cmd/profarc/internal/train/train.go"}

// TestOnePlacePrints checks that no other code uses a standard stream, because it would print names from archives
// without escaping them.
func TestOnePlacePrints(t *testing.T) {
	startInRoot(t)
	seen := map[string]bool{}
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") ||
			file.Name.Name == "main" && !strings.HasPrefix(name, "cmd/") {
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

// commandWords matches texts that only the command may contain, which are a flag within a sentence or a subcommand.
var commandWords = regexp.MustCompile(`[\s(,;:]--[a-z]|\bprofarc (demo|train|dump|import|merge|reduce|info|show|top|lookup|diff|check|verify)\b`)

// otherTools matches names of other tools, whose flags any text may contain.
var otherTools = regexp.MustCompile(`llvm-profdata |native-image `)

// ofTheCommand lists packages that only commands import. Their texts may mention flags and subcommands.
var ofTheCommand = []string{"internal/hotspot/agentlib/", "internal/cli/", "fleet/"}

func isOfTheCommand(name string) bool {
	return strings.HasPrefix(name, "cmd/") || slices.ContainsFunc(ofTheCommand,
		func(p string) bool { return strings.HasPrefix(name, p) })
}

// TestLibraryKnowsNoFlags checks that no text of the library tells its caller to use a flag or a subcommand. The
// command adds such advice when it prints an error.
func TestLibraryKnowsNoFlags(t *testing.T) {
	startInRoot(t)
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || file.Name.Name == "main" || isOfTheCommand(name) ||
			strings.HasPrefix(name, "bench/") {
			return
		}
		for _, i := range file.Imports {
			if inside := strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), module) + "/"; isOfTheCommand(inside) {
				t.Errorf("%s imports %s, which is the command's", name, inside)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && commandWords.MatchString(text.Value) &&
				!otherTools.MatchString(text.Value) {
				t.Errorf("%s: only the command names flags and subcommands: %s", name, text.Value)
			}
			return true
		})
	})
}

// standardStream returns the standard stream that a node uses, or the function with which it prints to one. It returns
// "" for other nodes.
func standardStream(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		of, _ := n.X.(*ast.Ident)
		if of == nil {
			return ""
		}
		name := of.Name + "." + n.Sel.Name
		if slices.Contains([]string{"os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "syscall.Stdout",
			"syscall.Stderr"}, name) || of.Name == "log" {
			return name
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "println" {
			return f.Name
		}
	}
	return ""
}

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

// TestTextsNameNoFields checks that texts for people do not contain option fields of this module, such as
// KeepVTableNames, which users of the command do not know.
func TestTextsNameNoFields(t *testing.T) {
	startInRoot(t)
	fields := map[string]bool{}
	eachFile(t, 0, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && ofOptions.MatchString(spec.Name.Name) {
				if of, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range of.Fields.List {
						for _, name := range field.Names {
							fields[name.Name] = twoHumps.MatchString(name.Name)
						}
					}
				}
			}
			return true
		})
	})
	if !fields["KeepVTableNames"] {
		t.Fatal("the fields of options were not found")
	}
	eachFile(t, 0, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING || !strings.Contains(text.Value, " ") ||
				strings.HasPrefix(text.Value, "`json:") {
				return true
			}
			for _, word := range wordsOf.FindAllString(text.Value, -1) {
				if fields[word] {
					t.Errorf("%s: the text %s names the field %s", name, text.Value, word)
				}
			}
			return true
		})
	})
}

var (
	ofOptions = regexp.MustCompile(`^\w*(Importer|Exporter|Options)$`)
	twoHumps  = regexp.MustCompile(`^[A-Z]\w*[a-z][A-Z]`)
	wordsOf   = regexp.MustCompile(`\w+`)
)
