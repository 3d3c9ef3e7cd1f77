package ship

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/formats/hotspot/program"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/build"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A deployment is the program and the JVM that archives are to fit.
type deployment struct {
	any         bool
	java        string // version of the JDK, empty if not known
	fingerprint string // in hexadecimal, empty for any
	classPath   string // empty: not compared
	minScore    float64
}

// newDeployment returns what archives are to fit.
func newDeployment(o *pullOptions) (deployment, error) {
	d := deployment{any: o.any, fingerprint: strings.ToLower(o.fingerprint), classPath: o.classPath, minScore: o.minScore}
	if o.any {
		return d, nil
	}
	d.java = build.OfProgram(build.FindJava(o.java))
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
	case d.classPath != "" && f.Domain != layout.DomainHotSpot.String():
		return misfitf("it has profiles of another VM (%s)", f.Domain)
	case d.fingerprint != "" && f.Fingerprint != d.fingerprint:
		return misfitf("it is of another program (%s)", f.Fingerprint)
	}
	return d.acceptsBuilds(f)
}

// acceptsBuilds returns a misfit if all runs are known to be of other builds of the VM.
func (d *deployment) acceptsBuilds(f artifact.Facts) error {
	if d.java == "" || f.Domain != layout.DomainHotSpot.String() || len(f.Builds) == 0 || slices.Contains(f.Builds, d.java) {
		return nil
	}
	return misfitf("it was recorded with another build of the VM (%s), and java is %s", strings.Join(f.Builds, ", "), d.java)
}

// fits returns a misfit if the profiles of an archive do not fit, and how far they fit the
// code, from 0 to 1; 0 if that is not compared.
func (d *deployment) fits(ctx context.Context, s *reader.Store) (score float64, err error) {
	f, err := artifact.FactsOf(s)
	if err == nil {
		err = d.accepts(f) // the annotations are only what somebody said
	}
	if err != nil || d.classPath == "" || d.any {
		return 0, err
	}
	score, err = scoreAgainst(ctx, s, d.classPath)
	if err == nil && score < d.minScore {
		err = misfitf("it fits the code by %s, less than the %s of --min-score", cli.FormatPercentDown(score), cli.FormatPercentDown(d.minScore))
	}
	return score, err
}

// scoreAgainst compares the profiles of an archive with a class path, method by method. It
// returns a misfit if they are of another program.
func scoreAgainst(ctx context.Context, s *reader.Store, classPath string) (float64, error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return 0, misfitf("%s: a class path is no code of profiles of %s", s.Mapping().Name(), s.Header().Domain)
	}
	code, err := program.OpenClassPath(cli.SplitClassPath(classPath), int(s.Header().Params.VMRelease))
	if err != nil {
		return 0, err
	}
	defer code.Close()
	r, err := fit.Check(ctx, s, code, fit.Options{})
	switch {
	case err != nil:
		return 0, err
	case code.Related() != nil:
		return 0, misfitf("it is of another program: %s has not one class of its profiles", classPath)
	case r.Checked() == 0:
		return 0, misfitf("nothing of it can be compared with %s", classPath)
	}
	return r.Score(), nil
}
