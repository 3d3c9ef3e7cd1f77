package methods

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Selection selects methods.
type Selection struct {
	Class, Method Pattern
	Whole         Pattern // pattern for class, name and signature in PlainSpelling
	Loader        string  // class loader; "" for any
	min           uint64  // least value of the measure
	by            *analyze.Measure
	HottestFirst  bool // sort by the measure instead of by name
}

// NewSelection selects by patterns as users type them, and by a least value of a measure. A nil measure is calls.
func NewSelection(d layout.Domain, class, method string, min uint64, by *analyze.Measure) Selection {
	if by == nil {
		by = analyze.CallsMeasure(d)
	}
	return Selection{Class: NewPattern(class), Method: NewPattern(method), min: min, by: by}
}

func (sel Selection) Methods(ctx context.Context, s *reader.Store) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		if sel.HottestFirst {
			analyze.ByHeat(ctx, s, sel.by, analyze.RankOptions{Min: sel.min, Methods: sel.KeyFilter(s.Header().Domain)})(yield)
			return
		}
		for m, err := range s.Methods() {
			if err != nil {
				yield(m, err)
				return
			}
			if wanted, err := sel.SelectsMethod(s, m); (wanted || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// KeyFilter returns a function that reports whether a key is selected, or nil if all are.
func (sel Selection) KeyFilter(d layout.Domain) func(layout.Key) bool {
	if sel.Class == "" && sel.Method == "" && sel.Whole == "" && sel.Loader == "" {
		return nil
	}
	return func(k layout.Key) bool { return sel.SelectsKey(d, k) }
}

// SelectsMethod reports whether a method is selected.
func (sel Selection) SelectsMethod(s *reader.Store, m reader.Method) (bool, error) {
	named, err := sel.NameMatches(s, m)
	if err != nil || !named || sel.min == 0 {
		return named, err
	}
	values, err := sel.by.Values(s, m)
	return slices.ContainsFunc(values, func(n uint64) bool { return n >= sel.min }), err
}

// NameMatches reports whether the name of a method is selected.
func (sel Selection) NameMatches(s *reader.Store, m reader.Method) (bool, error) {
	if sel.Class == "" && sel.Method == "" && sel.Whole == "" && sel.Loader == "" {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && sel.SelectsKey(s.Header().Domain, k), err
}

// SelectsKey reports whether a key is selected. In any domain, the pattern Whole can have a dot or a double colon
// between class and method.
func (sel Selection) SelectsKey(d layout.Domain, k layout.Key) bool {
	parts := k.Split(d)
	return matchesClass(sel.Class, parts.Class) && sel.Method.MatchesName(parts.Name) && LoaderMatches(sel.Loader,
		k.Loader) &&
		(sel.Whole == "" || sel.Whole.MatchesName(PlainSpelling.Replace(display.MethodText(d, k))) || sel.matchesDisplay(d,
			k))
}

// matchesClass reports whether a class is selected, by its name in the archive or as written in Java.
func matchesClass(p Pattern, class string) bool {
	return p.MatchesName(class) || strings.Contains(class, "$") && p.MatchesName(javanames.JavaClass(class))
}

func (sel Selection) matchesDisplay(d layout.Domain, k layout.Key) bool {
	whole := Pattern(display.PlainName(string(sel.Whole)))
	return slices.ContainsFunc(display.PlainForms(d, k), whole.MatchesName)
}

type Filter struct{ Class, Method string }

// AddFlags adds the flags --class and --method.
func (f *Filter) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.Class, "class", "", "only methods of classes that match: part of a name, or a glob with * and ?")
	flags.StringVar(&f.Method, "method", "", "only methods whose names match")
}

// AddFunctionFlag adds the flag --function.
func (f *Filter) AddFunctionFlag(flags *pflag.FlagSet) {
	flags.StringVar(&f.Method, "function", "", "the same as --method, in LLVM's words")
}

// IsEmpty reports whether the filter selects all methods.
func (f Filter) IsEmpty() bool { return f == Filter{} }

// KeyFilter returns a function that reports whether a key is selected, or nil if all are.
func (f Filter) KeyFilter(d layout.Domain) func(layout.Key) bool {
	return Selection{Class: NewPattern(f.Class), Method: NewPattern(f.Method)}.KeyFilter(d)
}

// CheckMatches returns an error if no archive has a selected method, since empty output would be misleading.
func (f Filter) CheckMatches(stores ...*reader.Store) error {
	if f.IsEmpty() {
		return nil
	}
	for _, s := range stores {
		if some, err := f.selectsAny(s); some || err != nil {
			return err
		}
	}
	return f.noMatchError(stores...)
}

func (f Filter) selectsAny(s *reader.Store) (bool, error) {
	sel := NewSelection(s.Header().Domain, f.Class, f.Method, 0, nil)
	for m, err := range s.Methods() {
		if err != nil {
			return false, err
		}
		if some, err := sel.NameMatches(s, m); some || err != nil {
			return some, err
		}
	}
	return false, nil
}

func (f Filter) noMatchError(stores ...*reader.Store) error {
	var names []string
	for _, s := range stores {
		names = append(names, s.Mapping().Name())
	}
	return fmt.Errorf("no method matches %s in %s: a glob with * or ? is of the whole name, other text of any part",
		f.flagsText(stores[0].Header().Domain), strings.Join(names, " or "))
}

func (f Filter) flagsText(d layout.Domain) string {
	method := "--method"
	if d.LLVM() {
		method = "--function"
	}
	var flags []string
	if f.Class != "" {
		flags = append(flags, "--class "+escape.Printable(f.Class))
	}
	if f.Method != "" {
		flags = append(flags, method+" "+escape.Printable(f.Method))
	}
	return strings.Join(flags, " ")
}

func MeasureNames() []string {
	var names []string
	for _, m := range analyze.Measures {
		names = append(names, m.Name)
	}
	return names
}

// ChosenMeasure returns the measure with a name, or nil for "". more lists further names for the error.
func ChosenMeasure(name string, more ...string) (*analyze.Measure, error) {
	m, ok := analyze.MeasureNamed(name)
	if !ok && name != "" {
		return nil, cli.Usagef("--by %s: use one of %s", name, strings.Join(append(MeasureNames(), more...), ", "))
	}
	return m, nil
}

func MeasuresText() string {
	var lines []string
	for _, m := range analyze.Measures {
		lines = append(lines, MeasureLine(m.Name, m.About))
	}
	return strings.Join(lines, "\n")
}

func MeasureLine(name, about string) string { return fmt.Sprintf("  %-16s%s", name, about) }

// PlainSpelling unifies the separators of class and method names.
var PlainSpelling = strings.NewReplacer("::", ".", "/", ".")

// A Pattern selects names. With * (any text) or ? (any character) it is a glob for the whole name, otherwise it matches
// any part of the name. It treats / and . alike.
type Pattern string

// NewPattern returns the Pattern for a text that a user typed.
func NewPattern(text string) Pattern { return Pattern(strings.ReplaceAll(text, "/", ".")) }

// MatchesName reports whether the pattern selects a name. The empty pattern selects all names.
func (p Pattern) MatchesName(name string) bool {
	name = strings.ReplaceAll(name, "/", ".")
	if !strings.ContainsAny(string(p), "*?") {
		return strings.Contains(name, string(p))
	}
	return MatchGlob(string(p), name)
}

// MatchGlob reports whether a glob matches the whole name. It backtracks only to the last *, so it takes at most
// len(pattern) * len(name) steps.
func MatchGlob(pattern, name string) bool {
	star, from := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRuneInString(name[n:])
			p++
			n += size
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			from++
			p = star + 1
			n = from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
