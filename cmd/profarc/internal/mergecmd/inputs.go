package mergecmd

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
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

// A mergePlan has the archives to merge, and those to leave out.
type mergePlan struct {
	inputs     []mergeInput
	superseded []supersededInput
	expected   ledger.Expectation
	bad        []badInput
	foreign    []badInput // files of folders that are no archives
}

// A badInput is an archive that cannot be merged.
type badInput struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	err    error
}

func (p *mergePlan) addBad(path string, err error) {
	p.bad = append(p.bad, badInput{path, app.Message(err), err})
}

// refused returns an error with all bad archives, unless they may be left out.
func (p *mergePlan) refused(o *mergeOptions) error {
	all := ledger.BadInputs(lists.Map(p.bad, func(b badInput) error { return b.err }))
	switch {
	case len(all) > 0 && (len(p.inputs) == 0 || !o.failure.SkipsBad()):
		return all
	case !o.failure.SkipsBad():
		return p.expected.Refused()
	}
	return nil
}

// addToAccount adds the archives that were left out or are missing to the account of the result.
func (p *mergePlan) addToAccount(b *profileset.Set) {
	merging.NoteOperation(b)
	for i := range p.bad {
		bad := &p.bad[i]
		b.AddInput(ledger.LeftOut(bad.Path, bad.err, errors.Is(bad.err, merge.ErrCounted)))
	}
	for _, in := range p.expected.MissingInputs() {
		b.AddInput(in)
	}
}

// planMerge parses the arguments and reads the archives' headers.
func planMerge(ctx context.Context, a *cli.App, args []string, o *mergeOptions) (p *mergePlan, err error) {
	p = &mergePlan{}
	names, err := o.failure.ReadNames(a)
	if err != nil {
		return nil, err
	}
	var all []mergeInput
	var contents []merging.Contents
	var given []string
	files, err := o.files.Expand(a, args, &o.failure)
	if err == nil && len(files) == 0 {
		err = cli.Usagef("merge: 0 arguments, want the archives to merge")
	}
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if file.Folder != "" && !strings.HasSuffix(file.Name, cli.ArchiveExtension) {
			p.foreign = append(p.foreign, badInput{Path: file.Name, Reason: file.Name + ": its name does not end in " +
				cli.ArchiveExtension})
			continue
		}
		in, err := parseMergeInput(file.Name)
		if err == nil {
			err = cli.CheckArchiveName(o.out, in.Path)
		}
		if err != nil {
			return nil, err
		}
		given = append(given, in.Path)
		of, err := in.readHeader(ctx, a)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			p.addBad(in.Path, err)
		default:
			all = append(all, in)
			contents = append(contents, of)
		}
	}
	if len(given) == 0 {
		return nil, fmt.Errorf("%s: no archive is in it: make them with profarc import", files[0].Folder)
	}
	p.expected = ledger.Expect(given, o.failure.Expect, names)
	return p, p.selectMergeable(all, contents)
}

// readHeader reads the header and the contents of an archive.
func (in *mergeInput) readHeader(ctx context.Context, a *cli.App) (of merging.Contents, err error) {
	err = a.WithArchive(ctx, in.Path, func(s *reader.Store) (err error) {
		in.header = *s.Header()
		if disk.CheckFinal(s.Header()) != nil {
			in.Draft = disk.VersionString(s.Header().Version)
		}
		of, err = merging.ContentsOf(s)
		return err
	})
	return of, err
}

// selectMergeable separates superseded archives, and those that do not go together with the others.
func (p *mergePlan) selectMergeable(all []mergeInput, contents []merging.Contents) error {
	by, err := merging.Superseded(contents)
	if err != nil || len(all) == 0 {
		return err
	}
	probe := builder.New(all[0].header.Domain, builder.Config{Params: all[0].header.Params})
	errs := merging.NoteAll(probe.Internal(), contents, by)
	for i, other := range by {
		switch {
		case other >= 0:
			p.superseded = append(p.superseded, supersededInput{all[i].Path, all[other].Path})
		case errs[i] != nil:
			p.addBad(all[i].Path, errs[i])
		default:
			p.inputs = append(p.inputs, all[i])
		}
	}
	return nil
}

// setWeights computes the weights of the archives.
func setWeights(inputs []mergeInput, o *mergeOptions) error {
	if o.normalize {
		equalizeWeights(inputs)
	}
	if o.halfLife != "" {
		if err := applyHalfLife(inputs, o.halfLife); err != nil {
			return err
		}
	}
	for i := range inputs {
		in := &inputs[i]
		in.Weight = in.weight.String()
		if in.weight != layout.WeightOne && in.header.Flags&disk.FlagMerged != 0 {
			return cli.Usagef("%s was merged before: weights, --half-life and --normalize apply once, to single dumps: name the "+
				"archives that it was made from", in.Path)
		}
	}
	return nil
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
	half, err := cli.ParseAge("--half-life", text)
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
	err = a.WithArchive(ctx, in.Path, func(s *reader.Store) error {
		_, err := merge.Snapshot(ctx, b, s, merge.Trained)
		return err
	})
	return b, err
}

// mergeSound merges the archives of the plan. Those that turn out to be damaged are added to the bad ones. If they may
// be left out, the others are merged again.
func (p *mergePlan) mergeSound(ctx context.Context, a *cli.App, o *mergeOptions) (*builder.Builder, error) {
	for {
		if err := p.refused(o); err != nil {
			return nil, err
		}
		b, errs := mergeAll(ctx, a, p.inputs, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var sound []mergeInput
		for i, err := range errs {
			if err != nil {
				p.addBad(p.inputs[i].Path, err)
			} else {
				sound = append(sound, p.inputs[i])
			}
		}
		if len(sound) == len(p.inputs) {
			return b, nil
		}
		p.inputs = sound
	}
}

// mergeAll merges the archives, o.jobs at a time. It returns an error, or nil, for each.
func mergeAll(ctx context.Context, a *cli.App, inputs []mergeInput, o *mergeOptions) (b *builder.Builder,
	errs []error) {
	first := inputs[0].header
	errs = make([]error, len(inputs))
	if len(inputs) == 1 && inputs[0].Draft != "" && inputs[0].weight == layout.WeightOne && !o.asLLVM {
		b, errs[0] = convertDraft(ctx, a, inputs[0])
		return b, errs
	}
	writing := a.Meter("writing " + o.out)
	defer writing.Done()
	b = builder.New(first.Domain, builder.Config{Params: first.Params, Progress: writing.Report,
		SpillFolder: filepath.Dir(o.out)})
	reading := a.Meter("merging")
	total := int64(0)
	done := atomic.Int64{}
	defer reading.Done()
	for _, in := range inputs {
		total += in.header.FileSize
	}
	jobs := errgroup.Group{}
	jobs.SetLimit(max(o.jobs, 1))
	if o.asLLVM {
		jobs.SetLimit(1) // the result depends on the order
	}
	for i, in := range inputs {
		jobs.Go(func() error {
			errs[i] = ctx.Err()
			if errs[i] == nil {
				errs[i] = a.WithArchive(ctx, in.Path, func(s *reader.Store) error {
					return merge.Into(ctx, b, s, merge.Run{Weight: in.weight, AsLLVM: o.asLLVM})
				})
			}
			reading.Report(done.Add(in.header.FileSize), total)
			return nil
		})
	}
	_ = jobs.Wait()
	return b, errs
}
