package pages

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// keyOfFind is the key of a query for the text in the search of a page.
const keyOfFind = "find"

// A search selects rows, methods and frames by their names. It lists what a text can mean, each as patterns that must
// all match: the text as one name, or its words.
type search [][]match.Pattern

// searchWords matches words, and expressions that contain spaces.
var searchWords = lazyregexp.New(`/[^/]+/(?:\s|$)|\S+`)

func newSearch(d layout.Domain, text string) search {
	s := search{{match.Folded(text)}}
	for _, reading := range slices.Concat([]string{text}, s[0][0].Readings()[1:]) {
		s = append(s, lists.Map(searchWords().FindAllString(reading, -1), func(word string) match.Pattern {
			return match.Folded(strings.TrimSpace(word))
		}))
	}
	for _, k := range methods.ParseKeys(d, text, "") {
		if spelled := (display.Spelling{}).Method(d, k); spelled != display.MethodText(d, k) {
			s = append(s, []match.Pattern{match.Folded(spelled)})
		}
	}
	return s
}

// selects reports whether one of the meanings matches names from match.Fold, which betweenNames separates.
func (s search) selects(names string) bool {
	return slices.ContainsFunc(s, func(all []match.Pattern) bool {
		return !slices.ContainsFunc(all, func(p match.Pattern) bool { return !isInNames(&p, names) })
	})
}

func isInNames(p *match.Pattern, names string) bool {
	return slices.ContainsFunc(p.Readings(), func(r string) bool { return strings.Contains(names, r) }) ||
		!p.OnlyContained() && slices.ContainsFunc(strings.Split(names, betweenNames), p.MatchesWhole)
}

// problem describes a malformed expression, and is "" without one.
func (s search) problem() string {
	for _, p := range slices.Concat(s...) {
		if p.Err() != nil {
			return fmt.Sprintf("%s is no regular expression: %v. ", p.Text(), p.Err())
		}
	}
	return ""
}

// A searchNames has the lower-case names of each method or class, in the order of the tally. betweenNames separates the
// names of one.
type searchNames []string

const betweenNames = "\x00"

func (n *searchNames) addMember(names ...string) {
	*n = append(*n, strings.ToLower(strings.Join(names, betweenNames)))
}

// methodNamesOf returns the names of the methods of the site's archive. Each method has its displayed name, its name in
// the archive, and its file if known.
func methodNamesOf(r *request) (searchNames, error) {
	return resultOf(r, "the names of all methods", readMethodNames)
}

func readMethodNames(ctx context.Context, s *Site, p *Progress) (n searchNames, err error) {
	files, err := stacks.Places(s.Archive)
	if err != nil {
		return nil, err
	}
	err = eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		name, err := analyze.NameOf(s.Archive, m)
		n.addMember(match.Fold(name.Spelled()), match.Fold(name.String()), match.Fold(files[m.Ref()].File))
		return err
	})
	return n, err
}

// membersMatching returns the elements of among that a search selects.
func (n searchNames) membersMatching(ctx context.Context, s search, among []int32) ([]int32, error) {
	has := make([]bool, len(n))
	n.onAllProcessors(func(i int) {
		has[i] = ctx.Err() == nil && s.selects(n[i]) // a query can have a thousand words
	})
	return slices.DeleteFunc(among, func(i int32) bool { return !has[i] }), ctx.Err()
}

// onAllProcessors calls f for each index, in one range per processor.
func (n searchNames) onAllProcessors(f func(i int)) {
	var all sync.WaitGroup
	for from, each := 0, len(n)/runtime.GOMAXPROCS(0)+1; from < len(n); from += each {
		all.Go(func() {
			for i := from; i < min(from+each, len(n)); i++ {
				f(i)
			}
		})
	}
	all.Wait()
}
