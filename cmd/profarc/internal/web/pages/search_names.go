package pages

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/reader"
)

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

// membersMatching returns the elements of among whose names contain each word of a text, or match it as a glob or an
// expression, ignoring case.
func (n searchNames) membersMatching(ctx context.Context, text string, among []int32) ([]int32, error) {
	p := match.Folded(text)
	var readings [][]string
	for _, reading := range p.Readings() {
		readings = append(readings, strings.Fields(reading))
	}
	has := make([]bool, len(n))
	n.onAllProcessors(func(i int) {
		if ctx.Err() == nil { // a query can have a thousand words
			has[i] = slices.ContainsFunc(readings, func(words []string) bool { return containsAll(n[i], words) }) ||
				!p.OnlyContained() && slices.ContainsFunc(strings.Split(n[i], betweenNames), p.MatchesWhole)
		}
	})
	return slices.DeleteFunc(among, func(i int32) bool { return !has[i] }), ctx.Err()
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
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
