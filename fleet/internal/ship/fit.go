package ship

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A deployment is the program and the JVM that archives must fit.
type deployment struct {
	any         bool
	build       string // --build, which overrides java
	java        string // version of the JDK, "" if unknown
	fingerprint string // required fingerprint in hexadecimal, "" for any
	platform    artifact.Platform
	code        demand
	jdk         string // home of the JDK that will run the program, "" if unknown
}

func newDeployment(o *pullOptions) (deployment, error) {
	d := deployment{any: o.any, build: o.build,
		fingerprint: strings.ToLower(o.fingerprint), platform: artifact.OwnPlatform(), code: o.demand}
	if o.platform != "" {
		var err error
		d.platform, err = artifact.ParsePlatform(o.platform)
		if err != nil {
			return d, cli.Usagef("--platform %w", err)
		}
	}
	if o.any {
		return d, nil
	}
	if o.build != "" {
		return d, nil
	}
	d.jdk, d.java = homeOf(jdk.FindJava(o.java))
	if o.java != "" && d.java == "" {
		return d, fmt.Errorf("--java %s: its version is not known: name the home of a JDK, or its program java", o.java)
	}
	return d, nil
}

// A misfit is the reason why an archive does not fit.
type misfit struct {
	why       string
	platforms []artifact.Platform // platforms of an archive of other platforms, otherwise nil
}

func (m misfit) Error() string { return m.why }

func misfitf(format string, args ...any) error { return misfit{why: fmt.Sprintf(format, args...)} }

// acceptsPlatform returns a misfit if an archive is of other platforms. Only its annotations decide, since push
// --platform overrides what the archive says.
func (d *deployment) acceptsPlatform(f artifact.Facts) error {
	if d.any || artifact.AnyServes(f.Platforms, d.platform) {
		return nil
	}
	return misfit{fmt.Sprintf("it is of %s, and %s starts", artifact.JoinPlatforms(f.Platforms), d.platform), f.Platforms}
}

// acceptsFacts returns a misfit if facts show that an archive does not fit.
func (d *deployment) acceptsFacts(f artifact.Facts) error {
	switch {
	case f.Format != disk.VersionString(disk.Version):
		return misfitf("its format is %s, and this profarc reads %s", f.Format, disk.VersionString(disk.Version))
	case d.any:
		return nil
	case len(d.code.classPath) > 0 && f.Domain != layout.DomainHotSpot.String():
		return misfitf("it has profiles of another VM (%s)", f.Domain)
	case d.fingerprint != "" && f.Fingerprint != d.fingerprint:
		return misfitf("it is of another program (%s)", f.Fingerprint)
	}
	return d.acceptsBuilds(f)
}

// acceptsBuilds returns a misfit if no run had the build --build or, without this flag, if all runs are known to have
// had other builds than the JDK. With a class path the comparison of the code decides instead, since a JVM adopts from
// other builds each method whose bytecodes are the same.
func (d *deployment) acceptsBuilds(f artifact.Facts) error {
	same := func(build string) bool { return strings.EqualFold(build, d.build) }
	switch {
	case d.build == "" || slices.ContainsFunc(f.Builds, same):
	case len(f.Builds) == 0:
		return misfitf("it does not say of which build it is, and --build names %s", d.build)
	default:
		return misfitf("it is of another build (%s) than %s", strings.Join(f.Builds, ", "), d.build)
	}
	if d.java == "" || len(d.code.classPath) > 0 || f.Domain != layout.DomainHotSpot.String() || len(f.Builds) == 0 ||
		slices.Contains(f.Builds, d.java) {
		return nil
	}
	return misfitf("it was recorded with another build of the VM (%s), and java is %s: name --class-path, so that the "+
		"code decides", strings.Join(f.Builds, ", "), d.java)
}

// checkFit returns a misfit if the profiles of an archive do not fit. score and checked are from 0 to 1 as in profarc
// check, or 0 if there is no class path.
func (d *deployment) checkFit(ctx context.Context, s *reader.Store) (score, checked float64, err error) {
	f, err := artifact.FactsOf(s)
	if err == nil {
		err = d.acceptsFacts(f) // unlike annotations, these facts come from the archive
	}
	if err != nil || len(d.code.classPath) == 0 || d.any {
		return 0, 0, err
	}
	return d.code.judgeFit(ctx, s, d.jdk)
}

// A demand is the code that profiles must fit, and the required quality.
type demand struct {
	classPath            []string // parts of the class path, empty to skip the comparison
	minScore, minChecked float64
}

func (d *demand) addFlags(f *pflag.FlagSet, minScore float64) {
	f.StringArrayVar(&d.classPath, "class-path", nil,
		"`CODE` that profiles are to fit: class files, jars and folders, in one or more parts")
	f.Float64Var(&d.minScore, "min-score", minScore,
		"with --class-path, least `SHARE` of all events that remains in the code, from 0 to 1")
	f.Float64Var(&d.minChecked, "min-checked", cli.DefaultChecked,
		"with --class-path, least `SHARE` of the hot part that is compared, from 0 to 1")
}

func (d *demand) checkFlags() error {
	return cmp.Or(cli.CheckShare("--min-score", d.minScore), cli.CheckShare("--min-checked", d.minChecked))
}

// judgeFit returns the score and the compared share of the hot part in a comparison with the class path and a JDK,
// which can be "". It returns a misfit if too much is lost or too little was compared.
func (d *demand) judgeFit(ctx context.Context, s *reader.Store, jdk string) (score, checked float64, err error) {
	r, err := d.compareCode(ctx, s, jdk)
	if err != nil {
		return 0, 0, err
	}
	checked = r.HotCheckedShare()
	switch r.Verdict(d.minScore, d.minChecked) {
	case fit.Changed, fit.Gone:
		err = misfitf("%s of its events remain in the code, less than the %s of --min-score",
			cli.FormatPercentDown(1-r.LostShare()), cli.FormatPercentDown(d.minScore))
	case fit.Unchecked:
		err = misfitf("%s of its hot part could be compared with the code, less than the %s of --min-checked: name the "+
			"libraries and the JDK too", cli.FormatPercentDown(checked), cli.FormatPercentDown(d.minChecked))
	}
	return r.Score(), checked, err
}

// String returns the whole class path.
func (d *demand) String() string { return strings.Join(d.classPath, string(filepath.ListSeparator)) }

// compareCode compares the profiles of an archive with the code. It returns a misfit if they belong to another program.
func (d *demand) compareCode(ctx context.Context, s *reader.Store, jdk string) (*fit.Report, error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return nil, misfitf("%s: a class path is no code of profiles of %s", s.Mapping().Name(), s.Header().Domain)
	}
	paths := classfile.SplitPath(d.String())
	if jdk != "" {
		paths = append(paths, jdk)
	}
	code, err := program.OpenClassPath(paths, int(s.Header().Params.VMRelease))
	if err != nil {
		return nil, err
	}
	defer code.Close()
	r, err := fit.Check(ctx, s, code, fit.Options{})
	switch {
	case err != nil:
		return nil, err
	case code.CheckRelated() != nil:
		return nil, misfitf("it is of another program: %s has not one class of its profiles", d)
	case r.Checked == 0:
		return nil, misfitf("nothing of it can be compared with %s", d)
	}
	return r, nil
}

// homeOf returns the home and the version of the JDK with the program java, both "" if unknown.
func homeOf(java string) (home, version string) {
	version = jdk.VersionOfProgram(java)
	if version != "" {
		home = filepath.Dir(filepath.Dir(java))
	}
	return home, version
}
