package methods

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxCompletions is the number of names that a shell can offer at once.
const maxCompletions = 200

// CompleteNames returns the names of methods that begin with a text, without parameters. Of too many names it returns
// the beginnings, up to the end of the next package or class.
func CompleteNames(s *reader.Store, typed string) []string {
	found := map[string]bool{}
	_ = entries.EachMethod(context.Background(), s, func(_ reader.Method, k layout.Key) error {
		name, _, _ := strings.Cut(display.MethodText(s.Header().Domain, k), "(")
		for _, spelled := range []string{name, strings.ReplaceAll(name, "::", ".")} {
			if strings.HasPrefix(spelled, typed) {
				found[spelled] = true
				break
			}
		}
		return nil
	})
	names := slices.Sorted(maps.Keys(found))
	for i, name := range names {
		end := strings.IndexAny(name[len(typed):], "./;:")
		if end >= 0 && len(found) > maxCompletions {
			names[i] = name[:len(typed)+end+1]
		}
	}
	return slices.Compact(names)
}
