// Package mergecommands implements the commands that merge archives in stores with many workers.
package mergecommands

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/durations"
	"github.com/profarc/profarc/fleet/internal/mergejob"
	"github.com/profarc/profarc/internal/cli"
)

// group is the id of the command group.
const group = "merge"

// maxPlan is the maximum size of a plan in bytes.
const maxPlan = 1 << 30

// Commands returns the commands of the group.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{planCommand(a), shardCommand(a), commitCommand(a), templateCommand(a)}
}

// A worker has the flags of all steps.
type worker struct {
	plan     string
	folder   string
	memory   string
	jobs     int
	patience time.Duration
	json     bool
}

func (w *worker) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.plan, "plan", "plan.json", "the plan: a `FILE`, or the URL of an object")
	f.StringVar(&w.folder, "tmp", "", "`DIRECTORY` for temporary files; without it that of the system")
	f.StringVar(&w.memory, "memory", "192MiB",
		"`SIZE` of profiles to keep in memory, as 512MiB; more go to a temporary file")
	w.addStoreFlags(cmd)
}

func (w *worker) addStoreFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	durations.AddFlag(f, &w.patience, "patience", time.Minute,
		"`TIME` that a store may take for an answer, and for each MiB")
	f.BoolVar(&w.json, "json", false, "report in JSON")
}

// newStores returns new stores, which the caller must close.
func (w *worker) newStores() *blobs.Stores { return &blobs.Stores{Patience: w.patience} }

// withPlan reads the plan and calls do with open stores and with the location of temporary files.
func (w *worker) withPlan(ctx context.Context, do func(s *blobs.Stores, p *mergejob.Plan,
	at mergejob.Place) error) error {
	memory, err := cli.ParseSizeFlag("--memory", w.memory)
	if err != nil {
		return err
	}
	stores := w.newStores()
	defer stores.Close()
	p, err := w.readPlan(ctx, stores)
	if err != nil {
		return err
	}
	return do(stores, p, mergejob.Place{Folder: w.folder, Memory: memory})
}

func (w *worker) readPlan(ctx context.Context, s *blobs.Stores) (*mergejob.Plan, error) {
	l, err := blobs.Parse(w.plan)
	if err != nil {
		return nil, cli.Usagef("--plan %s: %v", w.plan, err)
	}
	text, err := s.Read(ctx, l, maxPlan)
	if err != nil {
		return nil, err
	}
	return mergejob.Decode(l.String(), text)
}

// indexVariables are the variables in which schedulers pass the number of a task.
var indexVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"}

// A task is one of n workers. It merges the parts k, k+n, k+2n, and so on.
type task struct{ k, n int }

// taskOf returns the task of the argument K/N or of the scheduler. If tasks is 0, there is a task for each part.
func taskOf(args []string, tasks, parts int) (t task, err error) {
	t.n = tasks
	if t.n == 0 {
		t.n = parts
	}
	if len(args) == 0 {
		for _, name := range indexVariables {
			if text := os.Getenv(name); text != "" {
				t.k, err = strconv.Atoi(text)
				if err != nil {
					return t, cli.Usagef("%s is %q: it is the number of a task", name, text)
				}
				return t, t.checkRange()
			}
		}
		return t, cli.Usagef("name the task as K/N, from 0/N to N-1/N: no scheduler set %s",
			strings.Join(indexVariables, " or "))
	}
	k, n, ok := strings.Cut(args[0], "/")
	var err1, err2 error
	t.k, err1 = strconv.Atoi(k)
	if ok {
		t.n, err2 = strconv.Atoi(n)
	}
	if err1 != nil || err2 != nil || ok && tasks != 0 && tasks != t.n {
		return t, cli.Usagef("%s: name the task as K/N, as 0/16", args[0])
	}
	return t, t.checkRange()
}

func (t task) checkRange() error {
	if t.n < 1 || t.k < 0 || t.k >= t.n {
		return cli.Usagef("there is no task %d of %d: the first is 0", t.k, t.n)
	}
	return nil
}
