// Package display spells the methods, types and tables of an archive for people.
package display

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Spelling selects the spelling of names. The zero Spelling writes them as programmers do. Java methods look like
// java.util.Map.Entry.combine(Object, int), and C++ and Rust functions are demangled.
type Spelling struct {
	Raw     bool // spell methods like MethodText
	Mangled bool // keep mangled names of C++ and Rust
	Short   bool // omit packages of Java classes
}

// Method spells a method without its loader. Spellings are not unique, since parameter types have no packages.
func (sp Spelling) Method(d layout.Domain, k layout.Key) string {
	switch {
	case sp.Raw:
	case isJavaDomain(d):
		java := k.Split(d)
		if sp.Short {
			java.Class = withoutPackage(java.Class)
		}
		if text, ok := javaMethod(d, java, false); ok {
			return text
		}
	case !sp.Mangled && k.Class == "" && k.Signature == "":
		return demangled(k.Name)
	}
	return MethodText(d, k)
}

// Type spells a type from its name in an archive, such as java.lang.String[] for [Ljava/lang/String;.
func (sp Spelling) Type(d layout.Domain, name string) string {
	if sp.Raw || !isJavaDomain(d) {
		return name
	}
	if sp.Short {
		name = withoutPackage(name)
	}
	return javanames.JavaType(name)
}

// Function spells a function from its linker name. A file before the name of a local function stays, so
// "a.cpp;_ZL3runi" becomes "a.cpp;run(int)".
func (sp Spelling) Function(name string) string {
	if sp.Raw || sp.Mangled {
		return name
	}
	return demangled(name)
}

// Target spells what a call or type check reached: a type of Java, or a function from its linker name.
func (sp Spelling) Target(d layout.Domain, name string) string {
	if isJavaDomain(d) {
		return sp.Type(d, name)
	}
	return sp.Function(name)
}

func isJavaDomain(d layout.Domain) bool {
	return d == layout.DomainHotSpot || d == layout.DomainGraal || d == layout.DomainJamaica
}

func withoutPackage(class string) string {
	own, host, hidden := strings.Cut(class, "@")
	if hidden {
		return javanames.WithoutPackage(own) + "@" + javanames.WithoutPackage(host)
	}
	return javanames.WithoutPackage(own)
}

func javaMethod(d layout.Domain, k layout.Key, qualified bool) (text string, ok bool) {
	k = k.Split(d)
	parameters, ok := javanames.JavaParameters(k.Signature, qualified)
	if d == layout.DomainGraal {
		parameters, ok = graalParameters(k.Signature, qualified)
	}
	if k.Class != "" {
		k.Name = javanames.JavaClass(k.Class) + "." + k.Name
	}
	return k.Name + parameters, ok && k.Class != ""
}

// graalParameters spells the parameters in a GraalVM signature. void(int,[Ljava.lang.String;) gives "(int, String[])".
func graalParameters(signature string, qualified bool) (text string, ok bool) {
	_, list, ok := strings.Cut(signature, "(")
	list, ended := strings.CutSuffix(list, ")")
	if !ok || !ended || list == "" {
		return "()", ok && ended
	}
	parameters := strings.Split(list, ",")
	for i, p := range parameters {
		if !qualified {
			p = javanames.WithoutPackage(p)
		}
		parameters[i] = javanames.JavaType(p)
	}
	return "(" + strings.Join(parameters, ", ") + ")", true
}

// demangled returns a function's demangled name, or the name itself. LLVM puts the file of a local function before its
// name, with a semicolon, or with a colon up to LLVM 16.
func demangled(name string) string {
	at := strings.LastIndexAny(name, ";:") + 1
	mangled := name[at:]
	if !strings.HasPrefix(mangled, "_Z") && !strings.HasPrefix(mangled, "_R") {
		return name
	}
	if text, ok := Demangle(mangled); ok {
		return name[:at] + text
	}
	return name
}

// plain unifies separators, nested classes, and spaces between parameters.
var plain = strings.NewReplacer("::", ".", "/", ".", "$", ".", ", ", ",")

func PlainName(text string) string { return plain.Replace(text) }

// PlainForms returns the forms in which users may write a method. Java methods have forms with and without packages of
// parameters, others a demangled form. Equal forms occur once.
func PlainForms(d layout.Domain, k layout.Key) (forms []string) {
	if !isJavaDomain(d) {
		if name := demangled(k.Name); name != k.Name && k.Class == "" {
			forms = append(forms, PlainName(name))
		}
		return forms
	}
	for _, qualified := range []bool{false, true} {
		if text, ok := javaMethod(d, k, qualified); ok && (len(forms) == 0 || PlainName(text) != forms[0]) {
			forms = append(forms, PlainName(text))
		}
	}
	return forms
}

// MethodText spells a method without its loader, in the form of PrintMethodData or of the domain's producer.
func MethodText(d layout.Domain, k layout.Key) string {
	class := k.Class
	between := ""
	if d == layout.DomainHotSpot {
		class = strings.ReplaceAll(class, "/", ".")
	}
	if class != "" {
		class += "::"
	}
	if k.Signature != "" && !strings.HasPrefix(k.Signature, "(") {
		between = " "
	}
	return class + k.Name + between + k.Signature
}

// IDText returns the id of a method or of code as 16 hexadecimal digits.
func IDText(id uint64) string { return fmt.Sprintf("%016x", id) }

var accessFlags = [...]struct {
	bit  uint32
	name string
}{{disk.AccStatic, "static "}, {disk.AccFinal, "final "}, {disk.AccSynchronized, "synchronized "},
	{disk.AccNative, "native "}}

func AccessText(access uint32) string {
	text := ""
	for _, f := range accessFlags {
		if access&f.bit != 0 {
			text += f.name
		}
	}
	return text
}

func WithoutAccess(text string) string {
	for _, f := range accessFlags {
		text = strings.TrimPrefix(text, f.name)
	}
	return text
}

func TypeText(t reader.Type) (string, error) {
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	return WithLoader(name.String(), loader.String()), errors.Join(nameErr, loaderErr)
}

func WithLoader(name, loader string) string {
	if loader == "" {
		return name
	}
	return name + " (loader " + loader + ")"
}

// Loaders that every JVM has. The boot loader has no name in an archive.
const (
	bootLoader     = ""
	platformLoader = "platform"
	appLoader      = "app"
)

// LoaderNote returns " (loader NAME)" if readers need the loader to identify a class, else "". They need it for loaders
// that a program made. For built-in loaders, they need it only if the archive has the class of several of them.
func LoaderNote(s *reader.Store, class, loader string) string {
	builtin := []string{bootLoader, platformLoader, appLoader}
	if slices.Contains(builtin, loader) && (class == "" || !slices.ContainsFunc(builtin,
		func(other string) bool { return other != loader && hasType(s, class, other) })) {
		return ""
	}
	return " (loader " + cmp.Or(loader, "boot") + ")"
}

func hasType(s *reader.Store, class, loader string) bool {
	_, err := s.FindType(class, loader)
	return err == nil
}

// PointWord returns the unit in which the points of a domain are numbered, "bci" or "point".
func PointWord(d layout.Domain) string {
	if d == layout.DomainHotSpot || d == layout.DomainGraal {
		return "bci"
	}
	return "point"
}

var functionWords = strings.NewReplacer("method", "function", "Method", "Function")

// InTermsOf returns a text of this program, not of a user's, with functions instead of methods if a domain has these.
func InTermsOf(d layout.Domain, text string) string {
	if d.LLVM() {
		return functionWords.Replace(text)
	}
	return text
}

// Limits of one name. A short mangled name can expand without bound.
const (
	maxMangled     = 1 << 13 // maximum length of a mangled name in bytes
	maxSpelledLog2 = 14      // binary logarithm of the maximum length of a demangled name
)

// Demangle returns the spelling of a mangled C++ or Rust name. ok is false for another name or beyond a limit.
func Demangle(mangled string) (name string, ok bool) {
	if len(mangled) > maxMangled {
		return "", false
	}
	name, err := demangle.ToString(mangled, demangle.MaxLength(maxSpelledLog2))
	return name, err == nil && len(name) < 1<<maxSpelledLog2
}

var tableNames = map[disk.TableKind]string{
	disk.TableOrder: "source order", disk.TableOrderRuns: "runs of the source order",
	disk.TableProperties: "properties", disk.TableDumps: "dumps",
	disk.TableMonitors: "monitors", disk.TableSamples: "samples", disk.TableBinaryIDs: "binary ids",
	disk.TableTraces: "temporal traces", disk.TableVTables: "vtables", disk.TableHeapRefs: "heap references",
	disk.TableHeapUse: "heap use", disk.TableInstances: "instances", disk.TableThreads: "threads",
	disk.TableReflected: "reflected classes", disk.TableForeign: "foreign keys",
	disk.TableRuns: "runs", disk.TableClassPath: "class path", disk.TableCode: "sketches of code",
	disk.TableShapes:       "shapes of entries",
	disk.TableCompilations: "compilations", disk.TableInlining: "inlined calls", disk.TableFunctions: "functions",
	disk.TableBase: "base", disk.TableMoved: "moved points", disk.TableInputs: "inputs", disk.TableLosses: "losses",
	disk.TableCertain:     "outcomes that were certain",
	disk.TableAllocations: "allocations", disk.TableAllocationCalls: "calls that lead to allocations",
	disk.TableObjects: "objects", disk.TableVersions: "versions of code",
	disk.TableAdvice: "notes of runs", disk.TableHot: "hot profiles", disk.TableCrowded: "crowded ids",
}

// TableTitle returns the title of a table, unlike the table names of package layout, which users type.
func TableTitle(k disk.TableKind) string {
	return cmp.Or(tableNames[k], fmt.Sprintf("table %d", uint32(k)))
}
