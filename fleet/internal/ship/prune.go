package ship

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/internal/cli"
)

type pruneOptions struct {
	connection
	keep      int
	olderThan string
	tags      []string
	remove    bool
	json      bool

	age time.Duration // of --older-than
}

const pruneHelp = `Prune prints which archives of a repository it would remove, and with --remove removes them, with
their signatures, volumes, and the tags that lead to them.

For each image and platform, the newest --keep archives stay, and so do archives younger than --older-than.
An archive with a tag stays, unless all its tags match --tags, a pattern such as "build-*". An archive that
is promoted, or that a promoted tag can be rolled back to, always stays. So does an archive in an index.
Images are never removed. Tags of events that the history of their tag no longer needs are removed too.
An archive that is promoted or gets another tag while prune works stays, or is put back.

The registry must allow deleting. It frees the space of layers itself, when it collects garbage.`

func pruneCommand(a *cli.App) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use: "prune REPOSITORY", Short: shortOf("prune"), GroupID: Group, Long: pruneHelp,
		Example: `  profarc prune registry.example/shop --keep 10
  profarc prune registry.example/shop --keep 3 --older-than 30d --remove
  profarc prune registry.example/shop --keep 10 --tags 'build-*' --remove`,
		Args: cli.Args(1, 1, "one repository"),
		RunE: a.Run(func(ctx context.Context, args []string) error { return runPrune(ctx, a, args[0], &o) }),
	}
	f := cmd.Flags()
	f.IntVar(&o.keep, "keep", 0, "keep the newest `N` archives for each image and platform")
	f.StringVar(&o.olderThan, "older-than", "", "keep archives whose last run is younger than `AGE`, as 30d or 12h")
	f.StringArrayVar(&o.tags, "tags", nil, "also remove archives whose tags all match a `PATTERN`, as 'build-*'")
	f.BoolVar(&o.remove, "remove", false, "remove them; without it, prune only prints")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(f)
	return cmd
}

func (o *pruneOptions) checkFlags() error {
	if o.keep < 0 || o.keep == 0 && o.olderThan == "" {
		return cli.Usagef("say what stays: --keep N, --older-than AGE, or both")
	}
	for _, pattern := range o.tags {
		if _, err := path.Match(pattern, ""); err != nil {
			return cli.Usagef("--tags %s: it is no pattern: write it as 'build-*'", pattern)
		}
	}
	if o.olderThan == "" {
		return nil
	}
	var err error
	if days, ok := strings.CutSuffix(o.olderThan, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		o.age = time.Duration(min(n, 1e5) * 24 * float64(time.Hour))
	} else {
		o.age, err = time.ParseDuration(o.olderThan)
	}
	if err != nil || o.age <= 0 {
		return cli.Usagef("--older-than %s: write it as 30d, 12h or 90m", o.olderThan)
	}
	return nil
}

// A pruned report is the output of prune.
type pruned struct {
	Repository string           `json:"repository"`
	Remove     []*listedArchive `json:"remove"`
	Events     []string         `json:"events"` // tags of events that are not needed
	Kept       int              `json:"kept"`   // number of archives that stay
	Removed    bool             `json:"removed"`
}

func runPrune(ctx context.Context, a *cli.App, name string, o *pruneOptions) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	repo, err := o.openWhole(name)
	if err != nil {
		return err
	}
	v, err := takeInventory(ctx, repo)
	if err != nil {
		return err
	}
	p := &pruned{Repository: v.Repository, Remove: o.chooseArchives(v, time.Now()), Events: v.oldEvents()}
	if o.remove {
		if err := v.removeAll(ctx, a, p); err != nil {
			return err
		}
		p.Removed = true
	}
	p.Kept = len(v.Archives) - len(p.Remove)
	if o.json {
		return a.PrintJSON(p)
	}
	p.printReport(a, time.Now())
	return nil
}

// chooseArchives returns the archives to remove, oldest last.
func (o *pruneOptions) chooseArchives(v *inventory, now time.Time) []*listedArchive {
	remove := []*listedArchive{}
	newer := map[string]int{} // by image and platforms
	for _, a := range v.Archives {
		group := a.AttachedTo.String() + " " + artifact.JoinPlatforms(a.Facts.Platforms)
		newer[group]++
		if newer[group] > o.keep && a.age(now) >= o.age && o.mayRemove(a) {
			remove = append(remove, a)
		}
	}
	return remove
}

// mayRemove reports whether no kept tag refers to an archive.
func (o *pruneOptions) mayRemove(a *listedArchive) bool {
	if len(a.Promoted) > 0 || len(a.Before) > 0 || a.indexed {
		return false
	}
	return !slices.ContainsFunc(a.Tags, func(tag string) bool {
		return !slices.ContainsFunc(o.tags, func(pattern string) bool {
			matches, _ := path.Match(pattern, strings.TrimSuffix(tag, artifact.VolumeTag("")))
			return matches
		})
	})
}

// oldEvents returns the tags of events that are older than a full history.
func (v *inventory) oldEvents() []string {
	old := []string{}
	for _, tag := range v.events {
		channel := tag[:strings.LastIndex(tag, ".event-")]
		c := v.channels[channel]
		if c != nil && c.HasOutlived(strings.TrimPrefix(tag, artifact.EventTags(channel))) {
			old = append(old, tag)
		}
	}
	slices.Sort(old)
	return old
}

// removeAll removes archives and tags of events. Archives that are needed meanwhile leave p.Remove.
func (v *inventory) removeAll(ctx context.Context, a *cli.App, p *pruned) error {
	chosen := p.Remove
	p.Remove = []*listedArchive{}
	for _, one := range chosen {
		gone, err := v.removeUnneeded(ctx, one)
		if err != nil {
			return err
		}
		if gone {
			p.Remove = append(p.Remove, one)
			continue
		}
		fmt.Fprintf(a.ErrOut, "%s: %s stays: it was promoted or tagged meanwhile\n", a.Name,
			v.repo.Full(one.Digest.String()))
	}
	for _, tag := range p.Events {
		d, err := v.repo.Resolve(ctx, tag)
		if err == nil {
			err = v.repo.DeleteManifest(ctx, d.Digest, tag)
		}
		if err != nil && !registry.IsMissing(err) {
			return err
		}
	}
	return nil
}

// removeArchive removes an archive. Its manifest goes last, so that after an interruption the next prune finds it by
// the tags of its signatures.
func (v *inventory) removeArchive(ctx context.Context, a *listedArchive) error {
	if a.AttachedTo != "" {
		if err := v.repo.Detach(ctx, a.AttachedTo, []digest.Digest{a.Digest}); err != nil {
			return err
		}
	}
	for _, d := range a.Volumes {
		if err := v.removeVolume(ctx, d, a.volumeSignatures[d]); err != nil {
			return err
		}
	}
	if err := v.removeAttached(ctx, a.Digest, slices.Concat(a.Signatures, a.Volumes)); err != nil {
		return err
	}
	return v.repo.DeleteManifest(ctx, a.Digest, v.tags[a.Digest]...)
}

// removeVolume removes a volume with its signatures, and indexes with it.
func (v *inventory) removeVolume(ctx context.Context, volume digest.Digest, signatures []digest.Digest) error {
	for _, tag := range v.users[volume] {
		index, err := v.repo.Resolve(ctx, tag)
		if registry.IsMissing(err) {
			continue
		}
		if err == nil {
			err = v.repo.DeleteManifest(ctx, index.Digest, tag)
		}
		if err != nil {
			return err
		}
	}
	if err := v.removeAttached(ctx, volume, signatures); err != nil {
		return err
	}
	return v.repo.DeleteManifest(ctx, volume, v.tags[volume]...)
}

// removeAttached removes manifests that are attached to a subject.
func (v *inventory) removeAttached(ctx context.Context, subject digest.Digest, attached []digest.Digest) error {
	if err := v.repo.Detach(ctx, subject, attached); err != nil {
		return err
	}
	for _, d := range attached {
		if err := v.repo.DeleteManifest(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruned) printReport(a *cli.App, now time.Time) {
	verb := "would remove"
	if p.Removed {
		verb = "removed"
	}
	for _, one := range p.Remove {
		fmt.Fprintf(a.Out, "%s  %s, %s, %s%s\n", verb, p.Repository+"@"+one.Digest.String(), ageText(one.age(now)),
			cli.FormatSize(one.Compressed), cli.Note(len(one.Tags) > 0, strings.Join(one.Tags, " ")))
	}
	for _, tag := range p.Events {
		fmt.Fprintf(a.Out, "%s  %s:%s\n", verb, p.Repository, tag)
	}
	fmt.Fprintf(a.Out, "%s %s and %s, %d stay\n", verb, cli.Amount(len(p.Remove), "archive"),
		cli.Amount(len(p.Events), "event"), p.Kept)
	if !p.Removed && len(p.Remove)+len(p.Events) > 0 {
		fmt.Fprintln(a.Out, "nothing was removed: add --remove")
	}
}
