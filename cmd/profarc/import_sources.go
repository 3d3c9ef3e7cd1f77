package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/builder"
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
			return nil, usagef("--weighted %s: write it as 3,FILE", w)
		}
		parsed, err := builder.ParseWeight(weight)
		if err != nil {
			return nil, usagef("--weighted %s: %w", w, err)
		}
		all = append(all, importSource{name, parsed})
	}
	if len(all) == 0 {
		return nil, usagef("profarc import: 0 arguments, want the files to import")
	}
	return all, nil
}

// severalChecks are the formats of which several files make one archive, each
// with what reads a file and keeps nothing.
var severalChecks = map[string]func(r io.Reader, name string, c importConfig) error{"llvm": checkLLVM}

// admits refuses a file that does not go together with those before.
func (c *importConfig) admits(format *importFormat, name string) error {
	_, several := severalChecks[format.name]
	switch {
	case !several && (c.several || c.run.Weight != 0):
		return usagef("%s is of format %s, of which import takes one file at a time, without a weight: import each into an archive of its own and put these together with profarc merge", name, format.name)
	case c.into != nil && c.into.format != format.name:
		return usagef("%s is of format %s, the files before it are of %s: import them apart", name, format.name, c.into.format)
	}
	return nil
}

// A skippedSource is a file that was left out, and why.
type skippedSource struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

// readSources reads files into one builder, one after the other. A file that
// may be skipped is read twice: it leaves nothing behind if it is bad.
func (a *app) readSources(ctx context.Context, sources []importSource, mode string, c importConfig) (all *imported, skipped []skippedSource, err error) {
	c.several = len(sources) > 1
	for _, s := range sources {
		c.into, c.run.Weight = all, s.weight
		bad := a.checkSource(ctx, s.name, mode, c)
		switch {
		case bad == nil:
			if all, err = a.readNext(ctx, s.name, c); err != nil {
				return nil, nil, err
			}
		case a.maySkip(ctx, bad, mode, c):
			skipped = append(skipped, a.skip(s.name, bad))
		default:
			return nil, nil, bad
		}
	}
	if all == nil {
		return nil, nil, fmt.Errorf("none of %d files can be read: nothing is written", len(sources))
	}
	if n := all.unmerged(); n > 0 {
		all.lost = append(all.lost, loss{What: "counters of another number than in another file: the longer are kept", Count: n})
	}
	return all, skipped, nil
}

// readNext reads a file into what the files before it came to, if there are any.
func (a *app) readNext(ctx context.Context, name string, c importConfig) (*imported, error) {
	p, err := a.readProfiles(ctx, name, c)
	if err != nil || c.into == nil {
		return p, err
	}
	p.methods, p.entries = p.methods+c.into.methods, p.entries+c.into.entries
	p.lost = addLosses(c.into.lost, p.lost)
	return p, nil
}

// skip says that a file is left out.
func (a *app) skip(name string, bad error) skippedSource {
	if errors.Is(bad, errEmpty) {
		bad = fmt.Errorf("%s: %w", name, errEmpty)
	}
	fmt.Fprintf(a.errOut, "profarc: skipped: %v\n", bad)
	return skippedSource{name, bad.Error()}
}

// maySkip reports whether the import goes on without a file. One that is empty,
// as a process leaves it that was killed, says nothing, like a process that did
// not run.
func (a *app) maySkip(ctx context.Context, bad error, mode string, c importConfig) bool {
	var wrong usageError
	return ctx.Err() == nil && !errors.As(bad, &wrong) && c.several && (mode != failAny || errors.Is(bad, errEmpty))
}

// checkSource reads a file and keeps nothing, where it matters that a bad one
// leaves nothing behind.
func (a *app) checkSource(ctx context.Context, name, mode string, c importConfig) error {
	if !c.several {
		return nil
	}
	if name == "-" {
		if mode == failAny {
			return nil
		}
		return usagef("the standard input cannot be read twice, which it takes to skip it if it is bad: name a file, or use --failure-mode %s", failAny)
	}
	m := a.meter("checking " + name)
	defer m.done()
	in, err := a.openInput(ctx, name, m)
	if err != nil {
		return err
	}
	defer in.Close()
	format, err := in.format()
	if err == nil {
		err = c.admits(format, in.name)
	}
	if err != nil || mode == failAny {
		return err
	}
	return severalChecks[format.name](in, in.name, c)
}

// unmerged is the number of entries that two files have in different lengths.
func (p *imported) unmerged() int {
	if p.builder == nil {
		return 0
	}
	return int(p.builder.Unmerged())
}

// addLosses adds the losses of another file.
func addLosses(all, more []loss) []loss {
next:
	for _, l := range more {
		for i := range all {
			if all[i].What == l.What {
				all[i].Count += l.Count
				continue next
			}
		}
		all = append(all, l)
	}
	return all
}
