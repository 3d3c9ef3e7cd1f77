package mergecommands

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/mergejob"
	"github.com/profarc/profarc/internal/cli"
)

const planHelp = `Plan lists archives, checks that they merge, and writes a plan that divides the merge into parts.
Workers then merge a part each (merge-shard), and commit joins the parts. The result has the same bytes as
one "profarc merge" of everything, whatever the number of parts.

A URL is a directory, a file, or a prefix or object in a store: file://, s3://, gs:// or azblob://, with
options of the store behind a question mark, as s3://bucket/runs/?region=eu-central-1. Of a prefix all
objects that end in .parc are taken. Credentials are those that the store's own tools use. Of an archive
only what lies before the profiles is read, but for 48 samples, whose profiles decide where parts begin.

Damaged archives, archives of different domains or VMs, a dump that comes twice, and parts of a merge are
refused, and all of them are named. With --failure-mode all they are left out, and the account of the result
has them; a dump that comes twice then counts once. --expect and --expect-list say how many archives, or
which, the runs should have left. Of several dumps of one process only the latest is merged.`

type planOptions struct {
	worker
	mergejob.Options
	to, halfLife, partSize string
	failure                cli.FailureMode
}

func planCommand(a *cli.App) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan --to URL URL... [-o plan.json]",
		Short: "Plan a merge of many archives in a store, for many workers",
		Long:  planHelp,
		Example: `  profarc plan s3://ci/runs/ --to s3://ci/app.parc
  profarc plan /shared/runs/ --to /shared/app.parc --parts 64 -o /shared/plan.json
  profarc plan gs://ci/runs/ --to gs://ci/app.parc --half-life 30d -o gs://ci/plan.json`,
		GroupID: group,
		Args:    cli.Args(1, -1, "where the archives are"),
		RunE:    a.Run(func(ctx context.Context, args []string) error { return runPlan(ctx, a, args, &o) }),
	}
	f := cmd.Flags()
	f.StringVarP(&o.plan, "output", "o", "plan.json", "plan to write: a `FILE`, or the URL of an object")
	f.StringVar(&o.to, "to", "", "`URL` of the result")
	f.StringVar(&o.Work, "work", "", "`URL` below which workers write parts; without it profarc-work beside the result")
	f.IntVar(&o.Parts, "parts", 0, "`NUMBER` of parts; without it as many as --part-size needs")
	f.StringVar(&o.partSize, "part-size", "512MiB", "`SIZE` of the archives that a worker reads, about")
	f.StringVar(&o.halfLife, "half-life", "",
		"`AGE` at which a dump counts half, as 30d or 12h, relative to the newest dump")
	f.BoolVar(&o.Normalize, "normalize", false, "let every run count alike, however long it ran")
	f.IntVar(&o.Rows, "rows", -1, "`NUMBER` of receiver rows to keep in a type profile; without it all")
	f.IntVarP(&o.Jobs, "jobs", "j", 8*runtime.GOMAXPROCS(0), "`NUMBER` of archives to look at at once")
	o.failure.AddFlags(cmd)
	o.addStoreFlags(cmd)
	return cmd
}

// A planReport is the JSON output of plan.
type planReport struct {
	Plan string `json:"plan"`
	ID   string `json:"id"`
	*mergejob.Survey
}

func runPlan(ctx context.Context, a *cli.App, args []string, o *planOptions) error {
	to, err := o.checkFlags()
	if err != nil {
		return err
	}
	o.Expected, err = o.failure.ReadNames(a)
	if err != nil {
		return err
	}
	o.Expect = o.failure.Expect
	o.SkipBad = o.failure.SkipsBad()
	stores := o.newStores()
	defer stores.Close()
	meter := a.Meter("looking at archives")
	defer meter.Done()
	o.Progress = meter.Report
	p, survey, err := mergejob.Make(ctx, stores, args, o.Options)
	if err != nil {
		return err
	}
	text, err := p.Encode()
	if err != nil {
		return err
	}
	if err := stores.Write(ctx, to, bytes.NewReader(text), int64(len(text)), false); err != nil {
		return err
	}
	if o.json {
		return a.PrintJSON(planReport{o.plan, p.ID, survey})
	}
	for _, s := range survey.Skipped {
		fmt.Fprintf(a.ErrOut, "profarc: skipped: %s\n", s.Reason)
	}
	for _, s := range survey.Superseded {
		fmt.Fprintf(a.Out, "left    %s out: %s is a later dump of the same process\n", s.Archive, s.By)
	}
	fmt.Fprintf(a.Out, "planned %s of domain %s, %s, in %s\n", cli.Amount(survey.Archives, "archive"), p.Domain,
		cli.FormatSize(survey.Bytes), cli.Amount(survey.Parts, "part"))
	if !p.OneShape {
		fmt.Fprintln(a.Out, "shapes  differ between the archives: workers read all of each archive, not only their parts")
	}
	fmt.Fprintf(a.Out, "wrote   %s\n\n%s", to, nextSteps(a.Name, cli.ShellWord(o.plan), survey.Parts))
	return nil
}

// nextSteps describes the commands to run after plan.
func nextSteps(program, plan string, parts int) string {
	return fmt.Sprintf(`Next: %[1]s template slurm --plan %[2]s
  or: %[1]s template kubernetes --plan %[2]s
  or, without a scheduler, here or each part on another machine:
      for k in $(seq 0 %[3]d); do %[1]s merge-shard $k/%[4]d --plan %[2]s; done
      %[1]s commit --plan %[2]s
`, program, plan, parts-1, parts)
}

// checkFlags validates the flags, and returns the location of the plan.
func (o *planOptions) checkFlags() (to blobs.Location, err error) {
	if o.to == "" {
		return to, cli.Usagef("name the result: --to URL of an archive, as s3://bucket/app.parc")
	}
	out, err := blobs.Parse(o.to)
	if err != nil || path.Ext(out.Key) != cli.ArchiveExtension {
		return to, cli.Usagef("--to %s: name an archive, which ends in %s", o.to, cli.ArchiveExtension)
	}
	o.Out = out.URL()
	if o.Work == "" {
		o.Work = (blobs.Location{Bucket: out.Bucket, Key: path.Dir(out.Key)}).Join("profarc-work").Prefix().URL()
	}
	work, err := blobs.Parse(o.Work)
	if err != nil {
		return to, cli.Usagef("--work %s: %v", o.Work, err)
	}
	o.Work = work.Prefix().URL()
	if o.Parts < 0 || o.Parts > 100_000 {
		return to, cli.Usagef("--parts %d: 1 to 100000 are possible", o.Parts)
	}
	o.PartBytes, err = cli.ParseSizeFlag("--part-size", o.partSize)
	if err != nil {
		return to, err
	}
	if o.halfLife != "" {
		o.HalfLife, err = cli.ParseAge("--half-life", o.halfLife)
	}
	if err != nil {
		return to, err
	}
	to, err = blobs.Parse(o.plan)
	if err != nil || to.Key == "" {
		return to, cli.Usagef("-o %s: name a file or an object", o.plan)
	}
	return to, nil
}
