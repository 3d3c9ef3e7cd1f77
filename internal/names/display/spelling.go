package display

import (
	"strings"

	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
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
