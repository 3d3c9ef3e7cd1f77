package entries

import (
	"context"

	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// EachMethod calls visit with each method and its key. It returns the first error, which is that of a damaged record,
// of visit or of the context.
func EachMethod(ctx context.Context, s *reader.Store, visit func(reader.Method, layout.Key) error) error {
	return poll.Each(poll.New(ctx), s.Methods(), func(m reader.Method) error {
		k, err := m.Key()
		if err != nil {
			return err
		}
		return visit(m, k)
	})
}
