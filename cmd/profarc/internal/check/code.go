package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/convert"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/formats/hotspot/program"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// listSeparator stands between the parts of a class path.
const listSeparator = string(filepath.ListSeparator)

// code is a program that profiles are held against.
type code struct {
	fit.Code
	what  string
	close func()
	// profiles, if not nil, are those that the code is known by.
	profiles *reader.Store
	// related, if not nil, says after a check whether it is the code of the same
	// program at all; byName whether methods were found without their loaders.
	related func() error
	byName  func() bool
	// loaders, if not nil, names the class loaders that it knows.
	loaders func() ([]string, error)
}

// openCode opens what --against names, for the profiles of an archive.
func openCode(ctx context.Context, a *app.App, name string, of *layout.Header) (code, error) {
	d := of.Domain
	if pid, ok := strings.CutPrefix(name, "pid:"); ok {
		return openProcessCode(ctx, pid, d)
	}
	kind, err := codeKind(name)
	if err != nil {
		return code{}, err
	}
	switch {
	case kind == kindArchive:
		s, err := a.OpenStore(name)
		if err != nil {
			return code{}, err
		}
		app.CloseOnInterrupt(ctx, s)
		return archivedCode(name, s, d)
	case kind == kindClasses && d == layout.DomainHotSpot:
		return openClasses(name, of)
	case kind == kindClasses:
		return code{}, fmt.Errorf("%s: a class path is no code of domain %s: name profiles of the new program", name, d)
	}
	return importCode(ctx, a, name, d)
}

// Kinds of files that --against may name.
const (
	kindClasses = iota
	kindArchive
	kindProfiles
)

// codeKind says what a name is of. What is no archive, folder or jar may be
// profiles of another tool.
func codeKind(name string) (int, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil && (strings.Contains(name, listSeparator) || filepath.Base(name) == "*"):
		return kindClasses, nil
	case err != nil:
		return 0, err
	case info.IsDir() || filepath.Base(name) == "modules":
		return kindClasses, nil
	}
	head, err := headOf(name)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case err != nil:
		return 0, err
	case bytes.Equal(head, disk.Magic[:]):
		return kindArchive, nil
	case ext == ".class":
		return 0, fmt.Errorf("%s: it is one class: name the folder of class files that it is in", name)
	case ext == ".jar", ext == ".war", ext == ".jmod", bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("JM\x01\x00")):
		return kindClasses, nil
	}
	return kindProfiles, nil
}

// headOf is as much of a file as the magic number of an archive has bytes, or
// less.
func headOf(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(disk.Magic))
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// openClasses opens a class path, for the profiles of an archive.
func openClasses(name string, of *layout.Header) (code, error) {
	c, err := program.OpenClassPath(app.SplitClassPath(name), int(of.Params.VMRelease))
	if err != nil {
		return code{}, err
	}
	return code{Code: c, what: name, close: c.Close, related: c.Related}, nil
}

func openProcessCode(ctx context.Context, pid string, d layout.Domain) (code, error) {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 {
		return code{}, app.Usagef("--against pid:%s: give the number of a process", pid)
	}
	if d != layout.DomainHotSpot {
		return code{}, fmt.Errorf("a JVM is no code of domain %s: name profiles of the new program", d)
	}
	p, err := program.ReadProcess(ctx, n)
	if err != nil {
		return code{}, err
	}
	return code{Code: p, what: "process " + pid, close: func() {}, loaders: p.Loaders}, nil
}

// archivedCode is the code that the profiles of an archive are of.
func archivedCode(name string, s *reader.Store, d layout.Domain) (code, error) {
	if other := s.Header().Domain; other != d {
		_ = s.Close()
		return code{}, fmt.Errorf("%s is of domain %s, the archive to check of %s: name an archive of that domain", name, other, d)
	}
	profiled := fit.Archived(s)
	return code{Code: profiled, what: name, profiles: s, close: func() { _ = s.Close() }, byName: profiled.ByName, loaders: s.Loaders}, nil
}

// importCode takes profiles of another tool in.
func importCode(ctx context.Context, a *app.App, name string, d layout.Domain) (code, error) {
	in, err := convert.ImportFile(ctx, a, name)
	if err != nil {
		return code{}, err
	}
	s, err := in.Builder.Open(name)
	if err != nil {
		return code{}, err
	}
	return archivedCode(name, s, d)
}
