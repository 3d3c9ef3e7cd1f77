// Package watchcommand implements the command watch, which merges the profiles that appear in a folder or a store.
package watchcommand

import (
	"context"
	_ "embed"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/fleet/internal/folderwatch"
	"github.com/profarc/profarc/fleet/internal/metrics"
	"github.com/profarc/profarc/fleet/internal/storewatch"
	"github.com/profarc/profarc/internal/cli"
)

//go:embed help.txt
var helpText string

// group is the id of the command group.
const group = "merge"

type options struct {
	store                                          storewatch.Options
	folder                                         folderwatch.Options
	out, maxFile, maxSize, maxAge, memory, metrics string
	once, keep                                     bool
	delay, patience                                time.Duration
	failure                                        cli.FailureMode
	changed                                        func(flag string) bool // whether a flag was given
}

// Command returns the command watch.
func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "watch FOLDER|URL... -o ARCHIVE|URL",
		Short:   "Merge the profiles that appear in a folder or a store, each once",
		GroupID: group,
		Args:    cli.Args(1, -1, "where the profiles are"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: a.Run(func(ctx context.Context, args []string) error { return runCommand(ctx, a, args, &o) }),
	}
	cli.SetHelp(cmd, helpText)
	o.changed = cmd.Flags().Changed
	o.addFlags(cmd.Flags())
	a.AddJSONFlag(cmd)
	o.failure.AddFlags(cmd)
	return cmd
}

// Flags that only a folder and only a store has.
var (
	folderFlags = []string{"remove", "keep"}
	storeFlags  = []string{"max-size", "max-age", "max-recorders", "tmp", "memory", "jobs", "patience"}
)

func (o *options) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "output", "o", "", "`ARCHIVE` to write and add to; it ends in "+cli.ArchiveExtension)
	f.BoolVar(&o.once, "once", false, "merge what is there, and end")
	durations.AddFlag(f, &o.delay, "delay", 0, "`TIME` between two looks; without it a second for a folder, a minute "+
		"for a store. What comes meanwhile is merged together")
	f.StringVar(&o.maxFile, "max-file", "1GB",
		"`SIZE` of the largest file or object; reading one takes memory in proportion to it")
	f.StringVar(&o.metrics, "metrics", "",
		"`ADDRESS` to serve metrics for Prometheus on, as :9300, or a FILE.prom to write")
	f.BoolVar(&o.folder.Remove, "remove", false, "remove the files of a folder once they are merged")
	f.BoolVar(&o.keep, "keep", false, "keep the files of a folder; the default")
	f.StringVar(&o.maxSize, "max-size", "", "`SIZE` of the largest archive in a store, as 256MB; without it there is no limit")
	f.StringVar(&o.maxAge, "max-age", "",
		"`AGE` of the oldest dump that is added in a store, as 30d or 12h; without it there is no limit")
	f.IntVar(&o.store.MaxRecorders, "max-recorders", 0,
		"largest `NUMBER` of dumps in the archive in a store; without it there is no limit")
	f.StringVar(&o.store.Folder, "tmp", "",
		"`DIRECTORY` for temporary files of a store's objects; without it that of the system")
	f.StringVar(&o.memory, "memory", "192MB",
		"`SIZE` of a store's profiles to keep in memory; more go to a temporary file")
	f.IntVarP(&o.store.Jobs, "jobs", "j", 8, "`NUMBER` of a store's objects to fetch at once")
	durations.AddFlag(f, &o.patience, "patience", time.Minute,
		"`TIME` that a store may take for an answer, and for each MiB")
}

// refuseFlags returns an error if one of the flags was given. They belong to what.
func (o *options) refuseFlags(flags []string, what string) error {
	for _, flag := range flags {
		if o.changed(flag) {
			return cli.Usagef("--%s is for %s", flag, what)
		}
	}
	return nil
}

func runCommand(ctx context.Context, a *cli.App, args []string, o *options) error {
	isURL := func(text string) bool { return strings.Contains(text, "://") }
	if isURL(o.out) || slices.ContainsFunc(args, isURL) {
		return watchStore(ctx, a, args, o)
	}
	return watchFolder(ctx, a, args, o)
}

// openReporter opens the target of the metrics. The caller closes it.
func (o *options) openReporter(a *cli.App, noun string) (*reporter, error) {
	target, err := metrics.Open(o.metrics)
	return &reporter{a: a, o: o, noun: noun, target: target}, err
}

// checkStore completes the options of the watch of a store.
func (o *options) checkStore(args []string) (err error) {
	if err := o.refuseFlags(folderFlags,
		"a folder of this machine, which is named by its path: let a lifecycle rule of the store remove old objects"); err != nil {
		return err
	}
	o.store.Out, err = blobs.Parse(o.out)
	if err != nil || path.Ext(o.store.Out.Key) != cli.ArchiveExtension {
		return cli.Usagef("-o %s: name an archive, which ends in %s", o.out, cli.ArchiveExtension)
	}
	for _, text := range args {
		from, err := blobs.Parse(text)
		if err != nil {
			return cli.Usagef("%v", err)
		}
		o.store.From = append(o.store.From, from.Prefix())
	}
	for _, size := range []struct {
		flag, text string
		to         *int64
	}{
		{"--max-file", o.maxFile, &o.store.MaxObject},
		{"--max-size", o.maxSize, &o.store.MaxArchive},
		{"--memory", o.memory, &o.store.Memory},
	} {
		if size.text == "" {
			continue // no limit
		}
		*size.to, err = cli.ParseSizeFlag(size.flag, size.text)
		if err != nil {
			return err
		}
	}
	if !o.changed("delay") {
		o.delay = time.Minute
	}
	if o.maxAge != "" {
		o.store.MaxAge, err = cli.ParseAge("--max-age", o.maxAge)
	}
	switch {
	case err != nil:
		return err
	case o.store.MaxRecorders < 0:
		return cli.Usagef("--max-recorders %d: it is a number of dumps", o.store.MaxRecorders)
	case o.store.Jobs < 1:
		return cli.Usagef("--jobs %d: it is at least 1", o.store.Jobs)
	case o.delay <= 0:
		return cli.Usagef("--delay %v: give a positive time", o.delay)
	}
	return nil
}
