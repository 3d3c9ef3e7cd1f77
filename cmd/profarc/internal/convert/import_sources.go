package convert

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/merge"
)

// An importSource is a file to be imported, and what its counts are multiplied
// by, 0 for 1.
type importSource struct {
	name   string
	weight builder.Weight
}

// What becomes of an import when a file is bad.
const (
	failAny = "any"  // nothing is written
	failAll = "all"  // the others are written, and it is a failure only if all are bad
	failNo  = "warn" // the same: there is no archive of no file
)

// importSources are the files that the user named.
func importSources(names, weighted []string) ([]importSource, error) {
	var all []importSource
	for _, n := range names {
		all = append(all, importSource{name: n})
	}
	for _, w := range weighted {
		weight, name, ok := strings.Cut(w, ",")
		if !ok || name == "" {
			return nil, app.Usagef("--weighted %s: write it as 3,FILE", w)
		}
		parsed, err := merge.ParseWeight(weight)
		if err != nil {
			return nil, app.Usagef("--weighted %s: %w", w, err)
		}
		all = append(all, importSource{name, parsed})
	}
	inputs := 0
	for _, s := range all {
		if s.name == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return nil, app.Usagef("-: the standard input can be read once")
	}
	if len(all) == 0 {
		return nil, app.Usagef("import: 0 arguments, want the files to import")
	}
	return all, nil
}

// admits refuses a file that does not go together with those before.
func (c *ImportConfig) admits(format *importFormat, name string) error {
	if c.into != nil && c.into.format != format.name {
		return app.Usagef("%s is of format %s, the files before it are of %s: import each format into an archive of its own; profarc merge puts those of one kind of VM together", name, format.name, c.into.format)
	}
	return refuseFlags(c.given, name+" is", format.name)
}

// A skippedSource is a file that was left out, and why.
type skippedSource struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

// readSources reads files, one after the other, into what becomes one archive.
func readSources(ctx context.Context, a *app.App, sources []importSource, c ImportConfig) (all *imported, skipped []skippedSource, err error) {
	c.several = len(sources) > 1
	for _, s := range sources {
		c.into, c.run.Weight = all, s.weight
		p, bad := ReadSource(ctx, a, s.name, c)
		switch {
		case bad == nil:
			all = p
		case maySkip(ctx, a, bad, c):
			skipped = append(skipped, skip(a, s.name, bad))
		case c.several && errors.Is(bad, llvm.ErrCut):
			return nil, nil, fmt.Errorf("%w: --failure-mode all leaves it out", bad)
		default:
			return nil, nil, bad
		}
	}
	if all == nil {
		return nil, nil, fmt.Errorf("none of %d files can be read: nothing is written", len(sources))
	}
	if n := all.unmerged(); n > 0 {
		all.lost = append(all.lost, app.Loss{What: UnmergedText(c.run.AsLLVM), Count: n})
	}
	return all, skipped, nil
}

// UnmergedText says what becomes of entries that cannot be summed.
func UnmergedText(asLLVM bool) string {
	if asLLVM {
		return "entries that do not go together with those of a file before (other lengths, marks of what is hot), and values beyond the 255 of a site: the first are kept"
	}
	return "entries that do not go together with those of another file (other lengths, marks of what is hot): the longer, and counts, are kept"
}

// A halfRead is the error of a file of which a part is among the others
// already: it cannot be skipped.
type halfRead struct{ error }

func (h halfRead) Unwrap() error { return h.error }

// ReadSource reads a file, or the standard input for "-", and puts it together
// with the files before it. One that may be skipped, and is added while it is
// read, is read twice: it leaves nothing behind if it is bad.
func ReadSource(ctx context.Context, a *app.App, name string, c ImportConfig) (p *imported, err error) {
	checked := false
	read := func(in *input, format *importFormat) (err error) {
		if format.check == nil || !c.several || !c.skips || checked {
			p, err = c.read(ctx, in, format)
			return err
		}
		if name == "-" {
			return app.Usagef("the standard input cannot be read twice, which it takes to skip it if it is bad: name a file, or use --failure-mode %s", failAny)
		}
		checked = true
		return format.check(in, in.name, c)
	}
	if err := withInput(ctx, a, name, c, read); err != nil || p != nil {
		return p, err
	}
	if err := withInput(ctx, a, name, c, read); err != nil {
		return nil, halfRead{err}
	}
	return p, nil
}

// withInput opens a file and finds out its format.
func withInput(ctx context.Context, a *app.App, name string, c ImportConfig, use func(*input, *importFormat) error) error {
	m := a.Meter("reading " + name)
	defer m.Done()
	in, err := openInput(ctx, a, name, c.expansion, m)
	if err != nil {
		return err
	}
	defer in.Close()
	format, err := in.format()
	if err != nil {
		return err
	}
	if err := c.admits(format, in.name); err != nil {
		return err
	}
	return withoutPlace(use(in, format))
}

// skip says that a file is left out.
func skip(a *app.App, name string, bad error) skippedSource {
	if errors.Is(bad, errEmpty) {
		bad = fmt.Errorf("%s: %w", name, errEmpty)
	}
	why := app.Message(bad)
	fmt.Fprintf(a.ErrOut, "profarc: skipped: %s\n", why)
	return skippedSource{name, why}
}

// maySkip reports whether the import goes on without a file. One that is empty,
// as a process leaves it that was killed, says nothing, like a process that did
// not run.
func maySkip(ctx context.Context, a *app.App, bad error, c ImportConfig) bool {
	var wrong app.UsageError
	var half halfRead
	if ctx.Err() != nil || !c.several || errors.As(bad, &wrong) || errors.As(bad, &half) {
		return false
	}
	return c.skips || errors.Is(bad, errEmpty)
}
