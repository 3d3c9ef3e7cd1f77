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

// ErrNotRecorded: no program is given, and the class path that an archive records cannot be
// taken in its place.
var ErrNotRecorded = errors.New("no program is given")

// recordedCode opens the class path that an archive records, of its last run, as far as it is
// there: with the JDK that a start would take, if that is of the recorded build.
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
	origin.VM = jdk.OfVM(run.VM)
	if origin.VM != "" && jdk.OfProgram(java) == origin.VM {
		origin.JDK = filepath.Dir(filepath.Dir(java))
		paths = append(paths, origin.JDK)
	}
	c, err := openClasses(paths, s.Header())
	c.name, c.origin = "the class path that it records", origin
	return c, err
}

// lastDescribed returns the last run of an archive whose class path is known, the zero value
// if there is none.
func lastDescribed(s *reader.Store) (last layout.Provenance, err error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return last, nil
	}
	runs, err := s.Runs()
	for _, r := range runs { // in the order of their times
		if r.ClassPath != nil {
			last = r
		}
	}
	return last, err
}

// elementState compares an element of a class path with the file that is there now.
func elementState(ctx context.Context, e layout.ClassPathEntry) report.ElementState {
	switch info, err := os.Stat(e.Path); {
	case err != nil, !info.Mode().IsRegular() && !info.IsDir():
		return report.ElementMissing
	case archive.SumContent(ctx, e.Path) == e.Content:
		return report.ElementSame
	}
	return report.ElementChanged
}
