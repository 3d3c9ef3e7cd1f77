package ship

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/fleet/internal/signature"
	"github.com/profarc/profarc/internal/cli"
)

type promoteOptions struct {
	connection
	to       string
	key      string
	platform string
	json     bool
}

const promoteHelp = `Promote makes an archive the current one of a tag in its repository. NAME is an archive, by its
tag or digest, or an image: then the newest archive that is attached to it, with --platform of that platform.

The tag names a small index: the current archive, up to 19 before it, and what happened to it, which
profarc history prints. profarc pull takes the current archive, or the last one before it that is of its
platform. profarc rollback takes back the last promotion.`

func promoteCommand(a *cli.App) *cobra.Command {
	var o promoteOptions
	cmd := &cobra.Command{
		Use: "promote NAME --to TAG", Short: shortOf("promote"), GroupID: Group, Long: promoteHelp,
		Example: `  profarc promote registry.example/shop:1.4 --to prod
  profarc promote registry.example/shop@sha256:0b1c... --to prod --key key.pub`,
		Args: cli.Args(1, 1, "one archive or image in a registry"),
		RunE: a.Run(func(ctx context.Context, args []string) error { return runPromote(ctx, a, args[0], o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "`TAG` to promote it to")
	f.StringVar(&o.key, "key", "", "PEM `FILE` of the public key by which it must be signed")
	f.StringVar(&o.platform, "platform", "", "choose among the archives of `PLATFORM`, as linux/arm64")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(f)
	return cmd
}

func runPromote(ctx context.Context, a *cli.App, name string, o promoteOptions) error {
	if err := registry.CheckTag(o.to); err != nil {
		return cli.Usagef("name the tag to promote to: --to %w", err)
	}
	repo, err := o.openRepository(name)
	if err != nil {
		return err
	}
	chosen, err := o.chooseArchive(ctx, repo)
	if err != nil {
		return err
	}
	key, err := o.readKey(ctx)
	if err != nil {
		return err
	}
	volumes, err := volumesOf(ctx, repo, chosen, key)
	if err != nil {
		return err
	}
	c, err := changeChannel(ctx, repo, o.to, func(c *artifact.Channel) (*artifact.Event, error) {
		d := chosen.Descriptor
		isCurrent := len(c.Archives) > 0 && c.Archives[0].Digest == d.Digest
		if isCurrent && (len(volumes) == 0 || c.CurrentHasVolume()) {
			return nil, nil
		}
		e := c.Promotion(d, chosen.Facts.Platforms, volumes, time.Now())
		return &e, nil
	})
	if err == nil {
		err = checkPresent(ctx, repo, o.to, chosen.Descriptor.Digest)
	}
	if err != nil {
		return err
	}
	return printChannel(a, repo, o.to, c, o.json)
}

// chooseArchive returns the archive to promote.
func (o *promoteOptions) chooseArchive(ctx context.Context, repo *registry.Repository) (*artifact.Archive, error) {
	n, err := lookUp(ctx, repo, repo.Reference())
	if err != nil {
		return nil, err
	}
	all, err := n.archives(ctx, repo)
	if err != nil {
		return nil, err
	}
	name := repo.Full(repo.Reference())
	if len(all) == 0 {
		return nil,
			fmt.Errorf("%s: no archive of profiles is attached to it: attach one with profarc push ARCHIVE --subject %s",
				name, name)
	}
	chosen, err := o.firstOfPlatform(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	key, err := o.readKey(ctx)
	if err == nil && key != nil {
		err = verifySignature(ctx, repo, key, chosen.Descriptor)
	}
	if errors.Is(err, signature.ErrSignature) || errors.Is(err, errUnsigned) {
		err = fmt.Errorf("%s: %w by the key of %s: push it with --sign", repo.Full(chosen.Descriptor.Digest.String()), err,
			o.key)
	}
	return chosen, err
}

// readKey reads the file of --key. It returns nil without this flag.
func (o *promoteOptions) readKey(ctx context.Context) (*ecdsa.PublicKey, error) {
	if o.key == "" {
		return nil, nil
	}
	return signature.ReadPublicKey(ctx, o.key)
}

// firstOfPlatform returns the first archive of --platform, or the first one without this flag.
func (o *promoteOptions) firstOfPlatform(all []*artifact.Archive) (*artifact.Archive, error) {
	if o.platform == "" {
		return all[0], nil
	}
	wanted, err := artifact.ParsePlatform(o.platform)
	if err != nil {
		return nil, cli.Usagef("--platform %w", err)
	}
	var others []artifact.Platform
	for _, a := range all {
		if artifact.AnyServes(a.Facts.Platforms, wanted) {
			return a, nil
		}
		others = append(others, a.Facts.Platforms...)
	}
	slices.Sort(others)
	return nil, fmt.Errorf("no archive is of %s, only of %s: name one of these with --platform", wanted,
		artifact.JoinPlatforms(slices.Compact(others)))
}

// changeChannel calls f with the channel of a tag and adds the returned event unless it is nil. A missing tag is an
// empty channel.
//
// Registries have no atomic compare-and-swap for tags. So each event is first written to a separate tag. The index of
// the channel is computed from all events. After writing it, each writer checks whether it lacks events.
func changeChannel(ctx context.Context, repo *registry.Repository, tag string,
	f func(c *artifact.Channel) (*artifact.Event, error)) (*artifact.Channel, error) {
	if len(tag) > artifact.MaxChannel {
		return nil, fmt.Errorf("%s: a tag to promote to has at most %d characters: take a shorter one", repo.Full(tag),
			artifact.MaxChannel)
	}
	c, _, err := completeChannel(ctx, repo, tag)
	if err != nil {
		return nil, err
	}
	e, err := f(c)
	if err != nil {
		return nil, err
	}
	var own []artifact.Event
	if e != nil {
		if err := pushEvent(ctx, repo, tag, *e); err != nil {
			return nil, err
		}
		own = append(own, *e)
	}
	err = repo.Settle(ctx, tag, func() (whole bool, err error) {
		c, whole, err = completeChannel(ctx, repo, tag, own...)
		if err != nil {
			return false, err
		}
		if whole {
			return settleVolumes(ctx, repo, tag, c)
		}
		data, err := c.Index()
		if err == nil {
			_, err = repo.PushManifest(ctx, ocispec.MediaTypeImageIndex, data, tag)
		}
		return false, err
	})
	if err != nil && e != nil {
		err = fmt.Errorf("%w; the %s is recorded: the next one, of whatever archive, completes it", err, e.What)
	}
	return c, err
}

// pushEvent writes an event to its tag.
func pushEvent(ctx context.Context, repo *registry.Repository, tag string, e artifact.Event) error {
	data, err := e.Index()
	if err == nil {
		_, err = repo.PushManifest(ctx, ocispec.MediaTypeImageIndex, data, artifact.EventTags(tag)+e.ID)
	}
	return err
}

// completeChannel reads the channel of a tag, and adds missing events. whole is true if no event was missing. own has
// the events that this program wrote, because some registries list new tags with a delay.
func completeChannel(ctx context.Context, repo *registry.Repository, tag string,
	own ...artifact.Event) (c *artifact.Channel, whole bool, err error) {
	c, err = readChannel(ctx, repo, tag)
	if registry.IsMissing(err) {
		c = &artifact.Channel{}
		err = nil
	}
	if err != nil {
		return nil, false, err
	}
	events := slices.DeleteFunc(slices.Clone(own), func(e artifact.Event) bool { return !c.Lacks(e.ID) })
	tags, err := repo.TagsWith(ctx, artifact.EventTags(tag))
	if err != nil {
		return nil, false, err
	}
	for _, t := range tags {
		id := strings.TrimPrefix(t, artifact.EventTags(tag))
		if !c.Lacks(id) {
			continue
		}
		e, err := readEvent(ctx, repo, t, id)
		if registry.IsMissing(err) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, false, err
		}
		events = append(events, e)
	}
	c.Add(events...)
	return c, len(events) == 0, nil
}

// readEvent reads the event of a tag.
func readEvent(ctx context.Context, repo *registry.Repository, tag, id string) (e artifact.Event, err error) {
	d, err := repo.Resolve(ctx, tag)
	if err != nil {
		return e, err
	}
	data, err := repo.Manifest(ctx, d)
	if err != nil {
		return e, err
	}
	e, err = artifact.ParseEvent(data, id)
	if err != nil {
		err = fmt.Errorf("%s: %w: delete that tag", repo.Full(tag), err)
	}
	return e, err
}

// readChannel reads the channel of a tag.
func readChannel(ctx context.Context, repo *registry.Repository, tag string) (*artifact.Channel, error) {
	n, err := lookUp(ctx, repo, tag)
	if err != nil {
		return nil, err
	}
	if n.channel == nil {
		return nil, fmt.Errorf("%s: it names an image or an archive, and nothing was promoted to it: choose a tag of its own",
			repo.Full(tag))
	}
	return n.channel, nil
}

const rollbackHelp = `Rollback puts the previous archive of a promoted tag back in use. The archive that was rolled
back stays in the registry, and in the history of the tag.`

func rollbackCommand(a *cli.App) *cobra.Command {
	var o promoteOptions
	cmd := &cobra.Command{
		Use: "rollback NAME", Short: shortOf("rollback"), GroupID: Group, Long: rollbackHelp,
		Example: `  profarc rollback registry.example/shop:prod`,
		Args:    cli.Args(1, 1, "one promoted tag"),
		RunE:    a.Run(func(ctx context.Context, args []string) error { return runRollback(ctx, a, args[0], o) }),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(cmd.Flags())
	return cmd
}

func runRollback(ctx context.Context, a *cli.App, name string, o promoteOptions) error {
	repo, tag, err := o.openChannel(name)
	if err != nil {
		return err
	}
	c, err := changeChannel(ctx, repo, tag, func(c *artifact.Channel) (*artifact.Event, error) {
		e, ok := c.Rollback(time.Now())
		if !ok {
			return nil, fmt.Errorf("%s: there is no archive before the current one: promote another one with profarc promote",
				repo.Full(tag))
		}
		return &e, nil
	})
	if err != nil {
		return err
	}
	return printChannel(a, repo, tag, c, o.json)
}

func historyCommand(a *cli.App) *cobra.Command {
	var o promoteOptions
	cmd := &cobra.Command{
		Use: "history NAME", Short: shortOf("history"), GroupID: Group,
		Example: `  profarc history registry.example/shop:prod`,
		Args:    cli.Args(1, 1, "one promoted tag"),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			repo, tag, err := o.openChannel(args[0])
			if err != nil {
				return err
			}
			c, err := readChannel(ctx, repo, tag)
			if err != nil {
				return err
			}
			return printHistory(a, repo, tag, c, o.json)
		}),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	o.connection.addFlags(cmd.Flags())
	return cmd
}

func (o *promoteOptions) openChannel(name string) (*registry.Repository, string, error) {
	repo, err := o.openRepository(name)
	if err == nil && repo.Tag() == "" {
		err = cli.Usagef("%s: name the tag that archives are promoted to", name)
	}
	if err != nil {
		return nil, "", err
	}
	return repo, repo.Tag(), nil
}

// A channelReport is the output of promote, rollback and history.
type channelReport struct {
	Reference string           `json:"reference"`
	Current   string           `json:"current"`          // reference with the digest
	Volume    string           `json:"volume,omitempty"` // reference of the image for volumes
	Before    []string         `json:"before"`
	History   []artifact.Event `json:"history"`
}

func reportOf(repo *registry.Repository, tag string, c *artifact.Channel) channelReport {
	r := channelReport{Reference: repo.Full(tag), Before: []string{}, History: c.History}
	if len(c.Volumes()) > 0 {
		r.Volume = repo.Full(artifact.VolumeTag(tag))
	}
	for i, d := range c.Archives {
		if full := repo.Full(d.Digest.String()); i == 0 {
			r.Current = full
		} else {
			r.Before = append(r.Before, full)
		}
	}
	return r
}

func printChannel(a *cli.App, repo *registry.Repository, tag string, c *artifact.Channel, json bool) error {
	r := reportOf(repo, tag, c)
	if json {
		return a.PrintJSON(r)
	}
	fmt.Fprintf(a.Out, "%s is now %s\n", r.Reference, r.Current)
	switch {
	case r.Volume == "":
	case c.CurrentHasVolume():
		fmt.Fprintf(a.Out, "%s has its volume\n", r.Volume)
	default:
		fmt.Fprintf(a.Out, "%s still has the volume of an archive before it: push the current one with --volume, and promote "+
			"it again\n", r.Volume)
	}
	return nil
}

func printHistory(a *cli.App, repo *registry.Repository, tag string, c *artifact.Channel, json bool) error {
	r := reportOf(repo, tag, c)
	if json {
		return a.PrintJSON(r)
	}
	for _, e := range r.History {
		fmt.Fprintf(a.Out, "%s  %-8s  %s\n", e.Time.UTC().Format(time.RFC3339), e.What, e.Digest)
	}
	fmt.Fprintf(a.Out, "%s is %s; %s before it\n", r.Reference, r.Current, cli.Amount(len(r.Before), "archive"))
	return nil
}
