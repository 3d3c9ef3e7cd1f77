package show

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// A fullWriter fails once left bytes are written.
type fullWriter struct{ left int }

var errFull = errors.New("full")

func (f *fullWriter) Write(b []byte) (int, error) {
	n := min(len(b), f.left)
	if f.left -= n; n < len(b) {
		return n, errFull
	}
	return n, nil
}

// Contexts within each other print as the square of their number. Output behind the limit
// of the output is not computed.
func TestContextsBehindTheLimitAreNotComputed(t *testing.T) {
	const depth = 2000
	b := builder.New(layout.DomainGraal, builder.Config{})
	m := b.Method(layout.Key{Class: "app.Recursive", Name: "f", Signature: "void()"})
	context := profileset.NoContext
	for range depth {
		context = b.Internal().OuterContext(m, context, m, 1)
		p := b.ProfileIn(m, 0, context)
		p.Count(builder.Count{Sub: layout.SubCalls, N: 1})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	s := memstore.Open(t, b)
	for method := range s.Methods() {
		allocated := testing.AllocsPerRun(1, func() {
			if err := PrintMethod(&fullWriter{left: 10_000}, s, method); !errors.Is(err, errFull) {
				t.Errorf("to a writer that is full: %v", err)
			}
		})
		if allocated > depth {
			t.Errorf("%.0f allocations for what nobody reads", allocated)
		}
	}
}
