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
