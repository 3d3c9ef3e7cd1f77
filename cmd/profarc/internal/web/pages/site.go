package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/reader"
)

// Options say what a site shows.
type Options struct {
	// Archive is the archive that most views show.
	Archive *reader.Store
	// Other, if not nil, is archive B, which is compared with Archive, then A.
	Other *reader.Store
	// ClassPath has the code that was profiled: class files, jars, a JDK. Empty for none.
	ClassPath []string
	// SourcePath has the sources. Empty for none.
	SourcePath []string
	// Binary is the program that LLVM instrumented. Empty for none.
	Binary string
}

// A Site is archives and what was computed of them. It is safe for concurrent use.
type Site struct {
	Options
	work *backgroundJobs
	twin *Site // shows the other archive; nil if there is one alone
	isB  bool  // Archive is B, and Other is A
}

// NewSite returns a site of open archives, which must stay open until it is closed.
// Computations in the background end with ctx.
func NewSite(ctx context.Context, o Options) *Site {
	s := &Site{Options: o, work: newBackgroundJobs(ctx)}
	s.newSides()
	return s
}

// Close ends all computations in the background, and closes the files that the site has opened:
// the files of its class path and sources. Its archives stay open. Pages that are asked for later
// have the results of earlier requests.
func (s *Site) Close() {
	for _, side := range s.sitesOfArchives() {
		side.work.closeResults()
	}
}

// archiveNames returns the name of the site: its archives' names, without their folders.
func (s *Site) archiveNames() string {
	if s.Other == nil {
		return filepath.Base(s.Archive.Mapping().Name())
	}
	return fmt.Sprintf("%s and %s", filepath.Base(s.Archive.Mapping().Name()), filepath.Base(s.Other.Mapping().Name()))
}

// guardFaults runs f, and turns a fault on the memory of an archive, whose file was cut short, into an error.
func (s *Site) guardFaults(f func() error) error {
	guarded := func() error { return s.Archive.Mapping().Guard(f) }
	if s.Other != nil {
		inner := guarded
		guarded = func() error { return s.Other.Mapping().Guard(inner) }
	}
	return guarded()
}

// errNoPage is the error of a page that the archive does not have.
var errNoPage = errors.New("the archive has no such page")

// isNotFound reports whether an error says that something is not in the archive.
func isNotFound(err error) bool {
	return errors.Is(err, errNoPage) || errors.Is(err, reader.ErrNotFound)
}

// isClosing reports whether an error says that the program is about to end.
func isClosing(err error) bool {
	return errors.Is(err, archive.ErrClosed) || errors.Is(err, context.Canceled)
}

// fileFolders returns the folders of the files that a site was given, the longest first.
func (s *Site) fileFolders() (list []string) {
	files := slices.Concat([]string{s.Archive.Mapping().Name(), s.Binary}, s.ClassPath, s.SourcePath)
	if s.Other != nil {
		files = append(files, s.Other.Mapping().Name())
	}
	for _, file := range files {
		if folder := filepath.Dir(file); folder != "." && folder != string(filepath.Separator) {
			list = append(list, folder+string(filepath.Separator))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}

// withoutFileFolders returns a text that names files of this machine. A report, which others read, has
// their names without the folders.
func (r *request) withoutFileFolders(text string) string {
	if !r.inReport {
		return text
	}
	return r.withoutFolders(text)
}

// withoutFolders returns a text that names files, with their names within what the site was given.
func (r *request) withoutFolders(text string) string {
	for _, folder := range r.site.fileFolders() {
		text = strings.ReplaceAll(text, folder, "")
	}
	return text
}
