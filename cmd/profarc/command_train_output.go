package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// checkTrainOutput refuses, before the command is started, what could not be
// written when it has ended.
func checkTrainOutput(ctx context.Context, command string, o trainOptions) error {
	if err := errors.Join(app.CheckArchiveName(o.out, command), checkTrainName(o.out)); err != nil {
		return err
	}
	if o.require < 0 {
		return app.Usagef("--require %d: an archive has 0 methods or more", o.require)
	}
	if o.report == "" {
		return checkWritable(ctx, o.out)
	}
	switch {
	case o.report == "-":
		return app.Usagef("--report -: the standard output is the command's own: name a file")
	case filepath.Ext(o.report) == app.ArchiveExtension:
		return app.Usagef("--report %s: that is the name of an archive, and a report is JSON: name another file", o.report)
	case sameFile(o.report, o.out):
		return app.Usagef("--report %s is the archive: name another file", o.report)
	}
	return errors.Join(checkWritable(ctx, o.out), checkReportPath(ctx, o.report))
}

// checkReportPath fails as publish would.
func checkReportPath(ctx context.Context, path string) error {
	if app.IsStream(path) {
		return archive.CheckStream(path)
	}
	return checkWritable(ctx, path)
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// errUnwritten ends a writing that is only tried.
var errUnwritten = errors.New("nothing is written")

// checkWritable fails as publish would, and leaves what is at path.
func checkWritable(ctx context.Context, path string) error {
	err := archive.Publish(ctx, path, func(*archive.File) error { return errUnwritten })
	if errors.Is(err, errUnwritten) {
		return nil
	}
	return err
}

// leftovers are files with names of this run's archives that it did not write.
func (t *trainingRun) leftovers() (names []string) {
	written := map[string]bool{}
	for _, a := range t.archives {
		written[filepath.Base(a.Archive)] = true
	}
	folder, pattern := filepath.Split(t.o.out)
	bases := []string{pattern}
	if strings.Contains(pattern, "%") {
		bases = nil
	}
	for _, out := range t.outputs {
		if base := filepath.Base(out.name); !slices.Contains(bases, base) {
			bases = append(bases, base)
		}
	}
	files, _ := os.ReadDir(filepath.Clean(folder)) // it could be written to
	for _, f := range files {
		name := f.Name()
		named := func(base string) bool { return name == base || isNumbered(name, base) }
		if !written[name] && slices.ContainsFunc(bases, named) {
			names = append(names, folder+name)
		}
	}
	return names
}

// isNumbered reports whether a file is named as that of one of several JVMs.
func isNumbered(name, base string) bool {
	number, ok := strings.CutPrefix(strings.TrimSuffix(name, app.ArchiveExtension), strings.TrimSuffix(base, app.ArchiveExtension)+".")
	n, err := strconv.ParseUint(number, 10, 32)
	return ok && err == nil && strconv.FormatUint(n, 10) == number && filepath.Ext(name) == app.ArchiveExtension
}
