package compartment

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func doing() string { return "counted the cells of a.B::c" }

func TestPanicIsADefect(t *testing.T) {
	var cells []int
	for name, work := range map[string]func() error{
		"of the runtime": func() error { cells[len(cells)+3]++; return nil },
		"of a call":      func() error { panic("no cells") },
	} {
		err := Run(doing, work)
		var d *Defect
		if !errors.As(err, &d) {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasPrefix(d.Place, "compartment_test.go:") || !strings.Contains(d.Stack, "TestPanicIsADefect") {
			t.Errorf("%s: place %s, stack %s", name, d.Place, d.Stack)
		}
		if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, doing()) ||
			!strings.Contains(text, d.Place) {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestErrorsPass(t *testing.T) {
	want := errors.New("no such file")
	if err := Run(doing, func() error { return want }); err != want {
		t.Error(err)
	}
	n, err := RunUntil(context.Background(), doing, func() (int, error) { return 7, want })
	if n != 7 || err != want {
		t.Error(n, err)
	}
	_, err = RunUntil(context.Background(), doing, func() (int, error) { panic(want) })
	var d *Defect
	if !errors.As(err, &d) || d.Panic != want {
		t.Error(err)
	}
}

// Work that blocks is left behind, and the cause is told.
func TestBlockedWorkIsLeft(t *testing.T) {
	why := errors.New("too slow")
	ctx, cancel := context.WithCancelCause(context.Background())
	block := make(chan struct{})
	defer close(block)
	_, err := RunUntil(ctx, doing, func() (int, error) {
		cancel(why)
		<-block
		return 0, nil
	})
	if err != why {
		t.Error(err)
	}
}
