package source

import (
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/system/debuginfo"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

// ErrNoLines means that a binary has no debugging information.
var ErrNoLines = errors.New("it has no table of lines: build it without -ldflags=-w and without strip, or name the " +
	"folder of its main package")

// ErrNoDebug means that a program that Go did not build has no debugging information.
var ErrNoDebug = errors.New("it has no debugging information with lines: build it with -g, or -gmlt, and without strip")

// IsBinary reports whether a file is a program that Go built, for any system.
func IsBinary(name string) bool {
	_, err := buildinfo.ReadFile(name)
	return err == nil
}

// A Binary is a compiled program. Its debugging information has the lines of each function and what was inlined
// there; calls are read from the machine code. It implements [methodcode.Source].
type Binary struct {
	parse     func(name string) symbol
	functions map[symbol][]*compiled
	packages  map[string][]string // symbols by package
}

// OpenBinary reads a program of Go. The error matches ErrNoLines, or is of a package in debug.
func OpenBinary(name string) (*Binary, error) {
	return openBinary(name, binaryReader{parse: parseSymbol, mask: -1, noLines: ErrNoLines})
}

// nativePackage stands for the package of all functions of a program without packages.
const nativePackage = "program"

// OpenNative reads a program of clang, Rust or another compiler, for LLVM's sample profiles. Its lines have 16 bits.
// The error matches ErrNoDebug, or is of a package in debug.
func OpenNative(name string) (*Binary, error) {
	return openBinary(name, binaryReader{mask: 0xffff, noLines: ErrNoDebug, parse: func(name string) symbol {
		return symbol{pkg: nativePackage, name: strconv.FormatUint(sample.GUID(debuginfo.CanonicalName(name)), 16)}
	}})
}

func openBinary(name string, r binaryReader) (*Binary, error) {
	f, err := openObject(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.noLines)
	}
	r.text = f.text
	r.start = f.start
	r.arch = f.arch
	r.all = map[string]*compiled{}
	r.entries = map[uint64]symbol{}
	if err := debuginfo.NewReader(data).ReadFunctions(r.addFunction); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.all) == 0 {
		return nil, fmt.Errorf("%s: %w", name, r.noLines)
	}
	r.readCalls()
	return r.newBinary(), nil
}

// object is an executable file.
type object struct {
	io.Closer
	DWARF func() (*dwarf.Data, error)
	text  []byte
	start uint64 // address of text
	arch  architecture
}

type architecture uint8

const (
	otherArchitecture architecture = iota
	amd64
	arm64
)

func openObject(name string) (o object, err error) {
	if f, err := elf.Open(name); err == nil {
		o = object{Closer: f, DWARF: f.DWARF}
		if s := f.Section(".text"); s != nil {
			o.start = s.Addr
			o.text, err = s.Data()
		}
		o.arch = map[elf.Machine]architecture{elf.EM_X86_64: amd64, elf.EM_AARCH64: arm64}[f.Machine]
		return o, err
	}
	if f, err := macho.Open(name); err == nil {
		o = object{Closer: f, DWARF: f.DWARF}
		if s := f.Section("__text"); s != nil {
			o.start = s.Addr
			o.text, err = s.Data()
		}
		o.arch = map[macho.Cpu]architecture{macho.CpuAmd64: amd64, macho.CpuArm64: arm64}[f.Cpu]
		return o, err
	}
	f, err := pe.Open(name)
	if err != nil {
		return o, errors.New("it is no program in ELF, Mach-O or PE")
	}
	o = object{Closer: f, DWARF: f.DWARF}
	header, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if s := f.Section(".text"); s != nil && ok {
		o.start = header.ImageBase + uint64(s.VirtualAddress)
		o.text, err = s.Data()
		o.arch = map[uint16]architecture{pe.IMAGE_FILE_MACHINE_AMD64: amd64, pe.IMAGE_FILE_MACHINE_ARM64: arm64}[f.Machine]
	}
	return o, err
}

// A compiled is one function of a binary. It implements [methodcode.Body]. Lines count from the start of the function.
type compiled struct {
	symbol
	parse    func(name string) symbol
	name     string
	lines    map[int32]bool     // lines with code
	calls    map[string][]int32 // lines of calls and of inlined functions, keyed by the name of the callee
	indirect map[int32]bool     // lines of calls with a callee that only the run knows
	scanned  bool               // whether calls were read from the machine code
}

// Call implements [methodcode.Body].
func (c *compiled) Call(line int32, callee string) (at int32, sure, ok bool) {
	s := c.parse(callee)
	lines := c.calls[s.key()]
	switch {
	case callee == "":
		return line, false, c.lines[line]
	case slices.Contains(lines, line):
		return line, true, true
	case c.lines[line] && (c.indirect[line] || !c.scanned || s.isOfRuntime() || c.name == "runtime.goexit"):
		return line, false, true
	case len(lines) > 0:
		return nearestLine(lines, line), true, true
	}
	return line, false, false
}

// Method implements [fit.Code]. The answer has no code to compare.
func (b *Binary) Method(k layout.Key) (methodcode.Answer, error) {
	_, a := b.Bodies(k.Name)
	return a, nil
}

// Bodies implements [methodcode.Source]. The linker leaves out functions that nothing calls: they are gone.
func (b *Binary) Bodies(name string) (found []methodcode.Body, a methodcode.Answer) {
	s := b.parse(name)
	for _, c := range b.functions[s] {
		if len(c.lines)+len(c.calls) > 0 {
			found = append(found, c)
		}
	}
	switch {
	case len(found) > 0:
		return found, methodcode.Answer{}
	case len(b.functions[s]) > 0:
		return nil, methodcode.UnknownBecause("in assembly, which has no lines in the binary")
	case s.isGenerated(), s.closure:
		return nil, methodcode.UnknownBecause("a closure or a function that the compiler generates, which this build " +
			"may need no more")
	case b.packages[s.pkg] == nil:
		return nil, methodcode.Answer{Presence: methodcode.NoClass}
	}
	return nil, methodcode.Answer{Presence: methodcode.NoMethod}
}

// Beside implements [methodcode.Source]. The names are sorted.
func (b *Binary) Beside(name string) []string { return b.packages[b.parse(name).pkg] }

func (r *binaryReader) newBinary() *Binary {
	b := &Binary{parse: r.parse, functions: map[symbol][]*compiled{}, packages: map[string][]string{}}
	for _, c := range r.all {
		b.functions[c.symbol] = append(b.functions[c.symbol], c)
		b.packages[c.pkg] = append(b.packages[c.pkg], c.name)
	}
	for _, names := range b.packages {
		slices.Sort(names)
	}
	for _, all := range b.functions {
		slices.SortFunc(all, func(x, y *compiled) int { return strings.Compare(x.name, y.name) })
	}
	return b
}

// A symbol is a parsed function name of the linker.
type symbol struct {
	pkg     string // import path
	name    string // F, T.M or (*T).M
	closure bool   // the symbol is a closure in this function
}

// inner matches the suffixes of closures and wrappers.
var closureSuffix = lazyregexp.New(`(?:\.func[0-9]+|\.gowrap[0-9]+|\.deferwrap[0-9]+|-range[0-9]+|-fm|\.[0-9]+)`)

// Parts of the symbols of closures for the bodies of loops over functions, and for go and defer statements.
const (
	rangeSuffix = "-range"
	wrapSuffix  = "wrap"
)

// closureKind returns the suffix of a closure's innermost function, "" if the source has it as a function.
func closureKind(name string) string {
	at := max(strings.LastIndex(name, rangeSuffix), strings.LastIndex(name, wrapSuffix), strings.LastIndex(name, ".func"))
	for _, suffix := range []string{rangeSuffix, wrapSuffix} {
		if at >= 0 && strings.HasPrefix(name[at:], suffix) {
			return suffix
		}
	}
	return ""
}

// initNumber matches the numbers of the functions init of a package.
var initNumber = lazyregexp.New(`^init\.[0-9]+(\.|-|$)`)

func parseSymbol(name string) symbol {
	name = removeTypeArguments(name)
	at := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[at:], '.')
	if dot < 0 {
		return symbol{name: name}
	}
	s := symbol{pkg: unescapePath(name[:at+dot]), name: name[at+dot+1:]}
	s.name = initNumber().ReplaceAllString(s.name, "init$1")
	if m := closureSuffix().FindStringIndex(s.name); m != nil {
		s.closure = !strings.HasPrefix(s.name[m[0]:], "-fm")
		s.name = s.name[:m[0]]
	}
	return s
}

func removeTypeArguments(name string) string {
	if !strings.ContainsRune(name, '[') {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescapePath replaces the linker's escape of dots in the last element of an import path.
func unescapePath(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// lastName returns the last name of a function, which calls in the source have.
func (s symbol) lastName() string { return s.name[strings.LastIndexByte(s.name, '.')+1:] }

// hasUnnamedCalls reports whether calls of the function lack its name in the source: the compiler inserts them, or they
// call a function value.
func (s symbol) hasUnnamedCalls() bool {
	return s.closure || s.isOfRuntime() || strings.HasPrefix(s.name, "init")
}

func (s symbol) isOfRuntime() bool {
	return s.pkg == "" || s.pkg == "runtime" || strings.HasPrefix(s.pkg, "runtime/") ||
		strings.HasPrefix(s.pkg, "internal/runtime/") || s.pkg == "type:"
}

// key identifies the function. All closures of a function have one key.
func (s symbol) key() string {
	if s.closure {
		return s.pkg + "." + s.name + ".func"
	}
	return s.pkg + "." + s.name
}

// receiver returns the type of a method.
func (s symbol) receiver() (name string, ok bool) {
	name, _, ok = strings.Cut(strings.TrimPrefix(s.name, "(*"), ".")
	return strings.TrimSuffix(name, ")"), ok
}

// isGenerated reports whether a function is in no source: package initializers, functions of types, cgo's, and C's.
func (s symbol) isGenerated() bool {
	return s.pkg == "" || strings.Contains(s.pkg, ":") || s.name == "init" || strings.HasPrefix(s.name, "map.init") ||
		strings.HasPrefix(s.name, "_C") || strings.HasPrefix(s.name, "_cgo")
}
