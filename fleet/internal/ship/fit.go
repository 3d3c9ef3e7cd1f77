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
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A deployment is the program and the JVM that archives are to fit.
type deployment struct {
	any         bool
	build       string // of the VM or the program, as the user says it; empty: java is asked
	java        string // version of the JDK, empty if not known
	fingerprint string // in hexadecimal, empty for any
	code        demand
	jdk         string // home of the java that will start, empty if not known
}

// newDeployment returns what archives are to fit.
func newDeployment(o *pullOptions) (deployment, error) {
	d := deployment{any: o.any, build: o.build,
		fingerprint: strings.ToLower(o.fingerprint), code: o.demand}
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

// A misfit is why an archive does not fit.
type misfit struct{ why string }

func (m misfit) Error() string { return m.why }

func misfitf(format string, args ...any) error { return misfit{fmt.Sprintf(format, args...)} }

// accepts returns a misfit if an archive does not fit by its annotations.
func (d *deployment) accepts(f artifact.Facts) error {
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

// acceptsBuilds returns a misfit if all runs are known to be of other builds of the VM. Of a build that the user names
// it must be known that a run was of it.
func (d *deployment) acceptsBuilds(f artifact.Facts) error {
	same := func(build string) bool { return strings.EqualFold(build, d.build) }
	switch {
	case d.build == "" || slices.ContainsFunc(f.Builds, same):
	case len(f.Builds) == 0:
		return misfitf("it does not say of which build it is, and --build names %s", d.build)
	default:
		return misfitf("it is of another build (%s) than %s", strings.Join(f.Builds, ", "), d.build)
	}
	if d.java == "" || f.Domain != layout.DomainHotSpot.String() || len(f.Builds) == 0 ||
		slices.Contains(f.Builds, d.java) {
		return nil
	}
	return misfitf("it was recorded with another build of the VM (%s), and java is %s",
		strings.Join(f.Builds, ", "), d.java)
}

// fits returns a misfit if the profiles of an archive do not fit, and how far they fit the
// code, and of what share of their events that is known, from 0 to 1; 0 if that is not compared.
func (d *deployment) fits(ctx context.Context, s *reader.Store) (score, checked float64, err error) {
	f, err := artifact.FactsOf(s)
	if err == nil {
		err = d.accepts(f) // the annotations are only what somebody said
	}
	if err != nil || len(d.code.classPath) == 0 || d.any {
		return 0, 0, err
	}
	return d.code.judge(ctx, s, d.jdk)
}

// A demand is the code that profiles are compared with, and how far they must fit.
type demand struct {
	classPath            []string // in one or more parts; empty: not compared
	minScore, minChecked float64
}

func (d *demand) addTo(f *pflag.FlagSet, minScore float64) {
	f.StringArrayVar(&d.classPath, "class-path", nil,
		"`CODE` that profiles are to fit: class files, jars and folders, in one or more parts")
	f.Float64Var(&d.minScore, "min-score", minScore, "with --class-path, least `SCORE` of profarc check, from 0 to 1")
	f.Float64Var(&d.minChecked, "min-checked", cli.DefaultChecked,
		"with --class-path, least `SHARE` of all events that is compared, from 0 to 1")
}

func (d *demand) check() error {
	return cmp.Or(cli.CheckShare("--min-score", d.minScore), cli.CheckShare("--min-checked", d.minChecked))
}

// judge returns how far the profiles of an archive fit the class path and a JDK, which may be empty, and of
// what share of their events that is known. It returns a misfit if either is too little.
func (d *demand) judge(ctx context.Context, s *reader.Store, jdk string) (score, checked float64, err error) {
	r, err := d.compare(ctx, s, jdk)
	if err != nil {
		return 0, 0, err
	}
	score = r.Score()
	checked = r.CheckedShare()
	switch {
	case score < d.minScore:
		err = misfitf("it fits the code by %s, less than the %s of --min-score", cli.FormatPercentDown(score),
			cli.FormatPercentDown(d.minScore))
	case checked < d.minChecked:
		err = misfitf("%s of its events could be compared with the code, less than the %s of --min-checked: name the "+
			"libraries and the JDK too", cli.FormatPercentDown(checked), cli.FormatPercentDown(d.minChecked))
	}
	return score, checked, err
}

// String returns the class path.
func (d *demand) String() string { return strings.Join(d.classPath, string(filepath.ListSeparator)) }

// compare compares the profiles of an archive with the code, method by method. It returns a
// misfit if they are of another program.
func (d *demand) compare(ctx context.Context, s *reader.Store, jdk string) (*fit.Report, error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return nil, misfitf("%s: a class path is no code of profiles of %s", s.Mapping().Name(), s.Header().Domain)
	}
	paths := cli.SplitClassPath(d.String())
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
	case code.Related() != nil:
		return nil, misfitf("it is of another program: %s has not one class of its profiles", d)
	case r.Checked == 0:
		return nil, misfitf("nothing of it can be compared with %s", d)
	}
	return r, nil
}

// homeOf returns the home of the JDK whose program java is at a path, and its version, both
// empty if that is not known.
func homeOf(java string) (home, version string) {
	version = jdk.OfProgram(java)
	if version != "" {
		home = filepath.Dir(filepath.Dir(java))
	}
	return home, version
}
