package webtest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// shared is what all tests use: it is made once.
var shared struct {
	folder  string
	browser func() (*Browser, error)
	command func() (*Command, error)
	samples func() ([]Sample, error)
	axe     func() (string, error)
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "webtest")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	shared.folder = folder
	shared.browser = sync.OnceValues(func() (*Browser, error) { return Start(ctx) })
	shared.command = sync.OnceValues(func() (*Command, error) { return Build(ctx, folder) })
	shared.samples = sync.OnceValues(func() ([]Sample, error) { return Samples(folder) })
	shared.axe = sync.OnceValues(func() (string, error) { return Axe(ctx) })
	status := m.Run()
	if b, err := shared.browser(); err == nil {
		b.Close()
	}
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// must returns the value that f returns without an error.
func must[T any](t *testing.T, f func() (T, error)) T {
	t.Helper()
	v, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// openTab opens a tab until the test ends. A test without a browser is skipped.
func openTab(t *testing.T) *Tab {
	t.Helper()
	b, err := shared.browser()
	if errors.Is(err, ErrNoBrowser) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	tab := must(t, b.NewTab)
	t.Cleanup(tab.Close)
	return tab
}

// serve serves a sample until the test ends, and returns its address. The tab may send requests to no other.
func serve(t *testing.T, tab *Tab, name string) string {
	t.Helper()
	command := must(t, shared.command)
	ctx, end := context.WithCancel(t.Context())
	address, stopped, err := command.Serve(ctx, sampleNamed(t, name).Args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(); stopped() })
	tab.SetOrigin(address)
	return address
}

func sampleNamed(t *testing.T, name string) Sample {
	t.Helper()
	for _, s := range must(t, shared.samples) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no sample %s", name)
	return Sample{}
}

// report writes a report of a sample, and returns its address. The tab may send requests to no other.
func report(t *testing.T, tab *Tab, name string) string {
	t.Helper()
	path := t.TempDir() + "/report.html"
	if _, err := must(t, shared.command).Run(t.Context(),
		append([]string{"web", "-o", path, "--methods", "5"}, sampleNamed(t, name).Args...)...); err != nil {
		t.Fatal(err)
	}
	tab.SetOrigin("file://" + path)
	return "file://" + path
}

// open shows the page at an address.
func open(t *testing.T, tab *Tab, address string) {
	t.Helper()
	if err := tab.Open(address); err != nil {
		t.Fatal(err)
	}
}

// check runs functions of checks.js on the page that is shown, which where describes.
func check(t *testing.T, tab *Tab, where string, functions ...string) {
	t.Helper()
	for _, f := range functions {
		problems, err := tab.Check(f)
		if err != nil {
			t.Errorf("%s: %s: %v", where, f, err)
		}
		complain(t, where+": "+f, problems)
	}
}

// complain reports the first few of some problems.
func complain(t *testing.T, where string, problems []string) {
	t.Helper()
	if len(problems) > 0 {
		t.Errorf("%s: %d problems:\n\t%s", where, len(problems), strings.Join(problems[:min(len(problems), 5)], "\n\t"))
	}
}

// view sets the width and the colour scheme of the tab.
func view(t *testing.T, tab *Tab, width int64, scheme string) {
	t.Helper()
	if err := tab.View(width, scheme); err != nil {
		t.Fatal(err)
	}
}
