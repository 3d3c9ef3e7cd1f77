package mergecommands

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/internal/cli"
)

//go:embed slurm.sh.tmpl
var slurmTemplate string

//go:embed kubernetes.yaml.tmpl
var kubernetesTemplate string

// schedulers maps the supported schedulers to templates.
var schedulers = map[string]string{"slurm": slurmTemplate, "kubernetes": kubernetesTemplate}

const templateHelp = `Template prints what runs a planned merge on a scheduler: for slurm a script that submits an
array job and, after it, the job that commits; for kubernetes an indexed Job and the Job that commits, which
waits for the parts. It is meant to be read and changed: accounts, partitions, node selectors and credentials
are your cluster's own.

The plan must be where all tasks can read it: a shared directory, or an object in a store. The number of tasks is at
most --tasks; with more parts than that each task merges several.`

type templateOptions struct {
	worker
	tasks    int
	atOnce   int
	program  string
	image    string
	task     string
	time     string
	perIndex int
}

func templateCommand(a *cli.App) *cobra.Command {
	var o templateOptions
	cmd := &cobra.Command{
		Use:   "template slurm|kubernetes --plan PLAN",
		Short: "Print the jobs that run a planned merge on Slurm or Kubernetes",
		Long:  templateHelp,
		Example: `  profarc template slurm --plan /shared/plan.json | bash
  profarc template kubernetes --plan s3://ci/plan.json --image ghcr.io/acme/profarc | kubectl apply -f -`,
		GroupID:   group,
		Args:      cli.Args(1, 1, "slurm or kubernetes"),
		ValidArgs: []string{"slurm", "kubernetes"},
		RunE:      a.Run(func(ctx context.Context, args []string) error { return runTemplate(ctx, a, args[0], &o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "plan.json", "the plan: a `FILE`, or the URL of an object")
	f.IntVar(&o.tasks, "tasks", 1000,
		"most tasks, a `NUMBER`; Slurm allows 1001 in an array unless its MaxArraySize is set")
	f.IntVar(&o.atOnce, "at-once", 50, "`NUMBER` of tasks that run at once, at most")
	f.StringVar(&o.program, "program", "profarc-fleet", "the `PROGRAM` as the tasks start it")
	f.StringVar(&o.image, "image", "", "container `IMAGE` that has it; for kubernetes")
	f.StringVar(&o.task, "task-memory", "1GiB", "memory of a task, a `SIZE`")
	f.StringVar(&o.time, "time", "4h", "`TIME` that a task may take, and how long the commit waits for them")
	f.IntVar(&o.perIndex, "retries", 3, "`NUMBER` of times that a task is tried again; for kubernetes")
	durations.AddFlag(f, &o.patience, "patience", 0, "`TIME` that a store may take for an answer")
	return cmd
}

// A job is the data of the templates.
type job struct {
	ID                       string
	Plan                     string // quoted for a shell
	PlanArgument             string
	Program                  string
	Image                    string
	Last, Tasks, AtOnce      int
	MemoryMiB, MemoryProfile int64
	Minutes, Seconds         int64
	Retries                  int
}

func runTemplate(ctx context.Context, a *cli.App, scheduler string, o *templateOptions) error {
	text, ok := schedulers[scheduler]
	if !ok {
		return cli.Usagef("%s: there are templates for slurm and kubernetes", scheduler)
	}
	j, err := o.newJob(ctx, scheduler)
	if err != nil {
		return err
	}
	t, err := template.New(scheduler).Option("missingkey=error").Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(a.Out, j)
}

// newJob computes the data of a template.
func (o *templateOptions) newJob(ctx context.Context, scheduler string) (j job, err error) {
	if o.tasks < 1 || o.atOnce < 1 || o.perIndex < 0 {
		return j, cli.Usagef("--tasks %d, --at-once %d and --retries %d: numbers from 1 on", o.tasks, o.atOnce, o.perIndex)
	}
	if scheduler == "kubernetes" && o.image == "" {
		return j, cli.Usagef("name the image that has profarc-fleet: --image REGISTRY/NAME:TAG")
	}
	memory, err := cli.ParseSizeFlag("--task-memory", o.task)
	if err != nil {
		return j, err
	}
	limit, err := cli.ParseAge("--time", o.time)
	if err != nil {
		return j, err
	}
	stores := o.newStores()
	defer stores.Close()
	p, err := o.readPlan(ctx, stores)
	if err != nil {
		return j, err
	}
	tasks := min(o.tasks, len(p.Bounds)+1)
	plan := o.plan
	if scheduler == "kubernetes" && !strings.Contains(plan, "://") {
		return j, cli.Usagef("--plan %s: tasks on other machines read it: plan with -o URL of an object, and name that", plan)
	}
	return job{
		ID: p.ID[:12], Plan: cli.ShellWord(plan), PlanArgument: fmt.Sprintf("%q", plan), Program: cli.ShellWord(o.program),
		Image: fmt.Sprintf("%q", o.image),
		Tasks: tasks, Last: tasks - 1, AtOnce: min(o.atOnce, tasks), MemoryMiB: max(memory>>20, 64),
		MemoryProfile: max(memory>>22, 16),
		Minutes:       max(int64(limit.Minutes()), 1), Seconds: max(int64(limit.Seconds()), 60), Retries: o.perIndex,
	}, nil
}
