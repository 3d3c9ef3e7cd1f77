package mergecommands

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/fleet/internal/mergejob"
	"github.com/profarc/profarc/internal/cli"
)

const shardHelp = `Merge-shard is one task of a merge that plan has planned. Task K of N merges the parts K, K+N,
K+2N, ... and writes each to its place in the store. Without K/N it is the task that the scheduler names in
JOB_COMPLETION_INDEX (Kubernetes) or SLURM_ARRAY_TASK_ID (Slurm), of as many tasks as there are parts or --tasks
says.

Of every archive it reads what lies before the profiles, and of these only its parts. A task may run twice, late,
at once with itself, or be killed at any time: a part appears whole or not at all, always with the same bytes, and
one that is there is left alone.`

func shardCommand(a *cli.App) *cobra.Command {
	var o worker
	tasks := 0
	cmd := &cobra.Command{
		Use:   "merge-shard [K/N] --plan PLAN",
		Short: "Merge the parts of one task of a planned merge",
		Long:  shardHelp,
		Example: `  profarc merge-shard 0/16 --plan plan.json
  profarc merge-shard --plan s3://ci/plan.json --tasks 100   # in a Kubernetes Job or a Slurm array`,
		GroupID: group,
		Args:    cli.Args(0, 1, "the task as K/N, or none"),
		RunE:    a.Run(func(ctx context.Context, args []string) error { return runShard(ctx, a, args, tasks, &o) }),
	}
	o.addFlags(cmd)
	cmd.Flags().IntVar(&tasks, "tasks", 0, "`NUMBER` of tasks; without it the number of parts")
	cmd.Flags().IntVarP(&o.jobs, "jobs", "j", 4,
		"`NUMBER` of archives to read at once; with weights that are fractions it is 1")
	return cmd
}

func runShard(ctx context.Context, a *cli.App, args []string, tasks int, o *worker) error {
	return o.withPlan(ctx, func(s *blobs.Stores, p *mergejob.Plan, at mergejob.Place) error {
		t, err := taskOf(args, tasks, len(p.Bounds)+1)
		if err != nil {
			return err
		}
		all := []mergejob.Shard{}
		for part := t.k; part <= len(p.Bounds); part += t.n {
			meter := a.Meter(fmt.Sprintf("merging part %d", part))
			done, err := mergejob.MergePart(ctx, s, p, part, o.jobs, at, meter.Report)
			meter.Done()
			if err != nil {
				return err
			}
			all = append(all, done)
			if !o.json {
				printShard(a, done)
			}
		}
		if o.json {
			return a.PrintJSON(all)
		}
		return nil
	})
}

func printShard(a *cli.App, done mergejob.Shard) {
	what := fmt.Sprintf("wrote %s: %s, %d methods", done.Archive, cli.FormatSize(done.Bytes), done.Methods)
	if done.There {
		what = fmt.Sprintf("left  %s as it is: %s", done.Archive, cli.FormatSize(done.Bytes))
	}
	fmt.Fprintf(a.Out, "part %d: %s\n", done.Part, what)
}

const commitHelp = `Commit joins the parts of a merge that plan has planned and publishes the result, which has the
same bytes as one merge of everything. It appears whole or not at all, and replaces nothing: a commit that finds
the same bytes there succeeds, one that finds others fails and leaves them.

With --wait it waits for parts that are missing, for schedulers that cannot start it after the tasks.`

func commitCommand(a *cli.App) *cobra.Command {
	var o worker
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "commit --plan PLAN",
		Short: "Join the parts of a planned merge and publish the result",
		Long:  commitHelp,
		Example: `  profarc commit --plan plan.json
  profarc commit --plan s3://ci/plan.json --wait 6h`,
		GroupID: group,
		Args:    cli.Args(0, 0, "none"),
		RunE:    a.Run(func(ctx context.Context, _ []string) error { return runCommit(ctx, a, wait, &o) }),
	}
	o.addFlags(cmd)
	durations.AddFlag(cmd.Flags(), &wait, "wait", 0, "`TIME` to wait for missing parts, as 6h")
	return cmd
}

func runCommit(ctx context.Context, a *cli.App, wait time.Duration, o *worker) error {
	return o.withPlan(ctx, func(s *blobs.Stores, p *mergejob.Plan, at mergejob.Place) error {
		meter := a.Meter("writing the result")
		defer meter.Done()
		r, err := mergejob.Commit(ctx, s, p, at, wait, meter.Report)
		if err != nil {
			return err
		}
		if o.json {
			return a.PrintJSON(r)
		}
		verb := "published"
		if r.There {
			verb = "found the same bytes at"
		}
		fmt.Fprintf(a.Out, "%s %s: %s, %d methods, %d profiles of %s\n", verb, r.Archive, cli.FormatSize(r.Bytes),
			r.Counts.Methods, r.Counts.Profiles, cli.Amount(r.Dumps, "dump"))
		return nil
	})
}
