package live

import (
	"context"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"testing"
)

// A VM that records nothing says by which flag.
func TestUnprofiled(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		for _, flag := range []string{"-Xint", "-XX:TieredStopAtLevel=1", "-XX:TieredStopAtLevel=0",
			"-XX:CompilationMode=quick-only", ""} {
			args := []string{"Twins"}
			if flag != "" {
				args = []string{flag, "Twins"}
			}
			j := start(t, home, args...)
			j.await("ready")
			vm, err := Attach(context.Background(), j.pid())
			if err != nil {
				t.Fatal(err)
			}
			_, r, err := vm.Dump(context.Background(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := vm.Unprofiled(); got != flag || (r.Methods == 0) != (flag != "") {
				t.Errorf("%q: %q, %d methods", flag, got, r.Methods)
			}
			j.end()
		}
	})
}
