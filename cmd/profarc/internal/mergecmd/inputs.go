package mergecmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

type mergeInput struct {
	Path   string `json:"path"`
	Weight string `json:"weight"`
	Draft  string `json:"converted_from,omitempty"` // draft of the format, if it is one

	weight layout.Weight
	header layout.Header
}

// A supersededInput is an archive left out because By has a later dump of the same process.
type supersededInput struct {
	Path string `json:"path"`
	By   string `json:"by"`
}

// mergeInputs parses the arguments, reads the archives' headers, and computes their weights.
func mergeInputs(ctx context.Context, a *cli.App, args []string, o mergeOptions) ([]mergeInput,
	[]supersededInput, error) {
	inputs, superseded, err := readMergeInputs(ctx, a, args, o)
	if err != nil {
		return nil, nil, err
	}
	if o.normalize {
		equalizeWeights(inputs)
	}
	if o.halfLife != "" {
		if err := applyHalfLife(inputs, o.halfLife); err != nil {
			return nil, nil, err
		}
	}
	for i := range inputs {
		in := &inputs[i]
		in.Weight = in.weight.String()
		if in.weight != layout.WeightOne && in.header.Flags&disk.FlagMerged != 0 {
			return nil, nil,
				cli.Usagef("%s was merged before: weights, --half-life and --normalize apply once, to single dumps: name the "+
					"archives that it was made from", in.Path)
		}
	}
	return inputs, superseded, nil
}

// readMergeInputs reads the headers, and separates superseded archives.
func readMergeInputs(ctx context.Context, a *cli.App, args []string, o mergeOptions) (inputs []mergeInput,
	superseded []supersededInput, err error) {
	all := make([]mergeInput, len(args))
	contents := make([]merging.Contents, len(args))
	for i, arg := range args {
		all[i], err = parseMergeInput(arg)
		if err != nil {
			return nil, nil, err
		}
		if err := cli.CheckArchiveName(o.out, all[i].Path); err != nil {
			return nil, nil, err
		}
		err := a.WithStore(ctx, all[i].Path, func(s *reader.Store) (err error) {
			all[i].header = *s.Header()
			if disk.CheckFinal(s.Header()) != nil {
				all[i].Draft = disk.VersionString(s.Header().Version)
			}
			contents[i], err = merging.ContentsOf(s)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	by, err := merging.Superseded(contents)
	for i, other := range by {
		if other < 0 {
			inputs = append(inputs, all[i])
		} else {
			superseded = append(superseded, supersededInput{all[i].Path, all[other].Path})
		}
	}
	return inputs, superseded, err
}

// parseMergeInput parses PATH or PATH:WEIGHT. If a file with the name arg exists, arg is its path.
func parseMergeInput(arg string) (mergeInput, error) {
	in := mergeInput{Path: arg, weight: layout.WeightOne}
	at := strings.LastIndexByte(arg, ':')
	if _, err := os.Stat(arg); err == nil || at < 0 || !strings.HasSuffix(arg[:at], cli.ArchiveExtension) {
		return in, nil
	}
	w, err := merging.ParseWeight(arg[at+1:])
	if err != nil {
		return in, cli.Usagef("%s: %v", arg, err)
	}
	in.Path = arg[:at]
	in.weight = w
	return in, nil
}

// equalizeWeights sets the weights so that every run contributes the same total.
func equalizeWeights(inputs []mergeInput) {
	totals := make([]uint64, len(inputs))
	for i, in := range inputs {
		totals[i] = in.header.Summary.TotalCount
		if totals[i] == 0 {
			totals[i] = in.header.Summary.TotalInvocations
		}
	}
	for i, w := range merging.Equalize(totals) {
		inputs[i].weight = disk.MultiplyWeights(inputs[i].weight, w)
	}
}

// applyHalfLife halves the weight of a dump for each half-life before the newest dump.
func applyHalfLife(inputs []mergeInput, text string) error {
	half, err := app.ParseAge("--half-life", text)
	if err != nil {
		return err
	}
	if err := checkDated(inputs, "--half-life"); err != nil {
		return err
	}
	newest := time.Time{}
	for _, in := range inputs {
		if t := in.header.Time(); t.After(newest) {
			newest = t
		}
	}
	for i := range inputs {
		inputs[i].weight = disk.MultiplyWeights(inputs[i].weight, merging.HalfLife(newest.Sub(inputs[i].header.Time()), half))
	}
	return nil
}

// checkDated returns an error if an archive does not record its dump time.
func checkDated(inputs []mergeInput, flag string) error {
	for _, in := range inputs {
		if in.header.Time().IsZero() {
			return cli.Usagef("%s: %s does not say when it was dumped: import it with --time", flag, in.Path)
		}
	}
	return nil
}

// convertDraft copies an archive of a draft, including data that a merge would drop.
func convertDraft(ctx context.Context, a *cli.App, in mergeInput) (b *builder.Builder, err error) {
	b = builder.New(in.header.Domain, builder.ConfigOf(&in.header))
	err = a.WithStore(ctx, in.Path, func(s *reader.Store) error {
		_, err := merge.Snapshot(ctx, b, s, merge.Trained)
		return err
	})
	return b, err
}

// mergeAll merges the archives, o.jobs at a time.
func mergeAll(ctx context.Context, a *cli.App, inputs []mergeInput, o mergeOptions) (*builder.Builder, error) {
	first := inputs[0].header
	if len(inputs) == 1 && inputs[0].Draft != "" && inputs[0].weight == layout.WeightOne && !o.asLLVM {
		return convertDraft(ctx, a, inputs[0])
	}
	writing := a.Meter("writing " + o.out)
	defer writing.Done()
	b := builder.New(first.Domain, builder.Config{Params: first.Params, Progress: writing.Report,
		SpillFolder: filepath.Dir(o.out)})
	reading := a.Meter("merging")
	total := int64(0)
	done := atomic.Int64{}
	defer reading.Done()
	for _, in := range inputs {
		total += in.header.FileSize
	}
	jobs, ctx := errgroup.WithContext(ctx)
	jobs.SetLimit(max(o.jobs, 1))
	if o.asLLVM {
		jobs.SetLimit(1) // the result depends on the order
	}
	for _, in := range inputs {
		jobs.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := a.WithStore(ctx, in.Path, func(s *reader.Store) error {
				return merge.Into(ctx, b, s, merge.Run{Weight: in.weight, AsLLVM: o.asLLVM})
			})
			reading.Report(done.Add(in.header.FileSize), total)
			return err
		})
	}
	return b, jobs.Wait()
}
