package program_test

import (
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

func TestAssignable(t *testing.T) {
	full.Only(t, "starts JVMs")
	c := compile(t)
	for _, q := range []struct {
		class, to string
		is, known bool
	}{
		{"Market$Plus", "Market$Expr", true, true},
		{"Market$Order", "Market$Book", false, true},
		{"Market$Plus", "java/lang/Object", true, true},
		{"[I", "java/lang/Object", true, true},
		{"Gone", "Market$Expr", false, false},
	} {
		if is, known := c.Assignable(q.class, q.to); is != q.is || known != q.known {
			t.Errorf("%s as %s: %t, known: %t", q.class, q.to, is, known)
		}
	}
}
