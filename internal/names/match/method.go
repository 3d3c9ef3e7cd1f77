package match

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

// MatchesMethod reports whether the pattern selects a method. Text without a separator is compared with the name alone,
// so that get does not select all methods of a class Widget.
func (p *Pattern) MatchesMethod(d layout.Domain, k layout.Key) bool {
	if p.excludes(d, k) {
		return false
	}
	if p.Matches(k.Split(d).Name) {
		return true
	}
	if k.Split(d).Class == "" || p.hasSeparator() {
		return anyForm(d, k, p.Matches)
	}
	return p.cut != nil && anyForm(d, k, p.cut.MatchString)
}

// MatchesForm reports whether the pattern selects one of the forms in which a method is printed.
func (p *Pattern) MatchesForm(d layout.Domain, k layout.Key) bool {
	return !p.excludes(d, k) && anyForm(d, k, p.Matches)
}

// Displays reports whether the text is a form of a method, or its name without the class.
func (p *Pattern) Displays(d layout.Domain, k layout.Key) bool {
	return !p.excludes(d, k) && (p.equals(k.Split(d).Name) || anyForm(d, k, p.equals))
}

func anyForm(d layout.Domain, k layout.Key, matches func(form string) bool) bool {
	for form := range Forms(d, k) {
		if matches(form) {
			return true
		}
	}
	return false
}

// MatchesClass reports whether the pattern selects the class of a method. In domains without classes it is the scope of
// a function: a namespace, a type, a package, or the file of a local function.
func (p *Pattern) MatchesClass(d layout.Domain, k layout.Key) bool {
	if p.IsEmpty() {
		return true
	}
	class := k.Split(d).Class
	if class == "" {
		in, class := scopes.Split(d, k.Name)
		whole := strings.Trim(in+"::"+class, ":")
		return slices.ContainsFunc([]string{in, class, whole}, func(s string) bool { return s != "" && p.Matches(s) })
	}
	loader := " (loader " + cmp.Or(k.Loader, "boot") + ")"
	return p.MatchesClassName(class) || p.MatchesWhole(class+loader) || p.MatchesWhole(javanames.JavaClass(class)+loader)
}

// MatchesClassName reports whether the pattern selects a Java class.
func (p *Pattern) MatchesClassName(name string) bool {
	return p.Matches(name) || p.Matches(javanames.JavaClass(name)) ||
		p.Matches(display.Spelling{Short: true}.Type(layout.DomainHotSpot, name))
}

// separator matches what only whole names have in a pattern.
var (
	separator     = lazyregexp.New(`[./;( ]|::`)
	exprSeparator = lazyregexp.New(`\\[./(]|\[[.]\]|[/; ]|::`)
)

func (p *Pattern) hasSeparator() bool {
	if p.expr != nil {
		return exprSeparator().MatchString(p.typed[1 : len(p.typed)-1])
	}
	return separator().MatchString(p.typed)
}

// Forms yields the forms in which profarc prints a method, each also with its loader.
func Forms(d layout.Domain, k layout.Key) iter.Seq[string] {
	return func(yield func(string) bool) {
		loader := " (loader " + cmp.Or(k.Loader, "boot") + ")"
		var seen []string
		for form := range formsWithoutLoader(d, k) {
			if slices.Contains(seen, form) {
				continue
			}
			seen = append(seen, form)
			if !yield(form) || k.Class != "" && !yield(form+loader) {
				return
			}
		}
	}
}

func formsWithoutLoader(d layout.Domain, k layout.Key) iter.Seq[string] {
	if hasOnlyName(d, k) {
		return formsOfName(k.Name)
	}
	return func(yield func(string) bool) {
		java := k.Split(d)
		_ = yield(display.MethodText(d, k)) && yield(java.Class+"."+java.Name+java.Signature) &&
			(java.Class == "" || yield(javanames.JavaClass(java.Class)+"."+java.Name)) &&
			yield(display.Spelling{}.Method(d, k)) && yield(display.Spelling{Short: true}.Method(d, k)) &&
			yieldAll(yield, display.PlainForms(d, k)) &&
			(java.Class != "" || yield(scopes.Bare(display.Spelling{}.Function(k.Name))))
	}
}

// formsOfName yields the forms of a function that has only a name, which it demangles once.
func formsOfName(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = yield(name) && yield("."+name) && yieldDemangled(yield, display.Spelling{}.Function(name), name)
	}
}

func yieldDemangled(yield func(string) bool, function, name string) bool {
	return yield(function) && (function == name || yield(display.PlainName(function))) && yield(scopes.Bare(function))
}

func yieldAll(yield func(string) bool, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !yield(s) })
}
