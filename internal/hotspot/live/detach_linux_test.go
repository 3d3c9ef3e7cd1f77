package live

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// A copy of a process that stands still gives the same archive as the process itself.
func TestDetachedDump(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		j := compiling(t, home, profiling)
		p, err := openProcess(j.pid())
		if err != nil {
			t.Fatal(err)
		}
		vm, err := attachTarget(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		var attached []byte
		err = p.holdWhile(func(*holding) error {
			attached = dumpBytes(t, vm)
			return vm.Detach(context.Background())
		})
		if err != nil {
			t.Fatal(err)
		}
		if j.end(); p.isAlive() {
			t.Fatal("the process has not ended")
		}
		if detached := dumpBytes(t, vm); !bytes.Equal(attached, detached) {
			t.Errorf("%d bytes of the process, other %d bytes of its copy", len(attached), len(detached))
		}
	})
}

// dumpBytes dumps a VM into an archive that depends on its profiles alone.
func dumpBytes(t *testing.T, vm *VM) []byte {
	t.Helper()
	config := builder.Config{DumpTime: time.Unix(1, 0), DumpID: [16]byte{1}}
	b, r, err := vm.Dump(context.Background(), Options{Config: config})
	if err != nil {
		t.Error(err)
		return nil
	}
	if r.Methods < 1000 || r.numRefused() > 0 {
		t.Errorf("%d methods, refused: %+v", r.Methods, r.Refused)
	}
	all, _, err := b.Bytes()
	if err != nil {
		t.Error(err)
	}
	return all
}
