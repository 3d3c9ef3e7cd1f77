package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/inventory"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/names/origins"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/names/scopes"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const listSeparator = string(filepath.ListSeparator)

// A Program is the code that --against names.
type Program struct {
	fit.Code
	Name  string // for people
	Close func()
	// profiles are those by which the code is known; nil for class files and JVMs.
	profiles *reader.Store
	// related returns, after a check, an error if it is not the code of the same program. It may be nil.
	related func() error
	// loaders returns the class loaders of the code; nil if they are unknown.
	loaders func() ([]string, error)
	// missing lists the missing elements of a class path. origin is the recorded class path, or nil if --against names it.
	missing []string
	// stripped is set for a program of LLVM that does not say which instrumentation it has.
	stripped bool
	origin   *report.CheckOrigin
}

// OpenProgram opens the code that --against names. Several names form one class path. Without names it opens the class
// path that the archive records; if there is no such path, the error matches ErrNotRecorded.
func OpenProgram(ctx context.Context, a *cli.App, names []string, s *reader.Store) (Program, error) {
	switch len(names) {
	case 0:
		return recordedCode(ctx, s)
	case 1:
		return openNamedCode(ctx, a, names[0], s)
	}
	if s.Header().Domain.LLVM() {
		return openInstrumented(names, s.Header().Domain)
	}
	var paths []string
	for _, name := range names {
		kind, err := codeKind(name)
		if err == nil && kind != kindClasses || strings.HasPrefix(name, processPrefix) {
			return Program{}, cli.Usagef("--against %s: only parts of a class path can be named beside others", name)
		}
		paths = append(paths, classfile.SplitPath(name)...) // missing files are left out
	}
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		return Program{}, wrongCode(strings.Join(names, listSeparator), "a class path", d)
	}
	return openClasses(paths, s.Header())
}

// processPrefix marks a process id in --against.
const processPrefix = "pid:"

// wrongCode returns the error for code of a kind that profiles of a domain are not checked against.
func wrongCode(name, kind string, d layout.Domain) error {
	return fmt.Errorf("%s is %s, and the archive has profiles of domain %s: %s", name, kind, d, report.AdviceToNameCode(d))
}

func openNamedCode(ctx context.Context, a *cli.App, name string, s *reader.Store) (Program, error) {
	d := s.Header().Domain
	if pid, ok := strings.CutPrefix(name, processPrefix); ok {
		return openProcessCode(ctx, pid, d)
	}
	kind, err := codeKind(name)
	if err != nil {
		return Program{}, err
	}
	switch {
	case kind == kindClasses && (d == layout.DomainHotSpot || d == layout.DomainGraal):
		return openClasses(classfile.SplitPath(name), s.Header())
	case kind == kindClasses && d == layout.DomainSampled:
		build, err := source.OpenBuild(ctx, name)
		return Program{Code: build, Name: name, Close: func() {}}, err
	case kind == kindClasses:
		return Program{}, wrongCode(name, "a class path", d)
	case d == layout.DomainSampled && source.IsBinary(name):
		binary, err := source.OpenBinary(name)
		return Program{Code: binary, Name: name, Close: func() {}}, err
	}
	if kind == kindProgram && d == layout.DomainSampled {
		return openSampledProgram(name, s)
	}
	if kind == kindProgram && d.LLVM() {
		return openInstrumented([]string{name}, d)
	}
	code, err := openProfiles(ctx, a, name, d)
	switch {
	case errors.Is(err, layout.ErrFormat) && kind == kindProfiles && filepath.Ext(name) != cli.ArchiveExtension:
		return code, wrongCode(name, "neither a program nor profiles", d)
	case err == nil || kind != kindProgram || ctx.Err() != nil:
		return code, err
	}
	return code, wrongCode(name, "a program of machine code", d)
}

// openSampledProgram opens a program of clang or Rust for LLVM's sample profiles. It reads the pseudo probes of the
// program if the profiles count them, and else its lines.
func openSampledProgram(name string, s *reader.Store) (Program, error) {
	locations, err := sample.ReadLocations(s)
	if err != nil {
		return Program{}, err
	}
	if locations != nil && !locations.Probes {
		native, err := source.OpenNative(name)
		return Program{Code: native, Name: name, Close: func() {}}, err
	}
	probes, err := sample.OpenProgram(name)
	if err != nil && !errors.Is(err, sample.ErrNoProbes) {
		return Program{}, wrongCode(name, "a program that go build did not write", s.Header().Domain)
	}
	return Program{Code: probes, Name: name, Close: func() {}}, err
}

// Kinds of files that --against may name.
const (
	kindClasses = iota
	kindProfiles
	kindProgram
)

// codeKind returns the kind of code at a path. Any file that is no archive, directory or jar can be the profiles of
// another tool.
func codeKind(name string) (int, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil && (strings.Contains(name, listSeparator) || filepath.Base(name) == "*"):
		return kindClasses, nil
	case err != nil:
		return 0, err
	case info.IsDir() || filepath.Base(name) == "modules":
		return kindClasses, nil
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s: it is a device or a pipe: name a file or a folder", name)
	}
	head, err := readMagic(name)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case err != nil:
		return 0, err
	case ext == ".class":
		return 0, fmt.Errorf("%s: it is one class: name the folder of class files that it is in", name)
	case ext == ".jar", ext == ".war", ext == ".jmod", bytes.HasPrefix(head, []byte("PK\x03\x04")),
		bytes.HasPrefix(head, []byte("JM\x01\x00")):
		return kindClasses, nil
	case inventory.IsProgram(name, head):
		return kindProgram, nil
	}
	return kindProfiles, nil
}

// readMagic returns the first bytes of a file, at most as many as an archive's magic number has.
func readMagic(name string) ([]byte, error) {
	f, err := cli.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(schema.MagicSize)))
}

func openClasses(paths []string, of *layout.Header) (Program, error) {
	c, err := program.OpenClassPath(paths, int(of.Params.VMRelease))
	if err != nil {
		return Program{}, err
	}
	code := Program{Code: c, Name: strings.Join(paths, listSeparator), Close: c.Close, related: c.CheckRelated,
		missing: c.Missing()}
	if of.Domain == layout.DomainGraal {
		code.Code = program.GraalClassPath{ClassPath: c}
	}
	return code, nil
}

func openProcessCode(ctx context.Context, pid string, d layout.Domain) (Program, error) {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 {
		return Program{}, cli.Usagef("--against pid:%s: give the number of a process", pid)
	}
	if d != layout.DomainHotSpot {
		return Program{}, wrongCode("process "+pid, "a JVM", d)
	}
	p, err := program.ReadProcess(ctx, n)
	if err != nil {
		return Program{}, err
	}
	return Program{Code: p, Name: "process " + pid, Close: func() {}, loaders: p.Loaders}, nil
}

func archivedCode(name string, s *reader.Store, d layout.Domain) (Program, error) {
	if other := s.Header().Domain; other != d {
		_ = s.Close()
		return Program{}, fmt.Errorf("%s is of domain %s, the archive to check of %s: name an archive of that domain",
			name, other, d)
	}
	return Program{
		Code: fit.Archived(s), Name: name, profiles: s, Close: func() { _ = s.Close() },
		loaders: func() ([]string, error) { return loaders.ListIdentities(s) },
	}, nil
}

// openProfiles opens an archive, or profiles of another tool.
func openProfiles(ctx context.Context, a *cli.App, name string, d layout.Domain) (Program, error) {
	silent := *a // losses do not matter in profiles that stand for code
	silent.ErrOut = io.Discard
	s, err := silent.OpenStore(ctx, name)
	if err != nil {
		return Program{}, err
	}
	cli.CloseOnInterrupt(ctx, s)
	code, err := archivedCode(name, s, d)
	if err == nil && hasWholeProgram(name, s) {
		code.Code = fit.Whole(s)
	}
	return code, err
}

// CheckFit checks all profiles of an archive, and lists at most misfits misfits. It fails if nothing could be checked,
// or if the code belongs to another program.
func (p *Program) CheckFit(ctx context.Context, s *reader.Store, misfits int) (*report.Check, error) {
	o := checkOptions{confidence: fit.DefaultConfidence, renames: true, top: misfits}
	r := p.newReport(s)
	options := o.fitOptions(s)
	all := 0.0
	last := layout.Ref(0)
	options.Each = func(v *fit.Verdict) error {
		all += v.Weight
		if v.Weight == 0 || v.State == fit.Unchecked || v.State == fit.Gone || !p.isOwn(v.Method) {
			return nil
		}
		r.OwnShare += v.Weight
		if v.Method.Ref() != last {
			r.OwnMethods++
		}
		last = v.Method.Ref()
		return nil
	}
	found, err := fit.Check(ctx, s, p.Code, options)
	r.OwnShare /= max(all, 1)
	if err == nil {
		err = o.refuseUnrelated(r, found, *p)
	}
	if err != nil {
		return nil, err
	}
	return r, r.SetResult(s, found, cli.DefaultKept, cli.DefaultChecked)
}

// isOwn reports whether a method belongs to the program itself, and not to the JDK that was named with it, to Go's
// runtime or to a library in Go.
func (p *Program) isOwn(m reader.Method) bool {
	k, err := m.Key()
	if path, ok := p.Code.(*program.ClassPath); ok {
		return err == nil && path.IsOwn(k)
	}
	if d := m.Store().Header().Domain; d == layout.DomainSampled {
		in, _ := scopes.Split(d, k.Name)
		return err == nil && origins.Of(d, in) == origins.Own
	}
	return true
}

// LacksMethod reports whether the program certainly has no such method.
func (p *Program) LacksMethod(k layout.Key) bool {
	a, err := p.Method(k)
	return err == nil && (a.Presence == methodcode.NoMethod || a.Presence == methodcode.NoClass)
}

// ErrNotRecorded is returned if no program is given, and the archive records no class path that can be opened.
var ErrNotRecorded = errors.New("no program is given")

// ErrNotHere is an ErrNotRecorded about a program that could be checked, and is not here or not named.
var ErrNotHere = fmt.Errorf("%w", ErrNotRecorded)

// recordedCode opens the files that still exist of the class path of the archive's last run. It adds a JDK of the
// recorded build.
func recordedCode(ctx context.Context, s *reader.Store) (Program, error) {
	if s.Header().Domain != layout.DomainHotSpot {
		err := ErrNotRecorded
		if isOfGo(s) {
			err = ErrNotHere
		}
		return Program{}, fmt.Errorf("%w: %s", err, report.AdviceToNameCode(s.Header().Domain))
	}
	run, err := lastDescribed(s)
	if err != nil {
		return Program{}, err
	}
	var paths, missing []string
	origin := &report.CheckOrigin{Elements: []report.CheckElement{}}
	for _, e := range run.ClassPath {
		state := elementState(ctx, e)
		origin.Elements = append(origin.Elements, report.CheckElement{Path: e.Path, State: state})
		if state == report.ElementSame || state == report.ElementChanged {
			paths = append(paths, e.Path)
		} else {
			missing = append(missing, e.Path)
		}
	}
	switch {
	case ctx.Err() != nil:
		return Program{}, ctx.Err()
	case len(run.ClassPath) == 0:
		return Program{}, fmt.Errorf("%w, and %s does not record a class path: %s", ErrNotRecorded, s.Mapping().Name(),
			report.AdviceToNameCode(layout.DomainHotSpot))
	case len(paths) == 0:
		return Program{}, fmt.Errorf("%w, and nothing of the class path that %s records is here: %s", ErrNotHere,
			s.Mapping().Name(), report.AdviceToNameCode(layout.DomainHotSpot))
	}
	origin.VM, origin.JDK = findJDKOf(run)
	if origin.JDK != "" {
		paths = append(paths, origin.JDK)
	}
	c, err := openClasses(append(paths, missing...), s.Header())
	c.Name, c.origin, c.missing = "the class path that it records", origin, nil
	return c, err
}

// isOfGo reports whether an archive has the start lines of functions, which only profiles of Go have.
func isOfGo(s *reader.Store) bool {
	t, err := s.TableOrEmpty(schema.TableFunctions)
	if err != nil || s.Header().Domain != layout.DomainSampled {
		return false
	}
	for row := range t.Rows {
		if t.Cell(3, row) != 0 {
			return true
		}
	}
	return false
}

// findJDKOf returns the version of a run's JDK, and the home of a JDK of this version or "".
func findJDKOf(run layout.Provenance) (version, home string) {
	version = jdk.VersionOfVM(run.VM)
	java, _, _ := strings.Cut(run.Command, " ")
	if !filepath.IsAbs(java) {
		java = ""
	}
	return version, jdk.FindHome(version, java)
}

// AddRecordedJDK adds a JDK of the recorded build to a class path without a JDK, if this machine has one.
func AddRecordedJDK(s *reader.Store, classPath []string) ([]string, error) {
	run, err := lastDescribed(s)
	if err != nil || len(classPath) == 0 || program.HasJDK(classPath) {
		return classPath, err
	}
	if _, home := findJDKOf(run); home != "" {
		classPath = append(classPath, home)
	}
	return classPath, nil
}

// lastDescribed returns the last run with a known class path, or the zero value.
func lastDescribed(s *reader.Store) (last layout.Provenance, err error) {
	runs, err := s.Runs()
	for _, r := range runs { // sorted by time
		if r.ClassPath != nil {
			last = r
		}
	}
	return last, err
}

func elementState(ctx context.Context, e layout.ClassPathEntry) report.ElementState {
	switch info, err := os.Stat(e.Path); {
	case err != nil, !info.Mode().IsRegular() && !info.IsDir():
		return report.ElementMissing
	case archive.SumContent(ctx, e.Path) == e.Content:
		return report.ElementSame
	}
	return report.ElementChanged
}

// openInstrumented opens a program and its libraries. It returns an error if they are instrumented for another
// domain.
func openInstrumented(names []string, d layout.Domain) (Program, error) {
	for _, name := range names[1:] {
		kind, err := codeKind(name)
		if err == nil && kind != kindProgram {
			err = cli.Usagef("--against %s: only programs and libraries can be named beside others", name)
		}
		if err != nil {
			return Program{}, err
		}
	}
	p, err := inventory.Open(names...)
	if err == nil {
		err = p.CheckDomain(d)
	}
	if err != nil {
		return Program{}, &cli.ExitError{Code: ExitUnchecked, Err: err}
	}
	return Program{Code: p, Name: strings.Join(names, ", "), Close: func() {}, stripped: !p.IsDomainKnown()}, nil
}

// hasWholeProgram reports whether a profile has every function of its program. A raw profile of LLVM has if it counted
// before inlining.
func hasWholeProgram(name string, s *reader.Store) bool {
	head, err := readMagic(name)
	kind, ok := llvm.Detect(head)
	after := llvm.Variant(s.Header().Params.LLVMVariant)&llvm.VariantContextSensitive != 0
	return err == nil && ok && kind == llvm.KindRaw && !after
}

// A CodeVersion is a version of the code of a method.
type CodeVersion struct {
	Key  layout.Key
	Code uint64
}

// FittingVersions returns the versions in an archive that the program has, by their keys in the archive. It returns nil
// with the error of CheckFit if nothing could be compared.
func (p *Program) FittingVersions(ctx context.Context, s *reader.Store) (map[CodeVersion]bool, error) {
	o := checkOptions{confidence: fit.DefaultConfidence, top: 0}
	options := o.fitOptions(s)
	fitting := map[CodeVersion]bool{}
	options.Each = func(v *fit.Verdict) error {
		if v.State != fit.Exact {
			return nil
		}
		k, err := v.Method.Key()
		fitting[CodeVersion{k, v.Profile.Code()}] = true
		return err
	}
	found, err := fit.Check(ctx, s, p.Code, options)
	if err == nil {
		err = o.refuseUnrelated(p.newReport(s), found, *p)
	}
	if err != nil {
		return nil, err
	}
	return fitting, nil
}
