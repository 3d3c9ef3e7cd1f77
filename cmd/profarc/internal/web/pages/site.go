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

type Options struct {
	Archive *reader.Store
	// Other is archive B, to compare with Archive as A. It may be nil.
	Other *reader.Store
	// ClassPath has the profiled code, as class files, jars or a JDK. It may be empty.
	ClassPath []string
	// SourcePath has the sources. It may be empty.
	SourcePath []string
	// Binary is the program instrumented by LLVM. It may be empty.
	Binary string
}

// A Site has archives and the results of background jobs. It is safe for concurrent use.
type Site struct {
	Options
	work *backgroundJobs
	twin *Site // site of the other archive, or nil
	isB  bool  // Archive is B, and Other is A
}

// NewSite returns a site of open archives, which must stay open until Close. Background jobs end with ctx.
func NewSite(ctx context.Context, o Options) *Site {
	s := &Site{Options: o, work: newBackgroundJobs(ctx)}
	if o.Other != nil {
		o.Archive, o.Other = o.Other, o.Archive
		s.twin = &Site{Options: o, work: newBackgroundJobs(s.work.ctx), isB: true, twin: s}
	}
	return s
}

// Close ends all background jobs and closes the files of the class path and the sources. The archives stay open. Later
// requests for pages get earlier results.
func (s *Site) Close() {
	for _, side := range s.sitesOfArchives() {
		side.work.closeResults()
	}
}

func (s *Site) archiveNames() string {
	if s.Other == nil {
		return filepath.Base(s.Archive.Mapping().Name())
	}
	return fmt.Sprintf("%s and %s", filepath.Base(s.Archive.Mapping().Name()), filepath.Base(s.Other.Mapping().Name()))
}

// guardFaults runs f. It returns an error if an archive's file was truncated and reading its mapping faults.
func (s *Site) guardFaults(f func() error) error {
	guarded := func() error { return s.Archive.Mapping().Guard(f) }
	if s.Other != nil {
		inner := guarded
		guarded = func() error { return s.Other.Mapping().Guard(inner) }
	}
	return guarded()
}

var errNoPage = errors.New("the archive has no such page")

func isNotFound(err error) bool {
	return errors.Is(err, errNoPage) || errors.Is(err, reader.ErrNotFound)
}

func isClosing(err error) bool {
	return errors.Is(err, archive.ErrClosed) || errors.Is(err, context.Canceled)
}

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

// withoutFileFolders removes the folders of this machine from a text of a report, since others read reports.
func (r *request) withoutFileFolders(text string) string {
	if !r.inReport {
		return text
	}
	return r.withoutFolders(text)
}

func (r *request) withoutFolders(text string) string {
	for _, folder := range r.site.fileFolders() {
		text = strings.ReplaceAll(text, folder, "")
	}
	return text
}
