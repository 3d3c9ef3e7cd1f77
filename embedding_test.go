package profarc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

const domain = layout.DomainCustom

// tiny tells archives of this VM from all others: 16 bytes that were drawn once.
var tiny = [16]byte{0xb1, 0x5e, 0x07, 0x9a, 0x2c, 0x44, 0x4d, 0x18, 0xa9, 0x73, 0x0e, 0x5f, 0xc6, 0x81, 0x3d, 0x92}

func sum(ctx context.Context, to string, dumps ...string) error {
	b := builder.New(domain, builder.Config{}) // the producer is the first archive's
	for _, path := range dumps {
		s, err := reader.Open(path, archive.Options{Heap: true})
		if err != nil {
			return err
		}
		err = errors.Join(merge.Into(ctx, b, s, merge.Run{}), s.Close())
		if err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, to)
	return err
}

// TestTotalsAreNotSummedWithWhatTheyContain: the mistake that dumps of package profarc prevent is an error.
func TestTotalsAreNotSummedWithWhatTheyContain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app, live := filepath.Join(dir, "app.parc"), filepath.Join(dir, "live.parc")
	for _, path := range []string{app, live} {
		r := start(t, app)
		trainRun(r, 1, counts{})
		if _, err := r.Dump(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), app, live); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("an archive and its totals were summed: %v", err)
	}
}

// TestTotalsWithoutADescription: why dumps describe their run. Nothing else tells that totals contain the archive
// that they began with.
func TestTotalsWithoutADescription(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app, live := filepath.Join(dir, "app.parc"), filepath.Join(dir, "live.parc")
	for i, path := range []string{app, live} {
		b := builder.New(domain, builder.Config{ProducerID: tiny, DumpID: [16]byte{byte(i)}})
		p := b.Profile(layout.Key{Name: fmt.Sprint("f", i)}, 1)
		p.Invocations(5)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := merge.Snapshot(t.Context(), b, adopted(t, app), merge.Totals); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Commit(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), app, live); err != nil {
		t.Errorf("it is told after all, so that the pages can say less: %v", err)
	}
}

func adopted(t *testing.T, path string) *reader.Store {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTutorialLearns runs the program of docs/embedding.md twice: the second run begins with the counts of the first.
func TestTutorialLearns(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "first")
	if out, err := exec.Command("go", "build", "-o", program, "./example/first").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, says := range []string{"known so far: 0 calls", "known so far: 1000 calls, 333 taken, 667 not taken"} {
		t.Run(says, func(t *testing.T) {
			command := exec.Command(program)
			command.Dir = dir
			if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), says) {
				t.Errorf("%v, %q does not say %q", err, out, says)
			}
		})
	}
}

// TestPagesShowTheVM checks that the code of the pages is part of the VM above and of the
// examples of libprofarc, which are compiled and run.
func TestPagesShowTheVM(t *testing.T) {
	t.Parallel()
	showsTheVM(t, "docs/embedding.md", map[string][]string{
		"go": {"example/first/main.go", "embedding_test.go", "reader/example_layers_test.go"},
		"c":  {"c/examples/first.c", "c/examples/vm.c", "c/examples/count.c", "c/examples/layers.c"}})
}

func showsTheVM(t *testing.T, page string, languages map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for language, sources := range languages {
		var code []string
		for _, name := range sources {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, string(b))
		}
		blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no code in %s", page, language)
		}
		for _, block := range blocks {
			if !slices.ContainsFunc(code, func(c string) bool { return strings.Contains(c, block[1]) }) {
				t.Errorf("%v do not have this code of %s:\n%s", sources, page, block[1])
			}
		}
	}
}
