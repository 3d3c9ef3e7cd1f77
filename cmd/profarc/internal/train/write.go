package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/cmd/profarc/internal/runfiles"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/system/compartment"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

func checkTrainOutput(ctx context.Context, command string, o trainOptions) error {
	if err := cli.CheckArchiveName(o.out, command); err != nil {
		return err
	}
	if err := runfiles.CheckName(o.out); err != nil {
		return cli.Usagef("-o %s: %w", o.out, err)
	}
	if o.require < 0 {
		return cli.Usagef("--require %d: an archive has 0 methods or more", o.require)
	}
	if o.report == "" {
		return dump.CheckWritable(ctx, o.out)
	}
	switch {
	case o.report == "-":
		return cli.Usagef("--report -: the standard output is the command's own: name a file")
	case filepath.Ext(o.report) == cli.ArchiveExtension:
		return cli.Usagef("--report %s: that is the name of an archive, and a report is JSON: name another file", o.report)
	case cli.CheckOutput(o.report, o.out) != nil:
		return cli.Usagef("--report %s is the archive: name another file", o.report)
	}
	return errors.Join(dump.CheckWritable(ctx, o.out), checkReportPath(ctx, o.report))
}

func checkReportPath(ctx context.Context, path string) error {
	if cli.IsStream(path) {
		return publish.CheckStream(path)
	}
	return dump.CheckWritable(ctx, path)
}

// leftovers returns files with names of this run's archives that it did not write.
func (t *trainingRun) leftovers() []string {
	outputs := lists.Map(t.outputs, func(out *namedOutput) string { return out.name })
	written := lists.Map(t.archives, func(a trainedArchive) string { return a.Archive })
	return runfiles.FindLeftovers(t.o.out, outputs, written)
}

type trainedArchive struct {
	Archive  string `json:"archive"`
	Profiles uint64 `json:"profiles"`
	Bytes    int64  `json:"bytes"`
	JVMs     int    `json:"jvms"`
	Apart    string `json:"apart,omitempty"` // reason for not being merged into the first archive
}

type pendingArchive struct {
	read     func() (*builder.Builder, error) // reads the profiles of a single JVM
	profiles *builder.Builder
	jvms     []*trainedJVM   // JVMs with these profiles
	spool    *runfiles.Spool // nil until the archive is laid out
	apart    string
}

func (u *pendingArchive) methodCount() int {
	if len(u.jvms) == 1 {
		return u.jvms[0].Methods
	}
	return int(u.spool.Report.Counts.Profiles)
}

type namedOutput struct {
	name  string
	parts []*pendingArchive
}

// gatherJVMs receives the copied JVMs in the order in which they ended.
func (t *trainingRun) gatherJVMs() {
	defer close(t.done)
	for u := range t.queue {
		if !t.readCopy(&u) {
			continue
		}
		jvm := u.jvms[0]
		out := t.outputNamed(runfiles.ExpandName(t.o.out,
			runfiles.Run{Main: jvm.Main, PID: jvm.PID, Number: jvm.Number}))
		err := runIsolated("laid out the profiles of a JVM", func() (err error) {
			if t.o.merge {
				out.parts, err = addToGroups(out.parts, u)
				return err
			}
			err = t.spoolArchive(&u, out.name)
			if err == nil {
				out.parts = append(out.parts, &u)
			}
			return err
		})
		if err != nil {
			t.markLost(&u, err)
		}
	}
}

func (t *trainingRun) readCopy(u *pendingArchive) bool {
	jvm := u.jvms[0]
	err := runIsolated(fmt.Sprintf("read JVM %d", jvm.PID), func() (err error) {
		u.profiles, err = u.read()
		u.read = nil // lets the copy be freed
		return err
	})
	if err != nil {
		jvm.Why = unreadable(err, jvm.Running)
	}
	return jvm.Why == ""
}

func (t *trainingRun) outputNamed(name string) *namedOutput {
	for _, out := range t.outputs {
		if out.name == name {
			return out
		}
	}
	out := &namedOutput{name: name}
	t.outputs = append(t.outputs, out)
	return out
}

// spoolArchive lays the archive out, so that the profiles can be freed.
func (t *trainingRun) spoolArchive(u *pendingArchive, name string) (err error) {
	if err := t.o.openBase.dropShared(t.ctx, u, name); err != nil {
		return err
	}
	u.spool, err = runfiles.NewSpool(u.profiles, filepath.Dir(name))
	u.profiles = nil
	return err
}

func (t *trainingRun) publishOutputs(refused string) {
	for _, out := range t.outputs {
		parts := out.parts
		number := 1 // number of the next archive; 0 for an unnumbered name
		if t.o.merge && len(parts) > 0 {
			parts = t.spoolGroups(out)
		}
		if len(parts) == 1 || t.o.merge {
			number = 0
		}
		for _, u := range parts {
			path := out.name
			if number > 0 {
				path = runfiles.NumberedName(out.name, number)
			}
			t.publishArchive(u, path, refused)
			number++
		}
	}
}

func (t *trainingRun) spoolGroups(out *namedOutput) (parts []*pendingArchive) {
	first, others := splitGroups(out.parts)
	for _, u := range append([]*pendingArchive{first}, others...) {
		if err := runIsolated("laid out merged profiles", func() error { return t.spoolArchive(u, out.name) }); err != nil {
			t.markLost(u, err)
			continue
		}
		parts = append(parts, u)
	}
	return parts
}

func addToGroups(groups []*pendingArchive, u pendingArchive) ([]*pendingArchive, error) {
	for _, g := range groups {
		if err := g.mergeProfiles(u); !errors.Is(err, builder.ErrMismatch) {
			return groups, err
		}
	}
	g := &pendingArchive{}
	if err := g.mergeProfiles(u); err != nil {
		return groups, err
	}
	return append(groups, g), nil
}

// mergeProfiles adds the profiles of more. If they are incompatible, nothing changes.
func (u *pendingArchive) mergeProfiles(more pendingArchive) error {
	s, err := more.profiles.Open("the JVM's profiles")
	if err != nil {
		return err
	}
	defer s.Close()
	all := u.profiles
	if all == nil {
		all = builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
	}
	if err := merge.Into(context.Background(), all, s, merge.Run{}); err != nil {
		return err
	}
	u.profiles, u.jvms = all, append(u.jvms, more.jvms...)
	return nil
}

// splitGroups separates the largest group, the first if several are equal, from the others. It records why these are
// incompatible.
func splitGroups(groups []*pendingArchive) (largest *pendingArchive, others []*pendingArchive) {
	largest = groups[0]
	for _, g := range groups {
		if len(g.jvms) > len(largest.jvms) {
			largest = g
		}
	}
	for _, g := range groups {
		if g == largest {
			continue
		}
		if err := runIsolated("compared the profiles of JVMs",
			func() error { return largest.mergeProfiles(*g) }); err != nil {
			g.apart = app.Message(err)
			others = append(others, g)
		}
	}
	return largest, others
}

// runIsolated runs work on one JVM. A panic in it must not end the work on other JVMs, or change the command's exit
// code.
func runIsolated(doing string, work func() error) error {
	return compartment.Run(func() string { return doing }, work)
}

func (t *trainingRun) publishArchive(u *pendingArchive, path, refused string) {
	defer u.spool.Close()
	if n := u.methodCount(); refused == "" && n < t.o.require {
		t.short = true
		refused = fmt.Sprintf("it has %s with profiles, and --require asks for %d: let the program run longer",
			cli.Amount(n, "method"), t.o.require)
	}
	if refused != "" {
		for _, jvm := range u.jvms {
			jvm.Why = refused
		}
		return
	}
	err := runIsolated("wrote "+path, func() error { return u.spool.Publish(t.ctx, path) })
	if err != nil {
		t.markLost(u, err)
		return
	}
	r := u.spool.Report
	for _, jvm := range u.jvms {
		jvm.Archive = path
		jvm.Bytes = r.Bytes
		jvm.Apart = u.apart
	}
	t.archives = append(t.archives, trainedArchive{path, r.Counts.Profiles, r.Bytes, len(u.jvms), u.apart})
}

func (t *trainingRun) markLost(u *pendingArchive, err error) {
	t.lost = true
	for _, jvm := range u.jvms {
		jvm.Why = app.Message(err)
	}
}

type baseOptions struct {
	path      string
	mayDiffer string
}

func (o *baseOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.path, "base", "",
		"base of the new archive, which becomes a layer: methods that the base has too are left out")
	f.StringVar(&o.mayDiffer, "may-differ", "",
		"with --base: share of its counts by which a method may differ and be left out, as 5%")
}

type baseArchive struct {
	*reader.Store
	mayDiffer layout.Weight
}

// openBase opens the base before the command runs, so that a damaged base costs no training run.
func openBase(a *cli.App, o *baseOptions, out string) (*baseArchive, error) {
	mayDiffer, err := app.ParseShare("--may-differ", o.mayDiffer)
	switch {
	case err != nil:
		return nil, err
	case o.path == "" && o.mayDiffer != "":
		return nil, cli.Usagef("--may-differ says when a method is left to a base: name it with --base")
	case o.path == "":
		return nil, nil
	case cli.CheckOutput(out, o.path) != nil:
		return nil, cli.Usagef("-o %s is the base: name another file", out)
	}
	s, err := a.OpenArchive(o.path)
	if err != nil {
		return nil, err
	}
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		s.Close()
		return nil, fmt.Errorf("--base %s: it has profiles of another VM (%v)", o.path, d)
	}
	return &baseArchive{s, mayDiffer}, nil
}

func (b *baseArchive) closeBase() {
	if b != nil {
		b.Close()
	}
}

func (b *baseArchive) dropShared(ctx context.Context, u *pendingArchive, name string) error {
	if b == nil {
		return nil
	}
	s, err := u.profiles.Open("the JVM's profiles")
	if err != nil {
		return err
	}
	defer s.Close()
	layer, kept, err := reduce.Archive(ctx, s, reduce.Options{Base: b.Store, MayDiffer: b.mayDiffer,
		Config: builder.Config{SpillFolder: filepath.Dir(name)}})
	if err != nil {
		return err
	}
	u.profiles = layer
	for _, jvm := range u.jvms {
		jvm.LeftToBase = kept.LeftToBase
	}
	return nil
}
