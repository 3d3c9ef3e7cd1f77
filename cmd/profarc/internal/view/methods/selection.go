package methods

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Selection selects methods.
type Selection struct {
	Class, Method match.Pattern
	Whole         match.Pattern // pattern for class, name and signature
	Loader        string        // class loader; "" for any
	min           uint64        // least value of the measure
	by            *analyze.Measure
	HottestFirst  bool         // sort by the measure instead of by name
	keys          []layout.Key // keys that the text of Method means
}

// NewSelection selects by the patterns of a filter, and by a least value of a measure. A nil measure is calls.
func NewSelection(d layout.Domain, f Filter, min uint64, by *analyze.Measure) Selection {
	if by == nil {
		by = analyze.CallsMeasure(d)
	}
	sel := Selection{Class: match.New(f.Class), Method: match.New(f.Method), min: min, by: by}
	if f.Method != "" {
		sel.keys = ParseKeys(d, f.Method, "")
	}
	return sel
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
	if sel.Class.IsEmpty() && sel.Method.IsEmpty() && sel.Whole.IsEmpty() && sel.Loader == "" {
		return nil
	}
	return func(k layout.Key) bool { return sel.SelectsKey(d, k) }
}

// SelectsMethod reports whether a method is selected.
func (sel Selection) SelectsMethod(s *reader.Store, m reader.Method) (bool, error) {
	names := analyze.RankOptions{Methods: sel.KeyFilter(s.Header().Domain)}
	named, err := names.Selects(m)
	if err != nil || !named || sel.min == 0 {
		return named, err
	}
	values, err := sel.by.Values(s, m)
	return slices.ContainsFunc(values, func(n uint64) bool { return n >= sel.min }), err
}

// SelectsKey reports whether a key is selected.
func (sel Selection) SelectsKey(d layout.Domain, k layout.Key) bool {
	return LoaderMatches(sel.Loader, k.Loader) && sel.Class.MatchesClass(d, k) &&
		(sel.Method.IsEmpty() || slices.Contains(sel.keys, k) || sel.Method.MatchesMethod(d, k)) &&
		(sel.Whole.IsEmpty() || sel.Whole.MatchesForm(d, k))
}

// A Filter is what the flags --class, --method and --function select.
type Filter struct {
	Class, Method string

	flags *pflag.FlagSet
}

// AddFlags adds the flags --class, --method and --function.
func (f *Filter) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.Class, "class", "", "only methods of classes that match: "+match.Help)
	flags.StringVar(&f.Method, "method", "", "only methods that match, by name or as printed anywhere")
	flags.StringVar(&f.Method, "function", "", "the same as --method")
	f.flags = flags
}

// IsEmpty reports whether the filter selects all methods.
func (f Filter) IsEmpty() bool { return f.Class == "" && f.Method == "" }

// KeyFilter returns a function that reports whether a key is selected, or nil if all are.
func (f Filter) KeyFilter(d layout.Domain) func(layout.Key) bool {
	return NewSelection(d, f, 0, nil).KeyFilter(d)
}

// CheckMatches returns an error if no archive has a selected method, since empty output would be misleading.
func (f Filter) CheckMatches(stores ...*reader.Store) error {
	if f.IsEmpty() {
		return nil
	}
	for _, s := range stores {
		for m, err := range NewSelection(s.Header().Domain, f, 0, nil).Methods(context.Background(), s) {
			if m.Valid() || err != nil {
				return err
			}
		}
	}
	return f.noMatchError(stores...)
}

func (f Filter) noMatchError(stores ...*reader.Store) error {
	names := lists.Map(stores, func(s *reader.Store) string { return s.Mapping().Name() })
	how := "name " + match.Help
	for _, text := range []string{f.Class, f.Method} {
		if p := match.New(text); p.Err() != nil {
			how = p.Err().Error()
		}
	}
	return fmt.Errorf("no method matches %s in %s: %s", f.FlagsText(), strings.Join(names, " or "), how)
}

// FlagsText returns the flags as typed, or "".
func (f Filter) FlagsText() string {
	var flags []string
	if f.Class != "" {
		flags = append(flags, "--class "+escape.Printable(f.Class))
	}
	if f.Method != "" {
		flag := "--method "
		if f.flags != nil && f.flags.Changed("function") {
			flag = "--function "
		}
		flags = append(flags, flag+escape.Printable(f.Method))
	}
	return strings.Join(flags, " ")
}

func MeasureNames() []string {
	return lists.Map(analyze.Measures, func(m analyze.Measure) string { return m.Name })
}

// ChosenMeasure returns the measure with a name, or nil for "". more lists further names for the error.
func ChosenMeasure(name string, more ...string) (*analyze.Measure, error) {
	m, ok := analyze.MeasureNamed(name)
	if !ok && name != "" {
		return nil, cli.Usagef("--by %s: use one of %s", name, strings.Join(append(MeasureNames(), more...), ", "))
	}
	return m, nil
}

// DescribeMeasures returns one line per measure.
func DescribeMeasures() string {
	return lists.Join(analyze.Measures, "\n",
		func(m analyze.Measure) string { return fmt.Sprintf("  %-16s%s", m.Name, m.About) })
}
