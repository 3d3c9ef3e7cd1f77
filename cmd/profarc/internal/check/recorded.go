package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrNotRecorded is returned if no program is given, and the archive records no class path that can be opened.
var ErrNotRecorded = errors.New("no program is given")

// recordedCode opens the files that still exist of the class path of the archive's last run. It adds the JDK that a
// start would use if that is the recorded build.
func recordedCode(ctx context.Context, s *reader.Store) (programCode, error) {
	run, err := lastDescribed(s)
	if err != nil {
		return programCode{}, err
	}
	var paths []string
	origin := &report.CheckOrigin{Elements: []report.CheckElement{}}
	for _, e := range run.ClassPath {
		state := elementState(ctx, e)
		origin.Elements = append(origin.Elements, report.CheckElement{Path: e.Path, State: state})
		if state == report.ElementSame || state == report.ElementChanged {
			paths = append(paths, e.Path)
		}
	}
	switch {
	case ctx.Err() != nil:
		return programCode{}, ctx.Err()
	case len(run.ClassPath) == 0:
		return programCode{}, fmt.Errorf("%w, and %s does not record a class path", ErrNotRecorded, s.Mapping().Name())
	case len(paths) == 0:
		return programCode{}, fmt.Errorf("%w, and nothing of the class path that %s records is here", ErrNotRecorded,
			s.Mapping().Name())
	}
	java := jdk.FindJava("")
	origin.VM = jdk.VersionOfVM(run.VM)
	if origin.VM != "" && jdk.VersionOfProgram(java) == origin.VM {
		origin.JDK = filepath.Dir(filepath.Dir(java))
		paths = append(paths, origin.JDK)
	}
	c, err := openClasses(paths, s.Header())
	c.name, c.origin = "the class path that it records", origin
	return c, err
}

// lastDescribed returns the last run with a known class path, or the zero value.
func lastDescribed(s *reader.Store) (last layout.Provenance, err error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return last, nil
	}
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
