package ship

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/internal/cli"
)

const listHelp = `List prints the archives of a repository that have a tag, are attached to an image, or are promoted.

The first column has the tags of an archive. * marks a promoted tag whose current archive it is, and - a
promoted tag that can be rolled back to it. The last line counts the tags by kind. Events are the promotions and
rollbacks, and attachments stand for the referrers API where the registry has none: profarc pull reads
both, and profarc prune removes them with what they belong to.`

func listCommand(a *cli.App) *cobra.Command {
	var c connection
	var json bool
	cmd := &cobra.Command{
		Use: "list REPOSITORY", Short: shortOf("list"), GroupID: Group, Long: listHelp,
		Example: `  profarc list registry.example/shop
  profarc list registry.example/shop --json | jq -r '.archives[] | select(.signatures == []) | .digest'`,
		Args: cli.Args(1, 1, "one repository"),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			repo, err := c.openWhole(args[0])
			if err != nil {
				return err
			}
			v, err := takeInventory(ctx, repo)
			if err != nil {
				return err
			}
			if json {
				return a.PrintJSON(v)
			}
			return v.printTable(a, time.Now())
		}),
	}
	cmd.Flags().BoolVar(&json, "json", false, "print JSON")
	c.addFlags(cmd.Flags())
	return cmd
}

// openWhole opens a repository without a tag.
func (c *connection) openWhole(name string) (*registry.Repository, error) {
	repo, err := c.openRepository(name)
	if err == nil && repo.HasReference() {
		return nil, cli.Usagef("%s: name the repository alone: %s", name, repo.Name())
	}
	return repo, err
}

func (v *inventory) printTable(a *cli.App, now time.Time) error {
	if len(v.Archives) > 0 {
		w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "tags\tdigest\timage\tplatform\tage\tsize\tsigned\tvolumes\tgate")
		for _, one := range v.Archives {
			fmt.Fprintln(w, strings.Join(one.row(now), "\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	var kinds []string
	all := 0
	for _, kind := range slices.Sorted(maps.Keys(v.Tags)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", v.Tags[kind], kind))
		all += v.Tags[kind]
	}
	_, err := fmt.Fprintf(a.Out, "%s: %s%s\n", cli.Amount(len(v.Archives), "archive"), cli.Amount(all, "tag"),
		cli.Note(all > 0, strings.Join(kinds, ", ")))
	return err
}

// row returns the columns of an archive.
func (a *listedArchive) row(now time.Time) []string {
	names := slices.Clone(a.Tags)
	for _, tag := range a.Promoted {
		names = append(names, "*"+tag)
	}
	for _, tag := range a.Before {
		names = append(names, "-"+tag)
	}
	gate, _, _ := strings.Cut(a.Facts.Gate, ":")
	signed := "no"
	if len(a.Signatures) > 0 {
		signed = "yes"
	}
	return []string{orDash(strings.Join(names, " ")), registry.Short(a.Digest),
		orDash(strings.Join(a.Images, " ")), orDash(artifact.JoinPlatforms(a.Facts.Platforms)), ageText(a.age(now)),
		cli.FormatSize(a.Compressed), signed,
		fmt.Sprint(len(a.Volumes)), orDash(gate)}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func ageText(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
