package display

import (
	"strings"

	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

// A Spelling says how names are spelled for people. The zero Spelling writes them as programmers do: methods
// of Java as java.util.Map.Entry.combine(Object, int), and functions of C++ and Rust demangled.
type Spelling struct {
	Raw     bool // as MethodText does
	Mangled bool // names of C++ and Rust as linkers know them
	Short   bool // classes of Java without their packages
}

// Method returns a method without its loader. Parameters are without packages: two methods
// may have one spelling.
func (sp Spelling) Method(d layout.Domain, k layout.Key) string {
	switch {
	case sp.Raw:
	case ofJava(d):
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

// Type returns a type by its name in an archive: java.lang.String[] for [Ljava/lang/String;.
func (sp Spelling) Type(d layout.Domain, name string) string {
	if sp.Raw || !ofJava(d) {
		return name
	}
	if sp.Short {
		name = withoutPackage(name)
	}
	return javanames.JavaType(name)
}

// Function returns a function by the name that a linker has for it, after the file of one
// that is local to it: "a.cpp;run(int)" for "a.cpp;_ZL3runi".
func (sp Spelling) Function(name string) string {
	if sp.Raw || sp.Mangled {
		return name
	}
	return demangled(name)
}

// ofJava reports whether the methods of a domain are Java's.
func ofJava(d layout.Domain) bool {
	return d == layout.DomainHotSpot || d == layout.DomainGraal || d == layout.DomainJamaica
}

// withoutPackage returns a class without its package, and a hidden one with that of its host.
func withoutPackage(class string) string {
	own, host, hidden := strings.Cut(class, "@")
	if hidden {
		return javanames.WithoutPackage(own) + "@" + javanames.WithoutPackage(host)
	}
	return javanames.WithoutPackage(own)
}

// javaMethod returns a method as it is written in Java; ok is false if it has no sound signature.
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

// graalParameters returns the parameters of a signature of GraalVM: "(int, String[])" of
// void(int,[Ljava.lang.String;).
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

// demangled returns a function's name demangled, or as it is. LLVM puts the file of a local
// function before its name, with a semicolon or, up to LLVM 16, a colon.
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

// plain unifies the ways in which people write a name: separators, nested classes, spaces between parameters.
var plain = strings.NewReplacer("::", ".", "/", ".", "$", ".", ", ", ",")

// Plain returns a name that somebody wrote in the form of PlainForms.
func Plain(text string) string { return plain.Replace(text) }

// PlainForms returns the forms in which people may write a method: in Java with and without
// the packages of parameters, and demangled. They are fewer if some are the same.
func PlainForms(d layout.Domain, k layout.Key) (forms []string) {
	if !ofJava(d) {
		if name := demangled(k.Name); name != k.Name && k.Class == "" {
			forms = append(forms, Plain(name))
		}
		return forms
	}
	for _, qualified := range []bool{false, true} {
		if text, ok := javaMethod(d, k, qualified); ok && (len(forms) == 0 || Plain(text) != forms[0]) {
			forms = append(forms, Plain(text))
		}
	}
	return forms
}
