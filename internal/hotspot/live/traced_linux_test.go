package live

import (
	"context"
	"errors"
	"fmt"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"os"
	"strings"
	"testing"
)

// What another process traces cannot be held, but read; who traces it is named.
func TestTracedVM(t *testing.T) {
	if testjvm.First() == "" {
		t.Skip("no JVM")
	}
	j := start(t, testjvm.First(), "Twins")
	j.await("ready")
	p, err := openProcess(j.pid())
	if err != nil {
		t.Fatal(err)
	}
	err = p.holdWhile(func(*holding) error {
		vm, err := Attach(context.Background(), j.pid())
		if err != nil {
			return err
		}
		if _, r, err := vm.Dump(context.Background(), Options{}); err != nil || r.Methods == 0 {
			t.Errorf("not held: %v", err)
		}
		_, _, err = vm.Dump(context.Background(), Options{Stop: true})
		if self := fmt.Sprintf("traced by process %d (", os.Getpid()); !errors.Is(err, ErrTraced) ||
			!strings.Contains(err.Error(), self) {
			t.Errorf("error %v", err)
		} else if strings.Count(err.Error(), fmt.Sprintf("process %d:", j.pid())) != 1 {
			t.Errorf("the process is named more than once: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A dump waits until another one lets go.
func TestDumpsAtOnce(t *testing.T) {
	if testjvm.First() == "" {
		t.Skip("no JVM")
	}
	j := start(t, testjvm.First(), "Twins")
	j.await("ready")
	const dumps = 3
	errs := make(chan error, dumps)
	for range dumps {
		go func() {
			vm, err := Attach(context.Background(), j.pid())
			if err == nil {
				_, _, err = vm.Dump(context.Background(), Options{Stop: true})
			}
			errs <- err
		}()
	}
	for range dumps {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
