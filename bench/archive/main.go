// Archive measures lookup, start-up and adoption of an archive on this machine.
//
//	cd bench
//	go run ./archive ../app.parc
//	go run ./archive --time 30s --json ../app.parc
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/reader"
)

const commandHelp = `Archive measures on this machine, with this archive:

  id hit, key hit     a profile is found and its invocation counter read (its first word, if it has
                      none); dependent: each lookup waits for the counter of the one before; batch:
                      many in one call
  id miss, key miss   there is no such method
  first access        the first hit of each of many methods after opening, which checks them
  open to first hit   of a file in the page cache
  adopt, claim        adoption at the requested base and elsewhere, and claims of the first profiles
  count in place      adding to counters of an adopted archive

The map is a Go map that leads to the counter in the same file, which is read too; for counting, an
atomic add in the heap. Archive and map take turns, with other keys each. Figures are medians of
rounds, for each lookup, of the thread's processor time where the system has it. The p99 and p99.9 are
of groups of some lookups, by the clock: what else the machine does is in them. Ratios hold on a machine
whose speed changes; absolute figures do not.

The fields of --json are stable. "rows" have "name", "rounds", "archive" and, with a map, "map"
and "ratio" (archive to map: "median", "q1", "q3"). Archive and map have "median_ns", "q1_ns", "q3_ns"
and, by groups, "p99_ns", "p999_ns".`

type options struct {
	time time.Duration
	json bool
}

func main() {
	a := cli.New("archive", os.Stdin, cli.ProcessStreams())
	os.Exit(a.Main(newCommand(a), os.Args[1:]))
}

func newCommand(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "archive ARCHIVE",
		Short: "Measure lookup, start-up and adoption of an archive on this machine",
		Long:  commandHelp,
		Example: `  go run ./archive ../app.parc
  go run ./archive --time 30s --json ../app.parc`,
	}
	a.CompleteRoot(cmd)
	cmd.Args = cli.Args(1, 1, "one archive")
	cmd.RunE = a.Run(func(ctx context.Context, args []string) error { return runBench(ctx, a, args[0], o) })
	f := cmd.Flags()
	f.DurationVar(&o.time, "time", 5*time.Second,
		"time for all measurements; reading the keys and filling the maps comes on top")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runBench(ctx context.Context, a *cli.App, path string, o options) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	b := &bench{a: a, ctx: ctx, path: path, o: o,
		report: &report{Archive: path, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
			CPUs: runtime.GOMAXPROCS(0)}}
	if err := b.measureAll(); err != nil {
		return err
	}
	if o.json {
		return a.PrintJSON(b.report)
	}
	b.report.printReport(a)
	return nil
}

func (o *options) checkFlags() error {
	if o.time <= 0 {
		return cli.Usagef("--time %s: it must be more than 0", o.time)
	}
	return nil
}

// The shares of --time.
const (
	shareLookups  = 0.7
	shareOpening  = 0.1
	shareAdoption = 0.2
)

type bench struct {
	a      *cli.App
	ctx    context.Context
	path   string
	o      options
	field  *field
	report *report
}

func (b *bench) measureAll() error {
	if err := b.a.WithStore(b.ctx, b.path, b.measureInStore); err != nil {
		return err
	}
	b.field.releaseStore()
	if err := b.measureOpening(); err != nil {
		return err
	}
	return b.measureAdoptions()
}

func (b *bench) measureInStore(s *reader.Store) error {
	r := b.report
	h := s.Header()
	r.Bytes = h.FileSize
	r.Methods = h.Counts.Methods
	r.Pointers = h.Counts.Pointers
	if r.Methods == 0 {
		return fmt.Errorf("%s: it has no methods to look up: measure another archive", b.path)
	}
	if err := b.loadField(s); err != nil {
		return err
	}
	if len(b.field.keys) == 0 {
		return fmt.Errorf("%s: no method has a profile that can be looked up by its id alone: measure another archive", b.path)
	}
	r.Keys = len(b.field.keys)
	return b.measureLookups()
}

var errEnough = errors.New("enough rounds")

// eachRound calls f until a share of the time has passed, at least once.
func (b *bench) eachRound(share float64, f func(round int) error) error {
	end := time.Now().Add(time.Duration(share * float64(b.o.time)))
	for round := 0; round == 0 || time.Now().Before(end); round++ {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if err := f(round); err == errEnough {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
